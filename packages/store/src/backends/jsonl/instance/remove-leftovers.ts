/** What dead instances have left half done: temporary files, sockets, marks, gates. Each carries its instance in its name. */

import { LonghandError } from "../../../errors.ts";
import type { Host } from "../../../host/host.ts";
import { removeDirectoryIfThere, removeIfThere } from "../../../host/small-files.ts";
import { TEMPORARY_PREFIX } from "../../../log/create-session.ts";
import { isId } from "../../../record/session-id.ts";
import type { Layout } from "../files/layout.ts";
import { removeStub, sessionOfStub } from "../files/session-stub.ts";
import type { Lease, Leases } from "../leases/leases.ts";
import type { Neighbours } from "../leases/neighbours.ts";
import { Patience } from "../leases/patience.ts";

const ID_LENGTH = 26;
const SOCKET = /^\.soc[k~]$/;

/** Only of instances that have no journal: whoever lives has one, or is just about to have one and makes up for it. */
export async function removeLeftovers(
  host: Host,
  layout: Layout,
  neighbours: Neighbours,
  leases: Leases,
): Promise<void> {
  const { files, processes } = host;
  const isLeftBy = async (instance: string): Promise<boolean> =>
    isId(instance) && (await neighbours.hasEnded(instance));
  for (const directory of [layout.directory, layout.leases, layout.journals]) {
    for (const name of await files.readDirectory(directory)) {
      if (!name.startsWith(TEMPORARY_PREFIX)) continue;
      const start = TEMPORARY_PREFIX.length;
      if (!(await isLeftBy(name.slice(start, start + ID_LENGTH)))) continue;
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
    if (ending === ".fence" || (await processes.probe(path)) === "refused") await removeIfThere(files, path);
  }
}

/** `undefined`: somebody has it, or waits for it. */
async function takeIfFree(host: Host, leases: Leases, key: string): Promise<Lease | undefined> {
  try {
    return await leases.take(key, new Patience(host, { milliseconds: 0 }));
  } catch (error) {
    if (error instanceof LonghandError && error.code === "SESSION_LOCKED") return undefined;
    throw error;
  }
}
