import type { FileStat } from "./host.ts";

/** Two names of one file, or one name at two moments. What is not there is not the same as anything. */
export function isSameFile(one: FileStat | undefined, other: FileStat | undefined): boolean {
  return one !== undefined && one.inode === other?.inode && one.device === other.device;
}
