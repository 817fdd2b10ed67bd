/**
 * What tells two disks apart for whoever uses them: names, kinds, modes, contents, and which names are links to one
 * file. Not times, and not what a power loss could still take. The order in which names were made does not count.
 */

import { asBigInt, hashOfBytes, mixed, NO_HASH, type Hash64 } from "./hash64.ts";
import { ROOT_INODE, type SimulatedDisk } from "./simulated-disk.ts";
import type { Inode } from "./simulated-inode.ts";

const KINDS: Readonly<Record<Inode["kind"], number>> = { file: 1, directory: 2, socket: 3 };

/** Tells by its path whether something is left out, with all that is in it. */
export type IsLeftOut = (path: string) => boolean;

export function fingerprintDisk(disk: SimulatedDisk, isLeftOut?: IsLeftOut): bigint {
  const walk = new Walk(disk, isLeftOut);
  walk.visit(ROOT_INODE, NO_HASH, "");
  return walk.end();
}

class Walk {
  readonly #disk: SimulatedDisk;
  readonly #isLeftOut: IsLeftOut | undefined;
  /** By inode: the sum over the hashes of its names. */
  readonly #linked = new Map<number, Hash64>();
  #low = 0;
  #high = 0;

  constructor(disk: SimulatedDisk, isLeftOut: IsLeftOut | undefined) {
    this.#disk = disk;
    this.#isLeftOut = isLeftOut;
  }

  visit(number: number, hash: Hash64, path: string): void {
    const inode = this.#disk.inode(number);
    const { low, high } = inode.kind === "file" ? inode.seen.hash : NO_HASH;
    this.#add(mixed(hash, KINDS[inode.kind], inode.mode, low, high));
    if (inode.kind === "directory") {
      for (const [name, child] of inode.seen) {
        const childPath = this.#isLeftOut === undefined ? "" : `${path}/${name}`;
        if (this.#isLeftOut?.(childPath) === true) continue;
        const ofName = hashOfName(name);
        this.visit(child, mixed(hash, ofName.low, ofName.high), childPath);
      }
    } else if (inode.links > 1) {
      const others = this.#linked.get(number) ?? { low: 0, high: 0 };
      this.#linked.set(number, { low: (others.low + hash.low) | 0, high: (others.high + hash.high) | 0 });
    }
  }

  end(): bigint {
    for (const names of this.#linked.values()) this.#add(mixed(names));
    return asBigInt(mixed({ low: this.#low, high: this.#high }));
  }

  #add({ low, high }: Hash64): void {
    this.#low = (this.#low + low) | 0;
    this.#high = (this.#high + high) | 0;
  }
}

/** The same few names again and again. */
const REMEMBERED = 10_000;
const remembered = new Map<string, Hash64>();

function hashOfName(name: string): Hash64 {
  let hash = remembered.get(name);
  if (hash === undefined) {
    const bytes = Buffer.from(name);
    hash = hashOfBytes(bytes, bytes.length);
    if (remembered.size >= REMEMBERED) remembered.clear();
    remembered.set(name, hash);
  }
  return hash;
}
