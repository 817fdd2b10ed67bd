/** Why a file could not be read or written, in plain words and without its path. */

import { errorCode } from "../error-code.ts";

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EISDIR: "it is a directory",
  ENOENT: "no such file or directory",
  ENOSPC: "no space left on the device",
  ENOTDIR: "a part of the path is not a directory",
  EPERM: "operation not permitted",
  EROFS: "the file system is read-only",
};

export function plainReason(error: unknown): string {
  const code = errorCode(error);
  const known = code === undefined ? undefined : REASONS[code];
  return known ?? (error instanceof Error ? error.message : String(error));
}
