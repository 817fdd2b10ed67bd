/** Bytes of a session file as a reader must see them: the file, with records laid over it that are not in it yet. */

import type { OpenFile } from "../host/host.ts";

export interface Patch {
  readonly offset: number;
  readonly bytes: Buffer;
}

export interface ByteSource {
  readonly size: number;
  /** Fills `into` from `position` on; fewer bytes only at the end. */
  read(into: Buffer, position: number): Promise<number>;
}

/** The patches are acknowledged records at their own places: laid over in any order, however often, it is the same. */
export function patchedSource(file: OpenFile, fileSize: number, patches: readonly Patch[]): ByteSource {
  const size = patches.reduce((end, { offset, bytes }) => Math.max(end, offset + bytes.length), fileSize);
  return {
    size,
    async read(into, position) {
      const wanted = Math.min(into.length, Math.max(0, size - position));
      const filled = position < fileSize ? await file.read(into.subarray(0, wanted), position) : 0;
      // What lies between the end of the file and a patch is a hole, as it would be on the disk.
      into.fill(0, filled, wanted);
      for (const patch of patches) layOver(into.subarray(0, wanted), position, patch);
      return wanted;
    },
  };
}

function layOver(into: Buffer, position: number, { offset, bytes }: Patch): void {
  const start = Math.max(offset, position);
  const end = Math.min(offset + bytes.length, position + into.length);
  if (start < end) bytes.copy(into, start - position, start - offset, end - offset);
}
