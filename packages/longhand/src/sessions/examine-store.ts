/** Looks at a store from all sides for `longhand doctor`: its directory, its sessions, who writes to it. */

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Damage, isLonghandError, openStore, type Store } from "@longhand/store";

export interface DirectoryFacts {
  readonly exists: boolean;
  readonly isDirectory: boolean;
  /** Such as "0700". */
  readonly mode: string;
  readonly owner: number;
  readonly isOwn: boolean;
  /** Session files that others than the owner may read or write. */
  readonly openFiles: readonly string[];
}

export interface ContentFacts {
  readonly sessions: number;
  readonly messages: number;
  readonly messagesInView: number;
  readonly bytes: number;
  readonly damage: readonly Damage[];
  /** Sessions, or the whole store, that could not be read, in the store's own words. */
  readonly failures: readonly string[];
}

export interface WriterFacts {
  /** "untried": there is no store yet that could be opened. */
  readonly state: "free" | "held" | "failed" | "untried";
  readonly owner?: string;
  readonly reason?: string;
}

const OTHERS = 0o077;

export async function examineDirectory(directory: string): Promise<DirectoryFacts> {
  if (!(await isThere(directory))) {
    return { exists: false, isDirectory: false, mode: "", owner: -1, isOwn: false, openFiles: [] };
  }
  const found = await stat(directory);
  return {
    exists: true,
    isDirectory: found.isDirectory(),
    mode: (found.mode & 0o7777).toString(8).padStart(4, "0"),
    owner: found.uid,
    isOwn: process.getuid === undefined || found.uid === process.getuid(),
    openFiles: found.isDirectory() ? await openFilesIn(directory) : [],
  };
}

async function openFilesIn(directory: string): Promise<string[]> {
  const open: string[] = [];
  for (const name of await readdir(directory)) {
    if (!name.endsWith(".jsonl")) continue;
    if (((await stat(join(directory, name))).mode & OTHERS) !== 0) open.push(name);
  }
  return open;
}

/** Reads every record, so that all damage is met. Takes no lock. */
export async function examineContent(
  directory: string,
  report: (key: string, sessions: number) => void,
): Promise<ContentFacts> {
  const damage = new Map<string, Damage>();
  const failures: string[] = [];
  let [sessions, messages, messagesInView, bytes] = [0, 0, 0, 0];
  const examine = async (store: Store): Promise<void> => {
    for await (const info of store.list()) {
      report(info.key, ++sessions);
      messagesInView += info.count;
      bytes += info.bytes;
      await orFailure(failures, async () => {
        for await (const record of store.session(info.key).records()) if (record.op === undefined) messages++;
      });
    }
  };
  await orFailure(failures, async () => {
    const store = await openStore(directory, {
      readOnly: true,
      onDamage: (found) => void damage.set(`${found.file}\0${found.offset}`, found),
      onError: ({ message }) => void failures.push(message),
    });
    try {
      await examine(store);
    } finally {
      await store.close();
    }
  });
  return { sessions, messages, messagesInView, bytes, damage: [...damage.values()], failures };
}

/** By trying: opens for writing and closes at once. Never makes a store out of a directory that is none. */
export async function examineWriter(directory: string): Promise<WriterFacts> {
  if (!(await isThere(join(directory, ".longhand")))) return { state: "untried" };
  try {
    const store = await openStore(directory, { onDamage: () => undefined, onError: () => undefined });
    await store.close();
    return { state: "free" };
  } catch (error) {
    if (!isLonghandError(error)) throw error;
    if (error.code !== "SESSION_LOCKED") return { state: "failed", reason: error.message };
    const owner = describeOwner(error.detail);
    return { state: "held", ...(owner === undefined ? {} : { owner }) };
  }
}

function describeOwner({ pid, host, since }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof pid !== "number") return undefined;
  const where = typeof host === "string" ? ` on ${host}` : "";
  return `process ${pid}${where}${typeof since === "string" ? ` since ${since}` : ""}`;
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}

async function orFailure(failures: string[], attempt: () => Promise<void>): Promise<void> {
  try {
    await attempt();
  } catch (error) {
    if (!isLonghandError(error)) throw error;
    failures.push(error.message);
  }
}
