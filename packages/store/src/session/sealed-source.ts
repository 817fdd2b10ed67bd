/**
 * The bytes of a sealed file. A fork shares the file that its origin goes on writing to, and after a crash recovery puts the
 * origin's records at their places again: until that is synced, a second crash may spoil bytes that were on the disk before. The
 * journal still has them, so a reader lays them over, but only where the sum proves that the result is what was sealed.
 */

import type { OpenFile } from "../host/host.ts";
import { EMPTY_SUM } from "../format/checksum.ts";
import type { Header } from "../format/header.ts";
import { patchedSource, type ByteSource, type Patch } from "./byte-source.ts";
import { sumBytes } from "./sum-bytes.ts";

/** Acknowledged records of dead processes for a sealed file, by the session that wrote it and its number. */
export type SealedPatches = (file: Pick<Header, "id" | "file">) => Promise<readonly Patch[]>;

export interface SealedBytes {
  readonly bytes: number;
  readonly sum: string | undefined;
}

/** `patches`: acknowledged records of whoever wrote this file. */
export async function sealedSource(
  file: OpenFile,
  { bytes, sum }: SealedBytes,
  patches: readonly Patch[],
): Promise<ByteSource> {
  const { size } = await file.stat();
  const plain = patchedSource(file, size, []);
  const within = patches.filter((patch) => patch.offset + patch.bytes.length <= bytes);
  if (within.length === 0) return plain;
  const patched = patchedSource(file, size, within);
  return (await sumBytes(patched, EMPTY_SUM, 0, bytes)) === sum ? patched : plain;
}
