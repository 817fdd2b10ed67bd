/**
 * A disk in memory that knows what a power loss could take from it. Calls take effect at once and in order; failures
 * are thrown as Node's, with the codes of Linux. Paths are absolute; there are no symbolic links. What is changed is
 * replaced, never altered, so an image costs nothing and later changes do not show in it.
 */

import type { FileBytes } from "./file-bytes.ts";
import { InodeTable } from "./inode-table.ts";
import { failNameSync, syncNames, type NameChange, type NameEdit } from "./name-change.ts";
import { isInside, leftAgain, pathNames } from "./path-names.ts";
import {
  changeFile,
  emptyFile,
  failFileSync,
  syncFile,
  type DirectoryInode,
  type Inode,
  type Names,
} from "./simulated-inode.ts";
import { systemError } from "./system-error.ts";

export const ROOT_INODE = 1;

export interface DiskImage {
  readonly inodes: ReadonlyMap<number, Inode>;
  readonly nameChanges: readonly NameChange[];
  readonly nextInode: number;
}

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
const MAX_NAME_BYTES = 255;

const NO_NAMES: Names = new Map<string, number>();

const EMPTY_IMAGE: DiskImage = {
  inodes: new Map([[ROOT_INODE, emptyDirectory(0)]]),
  nameChanges: [],
  nextInode: ROOT_INODE + 1,
};

interface Place {
  readonly directory: number;
  readonly name: string;
}

export class SimulatedDisk {
  readonly #inodes: InodeTable;
  #nameChanges: readonly NameChange[];
  #nextInode: number;
  #nameSyncs = 0;
  /** Nobody else has got them yet: they may be changed in place. */
  readonly #ownNames = new Set<Names>();

  constructor(image: DiskImage = EMPTY_IMAGE) {
    this.#inodes = new InodeTable(image.inodes);
    this.#nameChanges = image.nameChanges;
    this.#nextInode = image.nextInode;
  }

  /** Another number: something seen or durable may be different. */
  get version(): number {
    return this.#inodes.version + this.#nameSyncs;
  }

  image(): DiskImage {
    this.#ownNames.clear();
    return { inodes: this.#inodes.share(), nameChanges: this.#nameChanges, nextInode: this.#nextInode };
  }

  inode(number: number): Inode {
    return this.#inodes.get(number);
  }

  /** `undefined`: there is nothing. ENOTDIR where a file is used as a directory. */
  find(path: string, syscall: string): number | undefined {
    const names = pathNames(path, syscall);
    if (!this.#hasLeftAgain(path, syscall)) return undefined;
    return this.#walk(names, names.length, syscall, path);
  }

  /** ENOENT if there is nothing. */
  get(path: string, syscall: string): number {
    const number = this.find(path, syscall);
    if (number === undefined) throw systemError("ENOENT", syscall, path);
    return number;
  }

  namesIn(path: string): string[] {
    return [...this.#namesOf(this.get(path, "scandir"), "scandir", path).keys()];
  }

  createFile(path: string, now: number): number {
    const place = this.#freePlace(path, "open", "EEXIST");
    return this.#add(place, emptyFile(FILE_MODE, now), `create ${path}`);
  }

  createSocket(path: string, now: number): number {
    const place = this.#freePlace(path, "listen", "EADDRINUSE");
    return this.#add(
      place,
      { kind: "socket", mode: FILE_MODE, modified: now, links: 0 },
      `create socket ${path}`,
    );
  }

  createDirectory(path: string, now: number): number {
    const place = this.#freePlace(path, "mkdir", "EEXIST");
    return this.#add(place, emptyDirectory(now), `make directory ${path}`);
  }

  link(from: string, to: string): void {
    const inode = this.get(from, "link");
    const place = this.#freePlace(to, "link", "EEXIST");
    if (this.#inodes.get(inode).kind === "directory") throw systemError("EPERM", "link", from);
    this.#changeNames([{ ...place, inode }], `link ${from} to ${to}`);
  }

  unlink(path: string): void {
    const place = this.#place(path, "unlink");
    const inode = this.#lookUp(place, "unlink", path);
    if (inode === undefined) throw systemError("ENOENT", "unlink", path);
    if (this.#inodes.get(inode).kind === "directory") throw systemError("EISDIR", "unlink", path);
    this.#changeNames([{ ...place, inode: undefined }], `unlink ${path}`);
  }

  removeDirectory(path: string): void {
    const place = this.#place(path, "rmdir");
    const inode = this.#lookUp(place, "rmdir", path);
    if (inode === undefined) throw systemError("ENOENT", "rmdir", path);
    if (this.#namesOf(inode, "rmdir", path).size > 0) throw systemError("ENOTEMPTY", "rmdir", path);
    this.#changeNames([{ ...place, inode: undefined }], `rmdir ${path}`);
  }

  rename(from: string, to: string): void {
    const source = this.#place(from, "rename");
    const target = this.#place(to, "rename");
    const inode = this.#lookUp(source, "rename", from);
    if (inode === undefined) throw systemError("ENOENT", "rename", from);
    const replaced = this.#lookUp(target, "rename", to);
    if (inode === replaced) return;
    const movesDirectory = this.#inodes.get(inode).kind === "directory";
    if (movesDirectory && isInside(to, from)) throw systemError("EINVAL", "rename", from);
    if (isInside(from, to)) throw systemError("ENOTEMPTY", "rename", to);
    if (replaced !== undefined) this.#checkReplaceable(replaced, movesDirectory, to);
    this.#changeNames(
      [
        { ...source, inode: undefined },
        { ...target, inode },
      ],
      `rename ${from} to ${to}`,
    );
  }

  syncDirectory(path: string): void {
    const { settled, pending } = syncNames(this.#nameChanges, this.#directoryAt(path));
    for (const edit of settled) this.#edit(edit, "durable");
    this.#nameChanges = pending;
    this.#nameSyncs += 1;
  }

  failDirectorySync(path: string): void {
    this.#nameChanges = failNameSync(this.#nameChanges, this.#directoryAt(path));
    this.#nameSyncs += 1;
  }

  bytesOf(file: number): FileBytes {
    return this.#inodes.file(file).seen;
  }

  /** Keeps a copy of the bytes. */
  write(file: number, bytes: Buffer, position: number, now: number): void {
    const change = { kind: "write", position, bytes: Buffer.from(bytes) } as const;
    if (bytes.length > 0) this.#inodes.set(file, changeFile(this.#inodes.file(file), change, now));
  }

  truncate(file: number, length: number, now: number): void {
    this.#inodes.set(file, changeFile(this.#inodes.file(file), { kind: "truncate", length }, now));
  }

  makePrivate(file: number): void {
    this.#inodes.set(file, { ...this.#inodes.file(file), mode: FILE_MODE });
  }

  sync(file: number): void {
    this.#inodes.set(file, syncFile(this.#inodes.file(file)));
  }

  failSync(file: number): void {
    this.#inodes.set(file, failFileSync(this.#inodes.file(file)));
  }

  #add(place: Place, inode: Inode, text: string): number {
    const number = this.#nextInode;
    this.#nextInode += 1;
    this.#inodes.set(number, inode);
    this.#changeNames([{ ...place, inode: number }], text);
    return number;
  }

  #changeNames(edits: readonly NameEdit[], text: string): void {
    for (const edit of edits) {
      const replaced = this.#inodes.directory(edit.directory).seen.get(edit.name);
      this.#edit(edit, "seen");
      if (replaced !== undefined) this.#countLinks(replaced, -1);
      if (edit.inode !== undefined) this.#countLinks(edit.inode, 1);
    }
    const awaits = [...new Set(edits.map(({ directory }) => directory))];
    this.#nameChanges = [...this.#nameChanges, { edits, awaits, text }];
  }

  #edit({ directory, name, inode }: NameEdit, which: "seen" | "durable"): void {
    const before = this.#inodes.directory(directory);
    const names = this.#changeable(before[which]);
    if (inode === undefined) names.delete(name);
    else names.set(name, inode);
    this.#inodes.set(
      directory,
      // Its time moves with its names, as far as telling two moments apart goes.
      which === "seen"
        ? { ...before, seen: names, modified: before.modified + 1 }
        : { ...before, durable: names },
    );
  }

  #changeable(names: Names): Map<string, number> {
    if (this.#ownNames.has(names)) return names as Map<string, number>;
    const own = new Map(names);
    this.#ownNames.add(own);
    return own;
  }

  #countLinks(number: number, by: number): void {
    const inode = this.#inodes.get(number);
    this.#inodes.set(number, { ...inode, links: inode.links + by });
  }

  #place(path: string, syscall: string, ofRoot = "EBUSY"): Place {
    const names = pathNames(path, syscall);
    const name = names.at(-1);
    if (name === undefined) throw systemError(ofRoot, syscall, path);
    const directory = this.#walk(names, names.length - 1, syscall, path);
    if (directory === undefined || !this.#hasLeftAgain(path, syscall))
      throw systemError("ENOENT", syscall, path);
    this.#namesOf(directory, syscall, path);
    return { directory, name };
  }

  #freePlace(path: string, syscall: string, taken: string): Place {
    const place = this.#place(path, syscall, taken);
    if (this.#lookUp(place, syscall, path) !== undefined) throw systemError(taken, syscall, path);
    return place;
  }

  /** Along the first `count` of the names. */
  #walk(names: readonly string[], count: number, syscall: string, path: string): number | undefined {
    let number: number | undefined = ROOT_INODE;
    for (let index = 0; index < count && number !== undefined; index += 1) {
      number = this.#child(number, names[index] ?? "", syscall, path);
    }
    return number;
  }

  #hasLeftAgain(path: string, syscall: string): boolean {
    return leftAgain(path).every((directory) => this.find(directory, syscall) !== undefined);
  }

  #lookUp({ directory, name }: Place, syscall: string, path: string): number | undefined {
    return this.#child(directory, name, syscall, path);
  }

  #child(directory: number, name: string, syscall: string, path: string): number | undefined {
    const names = this.#namesOf(directory, syscall, path);
    if (isTooLong(name)) throw systemError("ENAMETOOLONG", syscall, path);
    return names.get(name);
  }

  #checkReplaceable(target: number, byDirectory: boolean, path: string): void {
    const inode = this.#inodes.get(target);
    if (inode.kind !== "directory") {
      if (byDirectory) throw systemError("ENOTDIR", "rename", path);
      return;
    }
    if (!byDirectory) throw systemError("EISDIR", "rename", path);
    if (inode.seen.size > 0) throw systemError("ENOTEMPTY", "rename", path);
  }

  #directoryAt(path: string): number {
    const number = this.get(path, "open");
    this.#namesOf(number, "open", path);
    return number;
  }

  #namesOf(number: number, syscall: string, path: string): Names {
    const inode = this.#inodes.get(number);
    if (inode.kind !== "directory") throw systemError("ENOTDIR", syscall, path);
    return inode.seen;
  }
}

function emptyDirectory(modified: number): DirectoryInode {
  return { kind: "directory", mode: DIRECTORY_MODE, modified, links: 0, seen: NO_NAMES, durable: NO_NAMES };
}

/** A character takes at most 3 bytes for each of its units. */
function isTooLong(name: string): boolean {
  return name.length * 3 > MAX_NAME_BYTES && Buffer.byteLength(name) > MAX_NAME_BYTES;
}
