/** The inodes of a disk, by number. Copied only when it is changed after somebody was given it to keep. */

import type { DirectoryInode, FileInode, Inode } from "./simulated-inode.ts";

export class InodeTable {
  #inodes: ReadonlyMap<number, Inode>;
  /** The same map, while nobody else keeps it. */
  #own: Map<number, Inode> | undefined;
  #changes = 0;

  constructor(inodes: ReadonlyMap<number, Inode>) {
    this.#inodes = inodes;
  }

  /** Counts the changes. */
  get version(): number {
    return this.#changes;
  }

  /** Never changes any more. */
  share(): ReadonlyMap<number, Inode> {
    this.#own = undefined;
    return this.#inodes;
  }

  get(number: number): Inode {
    return inodeIn(this.#inodes, number);
  }

  file(number: number): FileInode {
    return fileIn(this.#inodes, number);
  }

  directory(number: number): DirectoryInode {
    return directoryIn(this.#inodes, number);
  }

  set(number: number, inode: Inode): void {
    if (this.#inodes.get(number) === inode) return;
    if (this.#own === undefined) this.#inodes = this.#own = new Map(this.#inodes);
    this.#own.set(number, inode);
    this.#changes += 1;
  }
}

export function inodeIn(inodes: ReadonlyMap<number, Inode>, number: number): Inode {
  const inode = inodes.get(number);
  if (inode === undefined) throw new Error(`the simulated disk has no inode ${number}`);
  return inode;
}

export function fileIn(inodes: ReadonlyMap<number, Inode>, number: number): FileInode {
  const inode = inodeIn(inodes, number);
  if (inode.kind !== "file") throw new Error(`inode ${number} of the simulated disk is no file`);
  return inode;
}

export function directoryIn(inodes: ReadonlyMap<number, Inode>, number: number): DirectoryInode {
  const inode = inodeIn(inodes, number);
  if (inode.kind !== "directory") throw new Error(`inode ${number} of the simulated disk is no directory`);
  return inode;
}
