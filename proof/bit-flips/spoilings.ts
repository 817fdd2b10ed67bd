/** The ways in which a file of a store is spoiled. Each is data, so that it can be told and done again. */

import type { SeededRandom } from "@longhand/store/testing";
import type { SampleFile, SampleStore } from "../damage/sample-store.ts";

export type Spoiling =
  | { readonly kind: "flip"; readonly offset: number; readonly bit: number }
  /** The file ends there. */
  | { readonly kind: "cut"; readonly length: number }
  /** A block of the disk reads as NULs. */
  | { readonly kind: "nuls"; readonly offset: number; readonly length: number }
  /** It is not there, and what follows has moved up. */
  | { readonly kind: "lost"; readonly offset: number; readonly length: number };

export interface PlacedSpoiling {
  readonly store: SampleStore;
  readonly file: SampleFile;
  readonly spoiling: Spoiling;
}

const JOURNAL_HEAD_BYTES = 8192;
const SPACE = 0x20;
const ALL_BITS = [0, 1, 2, 3, 4, 5, 6, 7];
const BLOCK_SIZES = [64, 512, 4096];

/**
 * Every bit and every length of every file. Of the spaces that fill a journal's head every sixteenth has one bit flipped,
 * and it is cut at the borders of sectors; of leases and caches, which are alike, those of the first store are taken.
 */
export function* everySpoiling(stores: readonly SampleStore[]): Iterable<PlacedSpoiling> {
  for (const store of stores) {
    for (const file of store.files) {
      if (store !== stores[0] && isAlike(file)) continue;
      const { length } = file.bytes;
      for (let offset = 0; offset < length; offset++) {
        const isFilling =
          file.path.endsWith(".journal") && offset < JOURNAL_HEAD_BYTES && file.bytes[offset] === SPACE;
        const bits = isFilling ? (offset % 16 === 0 ? [(offset / 16) % 8] : []) : ALL_BITS;
        for (const bit of bits) yield { store, file, spoiling: { kind: "flip", offset, bit } };
        if (!isFilling || offset % 512 === 0)
          yield { store, file, spoiling: { kind: "cut", length: offset } };
      }
      for (const size of BLOCK_SIZES) {
        for (let offset = 0; offset < length; offset += size) {
          const block = { offset, length: Math.min(size, length - offset) };
          yield { store, file, spoiling: { kind: "nuls", ...block } };
          yield { store, file, spoiling: { kind: "lost", ...block } };
        }
      }
    }
  }
}

function isAlike({ path }: SampleFile): boolean {
  return path.includes("/.longhand/leases/") || path.includes("/.longhand/cache/");
}

export function spoil(bytes: Buffer, spoiling: Spoiling): Buffer {
  const spoiled = Buffer.from(bytes);
  switch (spoiling.kind) {
    case "flip":
      spoiled[spoiling.offset] = (spoiled[spoiling.offset] ?? 0) ^ (1 << spoiling.bit);
      return spoiled;
    case "cut":
      return spoiled.subarray(0, spoiling.length);
    case "nuls":
      return spoiled.fill(0, spoiling.offset, spoiling.offset + spoiling.length);
    case "lost": {
      const { offset, length } = spoiling;
      return Buffer.concat([spoiled.subarray(0, offset), spoiled.subarray(offset + length)]);
    }
  }
}

export function tellSpoiling({ store, file, spoiling }: PlacedSpoiling): string {
  const { length } = file.bytes;
  const where = `${file.path} (${length} bytes) of the store "${store.name}"`;
  switch (spoiling.kind) {
    case "flip":
      return `bit ${spoiling.bit} of byte ${spoiling.offset} flipped in ${where}, in ${deps(file.bytes, spoiling.offset)}`;
    case "cut":
      return `${where} cut to ${spoiling.length} bytes, in ${deps(file.bytes, spoiling.length)}`;
    case "nuls":
      return `${spoiling.length} NULs from byte ${spoiling.offset} on in ${where}`;
    case "lost":
      return `${spoiling.length} bytes lost from byte ${spoiling.offset} on in ${where}`;
  }
}

function deps(bytes: Buffer, offset: number): string {
  return JSON.stringify(bytes.toString("latin1", Math.max(0, offset - 12), offset + 12));
}

/** So many places by chance, in all files alike whatever their size, seven flips for each other kind. */
export function* someSpoilings(
  store: SampleStore,
  random: SeededRandom,
  count: number,
): Iterable<PlacedSpoiling> {
  const files = store.files.filter(({ bytes, owners }) => bytes.length > 0 && owners.size > 0);
  for (let index = 0; index < count; index++) {
    const file = files[random.below(files.length)];
    if (file === undefined) return;
    const offset = random.below(file.bytes.length);
    yield { store, file, spoiling: anySpoiling(file.bytes.length, offset, random) };
  }
}

function anySpoiling(size: number, offset: number, random: SeededRandom): Spoiling {
  const block = BLOCK_SIZES[random.below(BLOCK_SIZES.length)] ?? 512;
  const start = offset - (offset % block);
  const length = Math.min(block, size - start);
  switch (random.below(10)) {
    case 0:
      return { kind: "cut", length: offset };
    case 1:
      return { kind: "nuls", offset: start, length };
    case 2:
      return { kind: "lost", offset: start, length };
    default:
      return { kind: "flip", offset, bit: random.below(8) };
  }
}
