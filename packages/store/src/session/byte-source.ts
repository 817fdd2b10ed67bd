/** Bytes of a session file as a reader must see them: the file, with records laid over it that are not in it yet. */

import type { LostBefore } from "../format/lost-before.ts";
import type { Awaitable, OpenFile } from "../host/host.ts";

export interface Patch {
  readonly offset: number;
  readonly bytes: Buffer;
  /** The checksum of the line it was written after; `undefined`: it belongs there whatever is before it. */
  readonly after?: string | undefined;
  /** What the journal has lost of this file before this record. `undefined`: nothing. */
  readonly lostBefore?: LostBefore | undefined;
  /** The path of the dead process's journal that it is from. */
  readonly journal?: string;
}

/**
 * Acknowledged records that may not be in this file of a session yet. Without a key: those of every key that has this id, for a file whose
 * bytes are proven by a sum.
 */
export type PatchesOf = (file: {
  readonly id: string;
  readonly file: number;
  readonly key?: string;
  /** For the session's files before that one. */
  readonly isBefore?: boolean;
}) => readonly FilePatch[];

export interface FilePatch extends Patch {
  readonly file: number;
}

export interface ByteSource {
  readonly size: number;
  /** Fills `into` from `position` on; fewer bytes only at the end. */
  read(into: Buffer, position: number): Awaitable<number>;
}

/** More than a file and a batch hold: no crash leaves so much between the end of a file and a record of a journal. */
const MAX_HOLE_BYTES = 512 * 1024 * 1024;

/** Without those whose place is so far behind the end that only damage puts them there: nobody could read up to it. */
export function patchesInReach<P extends Patch>(fileSize: number, patches: readonly P[]): readonly P[] {
  const inReach = new Set<P>();
  let end = fileSize;
  for (const patch of patches.toSorted((one, other) => one.offset - other.offset)) {
    if (patch.offset > end + MAX_HOLE_BYTES) break;
    inReach.add(patch);
    end = Math.max(end, patch.offset + patch.bytes.length);
  }
  return patches.filter((patch) => inReach.has(patch));
}

/** The patches are acknowledged records at their own places: laid over in any order, however often, it is the same. */
export function patchedSource(file: OpenFile, fileSize: number, given: readonly Patch[]): ByteSource {
  const patches = patchesInReach(fileSize, given);
  const size = patches.reduce((end, { offset, bytes }) => Math.max(end, offset + bytes.length), fileSize);
  const complete = (into: Buffer, position: number, filled: number): number => {
    // What lies between the end of the file and a patch is a hole, as it would be on the disk.
    if (filled < into.length) into.fill(0, filled);
    for (const patch of patches) layOver(into, position, patch);
    return into.length;
  };
  return {
    size,
    read(buffer, position) {
      const into = buffer.subarray(0, Math.min(buffer.length, Math.max(0, size - position)));
      const filled = position < fileSize ? file.read(into, position) : 0;
      if (typeof filled === "number") return complete(into, position, filled);
      return filled.then((count) => complete(into, position, count));
    },
  };
}

function layOver(into: Buffer, position: number, { offset, bytes }: Patch): void {
  const start = Math.max(offset, position);
  const end = Math.min(offset + bytes.length, position + into.length);
  if (start < end) bytes.copy(into, start - position, start - offset, end - offset);
}
