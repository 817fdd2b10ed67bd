/**
 * A control group of Linux for one command: so many processes and so much memory for all of them together. It needs the right to
 * make groups, which root has, and users have where the system has delegated them; both versions of the interface are tried.
 */

import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pause } from "../kernel/pause.ts";
import { errorCode } from "./error-code.ts";

export interface ControlGroup {
  /** A process that writes its id into each of these is in it, with all its children. */
  readonly joinFiles: readonly string[];
  remove(): Promise<void>;
}

export interface GroupLimits {
  readonly processes: number;
  readonly memoryBytes: number;
}

const MOUNT = "/sys/fs/cgroup";

/** `undefined`: this process may not make one. */
export async function makeControlGroup(limits: GroupLimits): Promise<ControlGroup | undefined> {
  const own = await readFile("/proc/self/cgroup", "utf8").catch(() => "");
  const name = `longhand-${process.pid}-${randomBytes(6).toString("hex")}`;
  const processes = String(limits.processes);
  const memory = String(limits.memoryBytes);
  const unified = await makeAt(name, unifiedParents(own), { "pids.max": processes, "memory.max": memory });
  if (unified !== undefined) return group([unified]);
  const pids = await makeAt(name, parentsOf(own, "pids"), { "pids.max": processes });
  if (pids === undefined) return undefined;
  const memories = await makeAt(name, parentsOf(own, "memory"), { "memory.limit_in_bytes": memory });
  if (memories !== undefined) return group([pids, memories]);
  await rmdir(pids);
  return undefined;
}

/** Version 2: beside our own group, since a group with processes has no groups with limits in it; else at the top. */
function unifiedParents(own: string): readonly string[] {
  const path = /^0::(\/.*)$/m.exec(own)?.[1];
  return path === undefined
    ? []
    : [join(MOUNT, path, ".."), MOUNT].filter((parent) => parent.startsWith(MOUNT));
}

/** Version 1: in our own group of that controller; at the top where a container does not show it. */
function parentsOf(own: string, controller: string): readonly string[] {
  const path = new RegExp(`^\\d+:(?:[^:]*,)?${controller}(?:,[^:]*)?:(/.*)$`, "m").exec(own)?.[1];
  return path === undefined ? [] : [join(MOUNT, controller, path), join(MOUNT, controller)];
}

/** A process that is killed cannot remove its groups; they are empty, and whoever makes the next one does it. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const maker = /^longhand-(\d+)-[0-9a-f]{12}$/.exec(name)?.[1];
    if (maker === undefined || existsSync(`/proc/${maker}`)) continue;
    await rmdir(join(parent, name)).catch((error: unknown) => {
      // Somebody else was faster, its last process is still dying, or it is another user's.
      if (!["ENOENT", "EBUSY", "EPERM", "EACCES"].includes(errorCode(error) ?? "")) throw error;
    });
  }
}

async function makeAt(
  name: string,
  parents: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  for (const parent of parents) {
    const path = join(parent, name);
    try {
      await mkdir(path);
    } catch {
      // Not there, not ours, read-only: the next place, or none. Whether there is a limit is told by findSandbox.
      continue;
    }
    try {
      for (const [file, value] of Object.entries(settings))
        await writeFile(join(path, file), value, { flag: "r+" });
      await removeAbandoned(parent);
      return path;
    } catch {
      await rmdir(path);
    }
  }
  return undefined;
}

function group(paths: readonly string[]): ControlGroup {
  return {
    joinFiles: paths.map((path) => join(path, "cgroup.procs")),
    remove: async () => {
      for (const path of paths) await removeEmpty(path);
    },
  };
}

const TRIES = 50;
const PAUSE_MILLISECONDS = 20;

/** Processes that were killed leave their group a moment later. */
async function removeEmpty(path: string): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      await rmdir(path);
      return;
    } catch (error) {
      const isBusy = errorCode(error) === "EBUSY";
      if (!isBusy || tried === TRIES) throw error;
      await pause(PAUSE_MILLISECONDS);
    }
  }
}
