/**
 * Who has a store's directory open for writing, and which sessions each of them holds, for a person who asks. Reads only,
 * but for `declareDead`: so somebody who knows it says that an instance has ended whose end cannot be proven from here.
 */

import { resolve } from "node:path";
import { LonghandError } from "../errors.ts";
import type { FileSystem, Host } from "../host/host.ts";
import { ioError } from "../host/io-error.ts";
import { namesIn } from "../host/names-in.ts";
import { nodeHost } from "../host/node-host.ts";
import { placeMark, readWholeFile, removeDirectoryIfThere } from "../host/small-files.ts";
import { readJournal } from "../wal/read-journal.ts";
import { SESSION_SUFFIX } from "../format/key.ts";
import { isId } from "../format/session-id.ts";
import { linklessHost } from "./files/linkless-files.ts";
import { tryReadHeader } from "./files/find-session-file.ts";
import type { Liveness } from "../lease/liveness-rule.ts";
import {
  fencePath,
  gatePath,
  journalPath,
  layoutOf,
  leaseNameOf,
  type Layout,
  isLeaseName,
  type LeaseName,
} from "../format/layout.ts";
import { LeaseFiles } from "../lease/lease-files.ts";
import { listInstances, OtherInstances } from "../lease/other-instances.ts";

/** One opening of the store. Where its journal does not say who it is, `pid`, `host` and `since` are missing. */
export interface StoreOwner {
  readonly instance: string;
  readonly pid?: number;
  readonly host?: string;
  readonly since?: string;
  readonly liveness: Liveness;
  /** What of it is not yet known to be in the sessions' own files is among these. */
  readonly journalBytes: number;
  /** The sessions that only it may write to. */
  readonly holds: readonly LeaseInfo[];
}

export interface LeaseInfo {
  /** Of its file, without the ending. */
  readonly name: string;
  /** `undefined`: there is no such session yet, or its file does not say. */
  readonly key: string | undefined;
  readonly since: string;
}

/** More than a journal grows to. */
const MAX_JOURNAL_BYTES = 64 * 1024 * 1024;
const SHARD = /^[0-9a-f]{2}$/;
const EPOCH = /^(.+)\.([1-9][0-9]{0,14})$/;

/** Those that have not ended properly: the running, the dead whose journal nobody has taken over yet, and the unclear. */
export async function findOwners(
  directory: string,
  outside: Host = nodeHost,
): Promise<readonly StoreOwner[]> {
  const layout = layoutOf(resolve(directory));
  const host = linklessHost(outside, layout);
  try {
    const otherInstances = new OtherInstances(host, layout);
    const held = new Map<string, LeaseInfo[]>();
    const owners: StoreOwner[] = [];
    for (const instance of await listInstances(host.files, layout)) {
      const { liveness, owner } = await otherInstances.look(instance);
      if (liveness === "ended") continue;
      const holds: LeaseInfo[] = [];
      held.set(instance, holds);
      owners.push({
        instance,
        ...(owner === undefined ? {} : { pid: owner.pid, host: owner.host, since: owner.since }),
        liveness,
        journalBytes: await usedBytes(host.files, journalPath(layout, instance)),
        holds,
      });
    }
    // Leases stay when their holder ends: there are as many as there were ever sessions.
    if (owners.length > 0) await readLeases(host.files, layout, held);
    return owners;
  } catch (error) {
    throw ioError(error, "looking for who has the store open", layout.directory);
  }
}

/** Up to the end of its last block: behind that lie zeros, or blocks of an earlier generation. */
async function usedBytes(files: FileSystem, path: string): Promise<number> {
  const bytes = await readWholeFile(files, path, MAX_JOURNAL_BYTES).catch(() => undefined);
  return bytes === undefined ? 0 : (readJournal(bytes)?.end ?? bytes.length);
}

/** Who may write to this session now. `undefined`: nobody, it is free. */
export async function findOwnerOf(
  directory: string,
  key: string,
  host: Host = nodeHost,
): Promise<StoreOwner | undefined> {
  const name = leaseNameOf(key);
  const owners = await findOwners(directory, host);
  return owners.find(({ holds }) => holds.some((held) => held.name === name));
}

/**
 * From now on this instance counts as dead: the next writer takes over its journal, and then what it held. If it lives
 * after all, its next write fails, since it looks for this mark before it answers. SESSION_LOCKED if it is proven alive.
 */
export async function declareDead(
  directory: string,
  instance: string,
  outside: Host = nodeHost,
): Promise<void> {
  const layout = layoutOf(resolve(directory));
  const host = linklessHost(outside, layout);
  if (!isId(instance)) return;
  const { liveness, owner } = await new OtherInstances(host, layout).look(instance);
  if (liveness === "ended") return;
  if (liveness === "alive") {
    throw new LonghandError(
      "SESSION_LOCKED",
      `process ${owner?.pid ?? "unknown"} has ${layout.directory} open for writing and is running; stop it instead`,
      { directory: layout.directory, pid: owner?.pid, host: owner?.host, since: owner?.since, liveness },
    );
  }
  try {
    await placeMark(host.files, fencePath(layout, instance));
    await removeDirectoryIfThere(host.files, gatePath(layout, instance));
  } catch (error) {
    throw ioError(error, "declaring a process dead", fencePath(layout, instance));
  }
}

/** Adds to each of these instances what it holds. A lease of any other is free. */
async function readLeases(
  files: FileSystem,
  layout: Layout,
  held: ReadonlyMap<string, LeaseInfo[]>,
): Promise<void> {
  const leases = new LeaseFiles(files, layout, "");
  for (const shard of await namesIn(files, layout.leases)) {
    if (!SHARD.test(shard)) continue;
    const names = await namesIn(files, `${layout.leases}/${shard}`);
    for (const [name, epoch] of newestEpochs(names)) {
      const holder = await leases.readHolder(name, epoch);
      const holds = holder.kind === "held" ? held.get(holder.instance) : undefined;
      if (holder.kind !== "held" || holds === undefined) continue;
      holds.push({ name, key: await keyOf(files, layout, name), since: holder.since });
    }
  }
}

/** Of sessions only: who takes over a dead instance has a lease as well. */
function newestEpochs(names: readonly string[]): ReadonlyMap<LeaseName, number> {
  const newest = new Map<LeaseName, number>();
  for (const entry of names) {
    const [, name, epoch] = EPOCH.exec(entry) ?? [];
    if (name === undefined || !isLeaseName(name)) continue;
    newest.set(name, Math.max(newest.get(name) ?? 0, Number(epoch)));
  }
  return newest;
}

async function keyOf(files: FileSystem, { directory }: Layout, name: string): Promise<string | undefined> {
  // Whose file it is that we may not read is not ours to know; who holds it is.
  const path = `${directory}/${name}${SESSION_SUFFIX}`;
  const key = (await tryReadHeader(files, path, () => undefined))?.key;
  // A key that has another name is another session's: the file is a copy.
  return key !== undefined && leaseNameOf(key) === name ? key : undefined;
}
