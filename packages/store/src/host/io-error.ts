/** System errors to the store's own. The message names the file and the remedy. */

import { isLonghandError, LonghandError } from "../errors.ts";

export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** What opening a directory fails with, and syncing one never does: nothing was synced, and nothing is lost. */
const OF_OPENING: ReadonlySet<string | undefined> = new Set(["EMFILE", "ENFILE", "EACCES"]);

/** Of an error of `syncDirectory`. */
export function isNotOpened(error: unknown): boolean {
  return OF_OPENING.has(errorCode(error));
}

/** What was being done ("writing the journal") and to which file, for the message. `facts`: more for the detail. */
export function ioError(
  cause: unknown,
  doing: string,
  file: string,
  facts: Readonly<Record<string, unknown>> = {},
): LonghandError {
  if (isLonghandError(cause)) return cause;
  const code = errorCode(cause);
  const detail = { ...facts, file, doing, ...(code === undefined ? {} : { errno: code }) };
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new LonghandError(
      "DISK_FULL",
      `the disk is full (${doing}, ${file}); free some space and try again`,
      detail,
      cause,
    );
  }
  const reason = code === undefined ? String(cause) : `${code}: ${REMEDIES[code] ?? "see the cause"}`;
  return new LonghandError("IO_FAILED", `${doing} failed for ${file} (${reason})`, detail, cause);
}

/** The file that the system names. */
export function pathOf(error: unknown): string | undefined {
  return error instanceof Error && "path" in error && typeof error.path === "string" ? error.path : undefined;
}

const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: "this user may not; check owner and permissions",
  EPERM: "this user may not; check owner, permissions and attributes",
  EROFS: "the file system is read-only; open the store with readOnly, or remount it",
  ENOENT: "it is not there",
  EMFILE: "too many open files; raise the limit (ulimit -n)",
  ENFILE: "the system has too many open files",
  EIO: "the device failed; check the disk",
  ENOTDIR: "a file where a directory must be",
  ELOOP: "a symbolic link where a regular file must be",
  EINVAL: "not a regular file",
  EISDIR: "a directory where a file must be; move it away",
};
