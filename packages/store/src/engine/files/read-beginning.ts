import type { FileSystem } from "../../host/host.ts";
import { errorCode } from "../../host/io-error.ts";
import { START_BYTES } from "../../migrate/looks-like-session.ts";
import { readStart } from "../../migrate/read-start.ts";

/** The first bytes of a file. `undefined`: it does not exist, is no regular file, or cannot be read. */
export async function readBeginning(files: FileSystem, path: string): Promise<Buffer | undefined> {
  try {
    return await readStart(files, path, START_BYTES);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
