/** What dead instances have left half done: temporary files, sockets, marks, gates. Each carries its instance in its name. */

import { LonghandError } from "../../errors.ts";
import type { Host } from "../../host/host.ts";
import { removeDirectoryIfThere, removeIfThere } from "../../host/small-files.ts";
import { isId } from "../../format/session-id.ts";
import { type Layout, TEMPORARY_PREFIX } from "../../format/layout.ts";
import { removeStub, sessionOfStub } from "../files/session-stub.ts";
import type { Lease, Leases } from "../../lease/leases.ts";
import type { OtherInstances } from "../../lease/other-instances.ts";
import { Deadline } from "../../lease/deadline.ts";

const ID_LENGTH = 26;
const SOCKET = /^\.soc[k~]$/;

export interface LeftoverDeps {
  readonly host: Host;
  readonly layout: Layout;
  readonly otherInstances: OtherInstances;
  readonly leases: Leases;
}

/**
 * Only of instances that have no journal: whoever lives has one, or is just about to have one and makes up for it. Looks into
 * the store's own directories, never at the sessions: their number does not matter.
 */
export async function removeLeftovers(deps: LeftoverDeps): Promise<void> {
  const { files, processes } = deps.host;
  const { layout } = deps;
  for (const directory of [layout.temporary, layout.leases, layout.journals])
    await removeTemporaryFiles(deps, directory, await files.readDirectory(directory));
  const isLeftBy = async (instance: string): Promise<boolean> => await hasEnded(deps, instance);
  const removable: string[] = [];
  for (const name of await files.readDirectory(layout.journals)) {
    const ending = name.slice(ID_LENGTH);
    if (!SOCKET.test(ending) && ending !== ".fence" && ending !== ".gate") continue;
    if (!(await isLeftBy(name.slice(0, ID_LENGTH)))) continue;
    const path = `${layout.journals}/${name}`;
    if (ending === ".gate") {
      await removeDirectoryIfThere(files, path);
      continue;
    }
    // One that is being opened listens before it has a journal.
    if (ending === ".fence" || (await processes.probe(path)) === "refused") removable.push(path);
  }
  if (removable.length === 0) return;
  // That the journals are gone must be durable first: one that a power loss brings back needs these as a proof of death.
  await files.syncDirectory(layout.journals);
  for (const path of removable) await removeIfThere(files, path);
}

/** Those among `names`, which are in `directory`, that dead instances have left. */
export async function removeTemporaryFiles(
  deps: LeftoverDeps,
  directory: string,
  names: readonly string[],
): Promise<void> {
  const { host, layout, leases } = deps;
  const { files } = host;
  for (const name of names) {
    if (!name.startsWith(TEMPORARY_PREFIX)) continue;
    const start = TEMPORARY_PREFIX.length;
    if (!(await hasEnded(deps, name.slice(start, start + ID_LENGTH)))) continue;
    const path = `${directory}/${name}`;
    const sessionId = sessionOfStub(name);
    if (sessionId === undefined) {
      await removeIfThere(files, path);
      continue;
    }
    await removeStub(files, layout, { path, sessionId }, async (key, work) => {
      const lease = await takeIfFree(host, leases, key);
      if (lease !== undefined) await work().finally(async () => await lease.giveUp());
    });
  }
}

async function hasEnded({ otherInstances }: LeftoverDeps, instance: string): Promise<boolean> {
  return isId(instance) && (await otherInstances.hasEnded(instance));
}

/** `undefined`: somebody has it, or waits for it. */
async function takeIfFree(host: Host, leases: Leases, key: string): Promise<Lease | undefined> {
  try {
    return await leases.take(key, new Deadline(host, { milliseconds: 0 }));
  } catch (error) {
    if (error instanceof LonghandError && error.code === "SESSION_LOCKED") return undefined;
    throw error;
  }
}
