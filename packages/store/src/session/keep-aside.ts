/** Damaged bytes are never thrown away: they are copied, durably, before anything is cut. */

import type { FileSystem, OpenFile } from "../host/host.ts";
import { errorCode } from "../host/io-error.ts";
import { useFile } from "../host/use-file.ts";
import { copyRange } from "./copy-range.ts";

export interface KeptRange {
  readonly offset: number;
  readonly bytes: number;
}

/** Answers with the path of the copy. It is named after its file and offset; a number tells several of one place apart. */
export async function keepAside(
  files: FileSystem,
  from: OpenFile,
  range: KeptRange,
  path: string,
  damagedDirectory: string,
): Promise<string> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const { file, path: kept } = await createNumbered(files, `${damagedDirectory}/${name}.${range.offset}`);
  await useFile(file, async (copy) => {
    await copyRange(from, range, copy);
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
