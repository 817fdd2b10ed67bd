/**
 * Writes a new file that only its owner can read. An existing one is replaced only when asked to, whole or not at all;
 * what is no regular file (a device, a link) is never replaced.
 */

import { lstat, open, rename, unlink } from "node:fs/promises";
import { CommandError } from "../command-error.ts";
import { plainReason } from "../terminal/plain-reason.ts";
import { errorCode } from "../error-code.ts";

const WRITE_LENGTH = 256 * 1024;

export async function writePrivateFile(
  path: string,
  pieces: AsyncIterable<string>,
  { replace }: { readonly replace: boolean },
): Promise<{ readonly bytes: number }> {
  await checkTarget(path, replace);
  const written = replace ? `${path}.${process.pid}.tmp` : path;
  try {
    const bytes = await writeNew(written, pieces);
    if (replace) await rename(written, path);
    return { bytes };
  } catch (error) {
    if (errorCode(error) === "EEXIST") throw exists(written);
    if (error instanceof Error && "syscall" in error) throw failed(path, error);
    throw error;
  }
}

async function checkTarget(path: string, replace: boolean): Promise<void> {
  try {
    const found = await lstat(path);
    if (found.isDirectory()) {
      throw new CommandError("FILE_FAILED", `${path} is a directory; give the name of a file in it`, {
        detail: { file: path },
      });
    }
    if (!replace) throw exists(path);
    if (!found.isFile()) {
      throw new CommandError("FILE_FAILED", `${path} is not a regular file; give another name`);
    }
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
    throw error instanceof CommandError ? error : failed(path, error);
  }
}

/** Leaves nothing behind when it fails. */
async function writeNew(path: string, pieces: AsyncIterable<string>): Promise<number> {
  const file = await open(path, "wx", 0o600);
  let bytes = 0;
  let gathered = "";
  const write = async (): Promise<void> => {
    await file.appendFile(gathered);
    bytes += Buffer.byteLength(gathered);
    gathered = "";
  };
  try {
    for await (const piece of pieces) {
      gathered += piece;
      // A write for each message would take longer than reading it.
      if (gathered.length >= WRITE_LENGTH) await write();
    }
    await write();
    await file.sync();
  } catch (error) {
    await unlink(path);
    throw error;
  } finally {
    await file.close();
  }
  return bytes;
}

function exists(path: string): CommandError {
  return new CommandError("FILE_EXISTS", `${path} is there already; --force replaces it`, {
    detail: { file: path },
  });
}

function failed(path: string, cause: unknown): CommandError {
  return new CommandError("FILE_FAILED", `${path} could not be written: ${plainReason(cause)}`, {
    detail: { file: path },
    cause,
  });
}
