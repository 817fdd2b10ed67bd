/**
 * The temporary directories of this process, some with a disk mounted in them. They are removed when it ends: by itself,
 * by an error that nobody caught, or by a signal that can be caught. The name of each says whose it is, for those who
 * come after a kill (stale-directories.ts).
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { SEARCHED } from "./missing-tool.ts";

/** Short, since the paths of sockets in these directories must be. */
export const NAME = "longhand-proof";
/** In a directory of ours: where its disk is mounted, if it has one. */
export const MOUNT_POINT = "disk";

const MOUNTS = "/proc/self/mounts";
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const directories = new Set<string>();
let isWatching = false;

export function makeOwnDirectory(): string {
  watchEnd();
  const directory = mkdtempSync(join(tmpdir(), directoryPrefix()));
  directories.add(directory);
  return directory;
}

export function removeOwnDirectory(directory: string): void {
  removeDirectory(directory);
  directories.delete(directory);
}

/** `NAME-PID-START-`: the pid, and when that process began, since pids are used again. */
export function directoryPrefix(): string {
  return `${NAME}-${process.pid}-${startOf(process.pid) ?? 0}-`;
}

/** In the kernel's own measure; `undefined`: there is no such process, or it cannot be told here. */
export function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

/** With its disk. Never through a mount: what could not be unmounted stays. */
export function removeDirectory(directory: string): void {
  const path = join(directory, MOUNT_POINT);
  const options = { env: { ...process.env, PATH: SEARCHED.join(":") } };
  if (isMounted(path)) spawnSync("umount", [path], options);
  // Somebody still has files open there: it goes with the last of them.
  if (isMounted(path)) spawnSync("umount", ["-l", path], options);
  if (!isMounted(path)) rmSync(directory, { recursive: true, force: true });
}

function isMounted(path: string): boolean {
  return existsSync(MOUNTS) && readFileSync(MOUNTS, "utf8").includes(` ${path} `);
}

function watchEnd(): void {
  if (isWatching) return;
  isWatching = true;
  process.on("exit", removeAll);
  for (const signal of SIGNALS) {
    process.once(signal, () => {
      removeAll();
      // As if nobody had listened, unless somebody else does.
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    });
  }
}

function removeAll(): void {
  for (const directory of directories) removeOwnDirectory(directory);
}
