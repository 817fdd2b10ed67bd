/** A session file as bytes to be looked through, also where somebody has compressed it under its old name. */

import type { OpenFile } from "../../host/host.ts";
import { patchedSource, type ByteSource } from "../../session/byte-source.ts";
import { gunzip, isGzip } from "../../session/gunzip.ts";
import { openGzipSource } from "../../session/gzip-source.ts";

/** Another program's gzip is unpacked in memory: an active file is sealed long before it is so long. */
const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;

export interface SalvageSource {
  readonly source: ByteSource;
  /** Of the file itself. */
  readonly fileBytes: number;
  readonly isPacked: boolean;
}

export async function salvageSource(file: OpenFile): Promise<SalvageSource> {
  const { size } = await file.stat();
  const plain = { source: patchedSource(file, size, []), fileBytes: size, isPacked: false };
  const start = Buffer.alloc(Math.min(3, size));
  await file.read(start, 0);
  if (!isGzip(start)) return plain;
  const source = (await openGzipSource(file, undefined)) ?? (await unpack(file, size));
  return source === undefined ? plain : { source, fileBytes: size, isPacked: true };
}

async function unpack(file: OpenFile, size: number): Promise<ByteSource | undefined> {
  if (size > MAX_UNPACKED_BYTES) return undefined;
  const packed = Buffer.alloc(size);
  const content = gunzip(packed.subarray(0, await file.read(packed, 0)), MAX_UNPACKED_BYTES);
  if (content === undefined) return undefined;
  return {
    size: content.length,
    read: async (into, position) =>
      await Promise.resolve(content.subarray(position, position + into.length).copy(into)),
  };
}
