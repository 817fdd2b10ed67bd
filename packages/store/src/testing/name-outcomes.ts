/**
 * What a power loss may leave of the names: each change that is not durable is done or not done, any subset of them.
 * A change names inodes, so it can be done though the one it was built on was not: renamed from a name that never was.
 */

import { directoryIn, inodeIn } from "./inode-table.ts";
import { placeOf, type NameChange, type NameEdit } from "./name-change.ts";
import { ROOT_INODE, type DiskImage } from "./simulated-disk.ts";
import { withDurableBytes, type DirectoryInode, type Inode, type Names } from "./simulated-inode.ts";

/** What is reachable by names after a power loss, with the durable bytes of each file. */
export interface NameTree {
  /** Equal for two trees that differ in nothing but the contents of their files. */
  readonly shape: string;
  readonly inodes: ReadonlyMap<number, Inode>;
  /** The regular files, in an order that depends on the shape alone. */
  readonly files: readonly number[];
  readonly lost: readonly NameChange[];
}

type Edits = ReadonlyMap<string, NameEdit>;

interface NameOutcome {
  readonly edits: Edits;
  readonly lost: readonly NameChange[];
}

/** Each different tree once, the complete one first; `undefined` if there are more than `limit`. */
export function nameOutcomes(image: DiskImage, limit: number): readonly NameTree[] | undefined {
  let outcomes: NameOutcome[] = [{ edits: new Map(), lost: [] }];
  for (const change of image.nameChanges) {
    const next = new Map<string, NameOutcome>();
    for (const { edits, lost } of outcomes) {
      const kept = { edits: withChange(image, edits, change), lost };
      const choices = change.awaits.length === 0 ? [kept] : [kept, { edits, lost: [...lost, change] }];
      for (const choice of choices) {
        const key = keyOf(choice.edits);
        if (!next.has(key)) next.set(key, choice);
      }
      if (next.size > limit) return undefined;
    }
    outcomes = [...next.values()];
  }
  return outcomes.map(({ edits, lost }) => growTree(image, edits, lost));
}

/** With all changes but those in `lost`. */
export function nameTree(image: DiskImage, lost: ReadonlySet<NameChange>): NameTree {
  const edits = new Map<string, NameEdit>();
  for (const change of image.nameChanges) if (!lost.has(change)) addChange(image, edits, change);
  return growTree(image, edits, [...lost]);
}

function withChange(image: DiskImage, before: Edits, change: NameChange): Edits {
  const edits = new Map(before);
  addChange(image, edits, change);
  return edits;
}

/** Edits that change nothing against what is durable are left out, so that equal outcomes have equal edits. */
function addChange(image: DiskImage, edits: Map<string, NameEdit>, change: NameChange): void {
  for (const edit of change.edits) {
    const place = placeOf(edit);
    if (directoryIn(image.inodes, edit.directory).durable.get(edit.name) === edit.inode) edits.delete(place);
    else edits.set(place, edit);
  }
}

function keyOf(edits: Edits): string {
  return [...edits]
    .map(([place, { inode }]) => `${place}\0${inode ?? ""}`)
    .sort()
    .join("\0");
}

function growTree(image: DiskImage, edits: Edits, lost: readonly NameChange[]): NameTree {
  const changed = new Map<number, Map<string, number>>();
  for (const { directory, name, inode } of edits.values()) {
    const names = changed.get(directory) ?? new Map(directoryIn(image.inodes, directory).durable);
    changed.set(directory, names);
    if (inode === undefined) names.delete(name);
    else names.set(name, inode);
  }
  return new TreeWalk(image, changed).tree(lost);
}

class TreeWalk {
  readonly #image: DiskImage;
  readonly #changed: ReadonlyMap<number, Names>;
  readonly #inodes = new Map<number, Inode>();
  readonly #files: number[] = [];
  readonly #shape: string[] = [];

  constructor(image: DiskImage, changed: ReadonlyMap<number, Names>) {
    this.#image = image;
    this.#changed = changed;
  }

  tree(lost: readonly NameChange[]): NameTree {
    this.#visitDirectory(ROOT_INODE, directoryIn(this.#image.inodes, ROOT_INODE));
    return { shape: this.#shape.join("\0"), inodes: this.#inodes, files: this.#files, lost };
  }

  #visitDirectory(number: number, directory: DirectoryInode): void {
    const names = new Map<string, number>();
    // Before its entries: nothing below may be the directory itself.
    this.#inodes.set(number, { ...directory, seen: names, durable: names });
    const entries = this.#changed.get(number) ?? directory.durable;
    for (const name of [...entries.keys()].sort()) {
      const entry = entries.get(name);
      if (entry !== undefined && this.#visit(name, entry)) names.set(name, entry);
    }
    this.#shape.push("..");
  }

  /** Whether the name holds. A directory has one name: where a subset would give it a second, the first counts. */
  #visit(name: string, number: number): boolean {
    const before = this.#inodes.get(number);
    if (before?.kind === "directory") return false;
    if (before !== undefined) {
      this.#inodes.set(number, { ...before, links: before.links + 1 });
      this.#shape.push(`${name}\0again\0${this.#files.indexOf(number)}`);
      return true;
    }
    const inode = inodeIn(this.#image.inodes, number);
    this.#shape.push(`${name}\0${inode.kind}\0${inode.mode}`);
    if (inode.kind === "directory") {
      this.#visitDirectory(number, inode);
    } else if (inode.kind === "file") {
      this.#files.push(number);
      this.#inodes.set(number, { ...withDurableBytes(inode, inode.durable), links: 1 });
    } else {
      this.#inodes.set(number, { ...inode, links: 1 });
    }
    return true;
  }
}
