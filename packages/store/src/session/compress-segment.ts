/**
 * Compresses a sealed file. The compressed one is complete, read back and compared, and durably named before the other
 * goes: killed at any point, there is one whole file, or two that hold the same.
 */

import { LonghandError } from "../errors.ts";
import type { FileSystem, OpenFile } from "../host/host.ts";
import { useFile } from "../host/use-file.ts";
import { writeFully } from "../host/write-fully.ts";
import { EMPTY_SUM } from "../format/checksum.ts";
import { patchedSource, type ByteSource } from "./byte-source.ts";
import { openGzipSource } from "./gzip-source.ts";
import type { LogPart } from "./log-part.ts";
import { packMembers } from "./pack-members.ts";
import { COMPRESSED_SUFFIX } from "./segment-path.ts";
import { sumBytes } from "./sum-bytes.ts";

export interface CompressOptions {
  readonly temporary: string;
  readonly dryRun: boolean;
  /** Makes the names in the segment's directory durable. */
  syncNames(): Promise<void>;
}

/** How long it is, or would be, compressed. `undefined`: it is not whole, and was left as it is. */
export async function compressSegment(
  files: FileSystem,
  path: string,
  part: LogPart,
  options: CompressOptions,
): Promise<number | undefined> {
  const compressed = path + COMPRESSED_SUFFIX;
  return await useFile(await files.open(path, "read"), async (file) => {
    const source = patchedSource(file, (await file.stat()).size, []);
    if ((await sumOf(source, part.bytes)) !== part.sum) return undefined;
    if (options.dryRun) return await packedLength(source, part.bytes);
    // A compression that was killed before it removed the plain file has left a whole one.
    if ((await files.stat(compressed)) === undefined)
      await writeCompressed(files, source, part, options.temporary, compressed);
    else if (!(await holds(files, compressed, part))) throw inTheWay(compressed, path);
    await options.syncNames();
    await files.unlink(path);
    await options.syncNames();
    return (await files.stat(compressed))?.size ?? 0;
  });
}

async function writeCompressed(
  files: FileSystem,
  source: ByteSource,
  part: LogPart,
  temporary: string,
  compressed: string,
): Promise<void> {
  await useFile(await files.open(temporary, "create"), async (file) => {
    let position = 0;
    for await (const member of packMembers(source, part.bytes)) {
      await writeFully(file, member, position);
      position += member.length;
    }
    await file.sync();
  });
  if (!(await holds(files, temporary, part))) {
    await files.unlink(temporary);
    throw new Error(`${compressed} does not read back as it was written`);
  }
  await files.rename(temporary, compressed);
}

async function holds(files: FileSystem, path: string, part: LogPart): Promise<boolean> {
  return await useFile(
    await files.open(path, "read"),
    async (file) => await holdsCompressed(file, part.bytes, part.sum),
  );
}

/** Whether this is the sealed file of that length and sum, compressed and whole. */
export async function holdsCompressed(
  file: OpenFile,
  bytes: number,
  sum: string | undefined,
): Promise<boolean> {
  const source = await openGzipSource(file, bytes);
  return source?.size === bytes && (await sumOf(source, bytes)) === sum;
}

/** It may hold records of another history of the session: it is not written over. */
function inTheWay(compressed: string, path: string): LonghandError {
  const message = `${compressed} is in the way of compressing ${path}, and holds something else; a repair moves it to the damaged files, or move it out of the store`;
  return new LonghandError("SESSION_DAMAGED", message, { file: compressed });
}

async function sumOf(source: ByteSource, end: number): Promise<string> {
  return await sumBytes(source, EMPTY_SUM, 0, end);
}

async function packedLength(source: ByteSource, bytes: number): Promise<number> {
  let length = 0;
  for await (const member of packMembers(source, bytes)) length += member.length;
  return length;
}
