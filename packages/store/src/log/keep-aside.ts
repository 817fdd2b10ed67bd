/** Damaged bytes are never thrown away: they are copied, durably, before anything is cut. */

import type { FileSystem, OpenFile } from "../host/host.ts";
import { errorCode } from "../host/io-error.ts";
import { useFile } from "../host/use-file.ts";
import { writeFully } from "../host/write-fully.ts";

const CHUNK_BYTES = 1024 * 1024;

export interface KeptRange {
  readonly offset: number;
  readonly bytes: number;
}

/** Answers with the path of the copy. It is named after its file and offset; a number tells several of one place apart. */
export async function keepAside(
  files: FileSystem,
  from: OpenFile,
  { offset, bytes }: KeptRange,
  path: string,
  damagedDirectory: string,
): Promise<string> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const { file, path: kept } = await createNumbered(files, `${damagedDirectory}/${name}.${offset}`);
  await useFile(file, async (copy) => {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(bytes, 1)));
    for (let done = 0; done < bytes;) {
      const count = await from.read(buffer.subarray(0, Math.min(buffer.length, bytes - done)), offset + done);
      if (count === 0) break;
      await writeFully(copy, buffer.subarray(0, count), done);
      done += count;
    }
    await copy.sync();
  });
  await files.syncDirectory(damagedDirectory);
  return kept;
}

async function createNumbered(
  files: FileSystem,
  first: string,
): Promise<{ readonly file: OpenFile; readonly path: string }> {
  for (let number = 1; ; number++) {
    const path = number === 1 ? first : `${first}.${number}`;
    try {
      return { file: await files.open(path, "create"), path };
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
}
