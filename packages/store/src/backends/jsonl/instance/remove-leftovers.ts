/** What dead instances have left half done: temporary files, sockets, marks. Each carries its instance in its name. */

import type { Host } from "../../../host/host.ts";
import { removeIfThere } from "../../../host/small-files.ts";
import { TEMPORARY_PREFIX } from "../../../log/create-session.ts";
import { isId } from "../../../record/session-id.ts";
import type { Layout } from "../files/layout.ts";
import { removeStub, sessionOfStub } from "../files/session-stub.ts";
import type { Neighbours } from "../leases/neighbours.ts";

const ID_LENGTH = 26;
const SOCKET = /^\.soc[k~]$/;

/** Only of instances that have no journal: whoever lives has one, or is just about to have one and makes up for it. */
export async function removeLeftovers(host: Host, layout: Layout, neighbours: Neighbours): Promise<void> {
  const { files, processes } = host;
  const isLeftBy = async (instance: string): Promise<boolean> =>
    isId(instance) && (await neighbours.hasEnded(instance));
  for (const directory of [layout.directory, layout.leases, layout.journals]) {
    for (const name of await files.readDirectory(directory)) {
      if (!name.startsWith(TEMPORARY_PREFIX)) continue;
      const start = TEMPORARY_PREFIX.length;
      if (!(await isLeftBy(name.slice(start, start + ID_LENGTH)))) continue;
      const path = `${directory}/${name}`;
      const session = sessionOfStub(name);
      if (session === undefined) await removeIfThere(files, path);
      else await removeStub(files, layout, path, session);
    }
  }
  for (const name of await files.readDirectory(layout.journals)) {
    const ending = name.slice(ID_LENGTH);
    if (!SOCKET.test(ending) && ending !== ".fence") continue;
    if (!(await isLeftBy(name.slice(0, ID_LENGTH)))) continue;
    const path = `${layout.journals}/${name}`;
    // One that is being opened listens before it has a journal.
    if (ending === ".fence" || (await processes.probe(path)) === "refused") await removeIfThere(files, path);
  }
}
