/** A file that is there but is not opened: a link, a directory, a socket, or one that this user may not read. */

import { isLonghandError } from "../errors.ts";
import type { NotOpened } from "../format/damage-reason.ts";
import type { FileSystem, OpenFile } from "./host.ts";
import { errorCode } from "./io-error.ts";

export type TriedFile =
  | { readonly kind: "opened"; readonly file: OpenFile }
  | { readonly kind: "not-opened"; readonly why: NotOpened };

/** `undefined`: there is no such file. Rejects if the disk fails. */
export async function tryOpen(files: FileSystem, path: string): Promise<TriedFile | undefined> {
  try {
    return { kind: "opened", file: await files.open(path, "read") };
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    const why = whyNotOpened(error);
    if (why === undefined) throw error;
    return { kind: "not-opened", why };
  }
}

/** A link, what is no regular file, a directory, a socket or FIFO. */
const NOT_REGULAR: ReadonlySet<string> = new Set(["ELOOP", "EINVAL", "EISDIR", "ENXIO"]);
const NOT_PERMITTED: ReadonlySet<string> = new Set(["EACCES", "EPERM"]);

/** `undefined`: the failure says nothing about what kind of file it is. */
export function whyNotOpened(error: unknown): NotOpened | undefined {
  if (isLonghandError(error, "DIRECTORY_UNSAFE")) return { code: "behind-link", message: error.message };
  const errno = errorCode(error);
  if (errno === undefined) return undefined;
  if (NOT_REGULAR.has(errno)) return { code: "not-regular" };
  return NOT_PERMITTED.has(errno) ? { code: "not-permitted", errno } : undefined;
}
