/**
 * What a simulated disk consists of. Each inode has what is *seen* (by every process, from the page cache) and what is
 * *durable*; between the two lie the changes no sync has covered yet. Inodes are values: a change makes a new one.
 */

import { FileBytes } from "./file-bytes.ts";

export type Inode = FileInode | DirectoryInode | SocketInode;

interface CommonInode {
  readonly mode: number;
  readonly modified: number;
  /** Names that are seen. */
  readonly links: number;
}

export interface FileInode extends CommonInode {
  readonly kind: "file";
  readonly seen: FileBytes;
  /** Without `unsynced`, and without what a failed sync has lost for good. */
  readonly durable: FileBytes;
  /** The newest first, as a list, so that captures share it. */
  readonly unsynced: UnsyncedChange | undefined;
  /** A sync has failed: `seen` holds bytes that no later sync makes durable. */
  readonly lossy: boolean;
}

/** Names are changed by NameChange (name-change.ts), which is also what a sync of a directory makes durable. */
export interface DirectoryInode extends CommonInode {
  readonly kind: "directory";
  readonly seen: Names;
  readonly durable: Names;
}

/** Its listener, if any, belongs to the machine, not to the disk. */
export interface SocketInode extends CommonInode {
  readonly kind: "socket";
}

/** To inode numbers. */
export type Names = ReadonlyMap<string, number>;

export type FileChange =
  | { readonly kind: "write"; readonly position: number; readonly bytes: Buffer }
  | { readonly kind: "truncate"; readonly length: number };

export interface UnsyncedChange {
  readonly change: FileChange;
  readonly previous: UnsyncedChange | undefined;
}

export function emptyFile(mode: number, modified: number): FileInode {
  const bytes = FileBytes.empty;
  return {
    kind: "file",
    mode,
    modified,
    links: 0,
    seen: bytes,
    durable: bytes,
    unsynced: undefined,
    lossy: false,
  };
}

/** A file that holds these bytes, all of them durable. */
export function withDurableBytes(file: FileInode, bytes: FileBytes): FileInode {
  return { ...file, seen: bytes, durable: bytes, unsynced: undefined, lossy: false };
}

export function changeFile(file: FileInode, change: FileChange, modified: number): FileInode {
  const seen = applyChange(file.seen, change);
  return { ...file, seen, modified, unsynced: { change, previous: file.unsynced } };
}

export function applyChange(bytes: FileBytes, change: FileChange): FileBytes {
  return change.kind === "write" ? bytes.write(change.bytes, change.position) : bytes.resize(change.length);
}

export function syncFile(file: FileInode): FileInode {
  if (file.unsynced === undefined) return file;
  const durable = file.lossy ? unsyncedChanges(file).reduce(applyChange, file.durable) : file.seen;
  return { ...file, durable, unsynced: undefined };
}

/** A failed sync: what waited for it stays seen and will never be durable. */
export function failFileSync(file: FileInode): FileInode {
  return file.unsynced === undefined ? file : { ...file, unsynced: undefined, lossy: true };
}

/** The oldest first. */
export function unsyncedChanges(file: FileInode): FileChange[] {
  const changes: FileChange[] = [];
  for (let entry = file.unsynced; entry !== undefined; entry = entry.previous) changes.push(entry.change);
  return changes.reverse();
}
