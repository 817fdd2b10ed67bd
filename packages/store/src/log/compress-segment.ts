/**
 * Compresses a sealed file. The compressed one is complete, read back and compared, and durably named before the other
 * goes: killed at any point, there is one whole file, or two that hold the same.
 */

import type { FileSystem } from "../host/host.ts";
import { useFile } from "../host/use-file.ts";
import { writeFully } from "../host/write-fully.ts";
import { EMPTY_SUM } from "../record/checksum.ts";
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
    // Left by somebody who was killed after it was complete, or before: only its contents can tell.
    const isDone = (await files.stat(compressed)) !== undefined && (await holds(files, compressed, part));
    if (!isDone) await writeCompressed(files, source, part, options.temporary, compressed);
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
  return await useFile(await files.open(path, "read"), async (file) => {
    const source = await openGzipSource(file, part.bytes);
    return (
      source !== undefined && source.size === part.bytes && (await sumOf(source, part.bytes)) === part.sum
    );
  });
}

async function sumOf(source: ByteSource, end: number): Promise<string> {
  return await sumBytes(source, EMPTY_SUM, 0, end);
}

async function packedLength(source: ByteSource, bytes: number): Promise<number> {
  let length = 0;
  for await (const member of packMembers(source, bytes)) length += member.length;
  return length;
}
