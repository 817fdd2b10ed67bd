/** A listing for failure messages: every name that is seen, and what is not durable. */

import { posix } from "node:path";
import { ROOT_INODE, type DiskImage } from "./simulated-disk.ts";
import { unsyncedChanges, type Inode } from "./simulated-inode.ts";

export function describeDisk(image: DiskImage): string {
  const lines = describeNames(image, "/", ROOT_INODE);
  const changes = image.nameChanges
    .filter(({ awaits }) => awaits.length > 0)
    .map(({ text }) => `not durable: ${text}`);
  return [...lines, ...changes].join("\n");
}

function describeNames(image: DiskImage, path: string, number: number): string[] {
  const inode = image.inodes.get(number);
  if (inode?.kind !== "directory") return [];
  return [...inode.seen].sort().flatMap(([name, child]) => {
    const childPath = posix.join(path, name);
    return [
      `${childPath}  #${child} ${describeInode(image.inodes.get(child))}`,
      ...describeNames(image, childPath, child),
    ];
  });
}

function describeInode(inode: Inode | undefined): string {
  if (inode?.kind !== "file") return inode?.kind ?? "missing";
  const unsynced = unsyncedChanges(inode).length;
  const notes = [
    `${inode.seen.size} bytes`,
    ...(unsynced === 0 ? [] : [`${unsynced} changes not durable`]),
    ...(inode.lossy ? ["a sync failed"] : []),
  ];
  return notes.join(", ");
}
