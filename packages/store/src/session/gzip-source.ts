/**
 * A compressed segment as the bytes that were compressed. Members are decompressed when they are read, and a few are
 * kept.
 *
 * Damage costs its member only. What cannot be told reads as NULs with a newline at the end, so that the line behind it
 * is not glued to it; the reader of lines then names it like any other damaged line. How much a gap held is not written
 * anywhere: one gap is what is missing of `expectedBytes`, and several share that by their lengths in the file, so that
 * `size` is right and, between two gaps, offsets are a guess. Without `expectedBytes` a gap counts as long as it is in
 * the file.
 */

import type { SealedReason } from "../format/damage-reason.ts";
import type { OpenFile } from "../host/host.ts";
import type { ByteSource } from "./byte-source.ts";
import type { GzipDamage } from "./gzip-damage.ts";
import { indexMembers, type GzipPart } from "./gzip-index.ts";
import { decodeMember, decodeMemberBody, decodeMemberStart } from "./gzip-member.ts";
import { NEWLINE } from "../format/format.ts";

export interface GzipSource extends ByteSource {
  /** Breaks in the chain of headers from the start; damage inside a member once that member has been read. */
  readonly damage: readonly GzipDamage[];
}

interface Place {
  readonly part: GzipPart;
  readonly start: number;
  readonly bytes: number;
}

/** What is lost is read as NULs; a chain that says more than any sealed file holds does not make it more. */
const MAX_MISSING_BYTES = 512 * 1024 * 1024;

/** At least one member is kept, however long. */
const KEPT_BYTES = 2 * 1024 * 1024;

/**
 * `expectedBytes`: the uncompressed length, which the session's chain knows. A file that holds more is served whole.
 * `undefined`: not one member of ours is in it (another program's gzip, or none at all).
 */
export async function openGzipSource(
  file: OpenFile,
  expectedBytes: number | undefined,
): Promise<GzipSource | undefined> {
  const { size } = await file.stat();
  const parts = await indexMembers(file, size);
  if (parts.every(({ kind }) => kind === "gap")) return undefined;
  return new MemberSource(file, placesOf(parts, size, expectedBytes));
}

function placesOf(parts: readonly GzipPart[], fileSize: number, expectedBytes: number | undefined): Place[] {
  const known = parts.reduce((sum, part) => sum + (part.kind === "gap" ? 0 : part.bytes), 0);
  const missing =
    expectedBytes === undefined ? undefined : Math.min(MAX_MISSING_BYTES, Math.max(0, expectedBytes - known));
  const isShort = missing !== undefined && missing > 0 && !parts.some(({ kind }) => kind === "gap");
  const all = isShort ? [...parts, { kind: "gap", offset: fileSize, length: 0 } as const] : parts;
  const gaps = all.filter(({ kind }) => kind === "gap");
  let unplaced = missing ?? sumOf(gaps);
  let unshared = sumOf(gaps);
  let start = 0;
  return all.map((part) => {
    let bytes: number;
    if (part.kind === "gap") {
      bytes = part.length === unshared ? unplaced : Math.floor((unplaced * part.length) / unshared);
      unplaced -= bytes;
      unshared -= part.length;
    } else bytes = part.bytes;
    const place = { part, start, bytes };
    start += bytes;
    return place;
  });
}

const sumOf = (parts: readonly GzipPart[]): number => parts.reduce((sum, { length }) => sum + length, 0);

class MemberSource implements GzipSource {
  readonly size: number;
  readonly damage: GzipDamage[] = [];
  readonly #file: OpenFile;
  readonly #places: readonly Place[];
  readonly #reported = new Set<Place>();
  /** Oldest first. */
  readonly #kept = new Map<Place, Buffer>();

  constructor(file: OpenFile, places: readonly Place[]) {
    this.#file = file;
    this.#places = places;
    const last = places.at(-1);
    this.size = last === undefined ? 0 : last.start + last.bytes;
    for (const place of places) {
      const { kind, offset, length } = place.part;
      if (kind === "gap") this.#report(place, 0, gapReason(offset, length));
      if (kind === "mended") this.#report(place, place.bytes, { code: "gzip-header" });
    }
  }

  async read(into: Buffer, position: number): Promise<number> {
    const end = Math.min(this.size, position + into.length);
    for (let index = this.#indexAt(position), at = position; at < end; index++) {
      const place = this.#places[index];
      if (place === undefined) break;
      const stop = Math.min(end, place.start + place.bytes);
      if (stop <= at) continue;
      if (place.part.kind === "gap")
        fillLost(into, at - position, stop - position, stop === place.start + place.bytes);
      else (await this.#content(place)).copy(into, at - position, at - place.start, stop - place.start);
      at = stop;
    }
    return Math.max(0, end - position);
  }

  /** Of the last place that begins at or before the position. */
  #indexAt(position: number): number {
    let low = 0;
    for (let high = this.#places.length; high - low > 1;) {
      const middle = (low + high) >>> 1;
      if ((this.#places[middle]?.start ?? Infinity) <= position) low = middle;
      else high = middle;
    }
    return low;
  }

  async #content(place: Place): Promise<Buffer> {
    const content = this.#kept.get(place) ?? (await this.#decompress(place));
    this.#kept.delete(place);
    this.#kept.set(place, content);
    let total = 0;
    for (const { length } of this.#kept.values()) total += length;
    for (const [oldest, { length }] of this.#kept) {
      if (total <= KEPT_BYTES || oldest === place) break;
      this.#kept.delete(oldest);
      total -= length;
    }
    return content;
  }

  async #decompress(place: Place): Promise<Buffer> {
    const { kind, offset, length } = place.part;
    const member = Buffer.allocUnsafe(length);
    const whole = (await this.#file.read(member, offset)) === length ? member : Buffer.alloc(0);
    const content = kind === "mended" ? decodeMemberBody(whole) : decodeMember(whole);
    if (content?.length === place.bytes) return content;
    const beginning = kind === "cut" ? decodeMemberStart(whole, place.bytes) : Buffer.alloc(0);
    const code = kind === "cut" ? "gzip-cut" : "gzip-damaged";
    this.#report(place, beginning.length, { code, at: offset });
    const filled = Buffer.alloc(place.bytes);
    beginning.copy(filled);
    fillLost(filled, Math.min(beginning.length, filled.length), filled.length, true);
    return filled;
  }

  #report(place: Place, good: number, reason: SealedReason): void {
    if (this.#reported.has(place)) return;
    this.#reported.add(place);
    const { offset, length } = place.part;
    const compressed = { offset, bytes: length };
    this.damage.push({ offset: place.start + good, bytes: place.bytes - good, reason, compressed });
  }
}

function gapReason(offset: number, length: number): SealedReason {
  if (length === 0) return { code: "gzip-ends-early", at: offset };
  return { code: "gzip-gap", from: offset, to: offset + length };
}

function fillLost(into: Buffer, from: number, to: number, isEnd: boolean): void {
  into.fill(0, from, to);
  if (isEnd && to > from) into[to - 1] = NEWLINE;
}
