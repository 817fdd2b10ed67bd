/** All that a store holds, of every session, also of those that are put away. Puts away and brings back to see it. */

import { inspect } from "node:util";
import { jsonlBackend, openStore, type SessionInfo, type Store } from "@longhand/store";
import type { SimulatedMachine } from "@longhand/store/testing";
import type { FoundMessage } from "../oracle/judge-history.ts";
import { toFound } from "./act.ts";
import { DIRECTORY } from "./run-plan.ts";

export interface FoundSession {
  readonly key: string;
  readonly id: string;
  readonly messages: readonly FoundMessage[];
}

/** A string says what is wrong already with the reading. */
export async function readEverything(
  machine: SimulatedMachine,
  keys: readonly string[],
): Promise<readonly FoundSession[] | string> {
  try {
    const readOnly = await readInOneWay(machine, keys, true);
    if (typeof readOnly === "string") return `a reader: ${readOnly}`;
    const recovered = await readInOneWay(machine, keys, false);
    if (typeof recovered === "string") return recovered;
    for (const { key, messages, id } of readOnly) {
      const same = recovered.find((session) => session.id === id);
      if (JSON.stringify(same?.messages) !== JSON.stringify(messages))
        return `${key}: a reader sees ${inspect(messages)}, after the recovery there is ${inspect(same?.messages)}`;
    }
    return recovered;
  } catch (error) {
    return `opening or reading failed: ${inspect(error, { depth: 4 })}`;
  }
}

async function readInOneWay(
  machine: SimulatedMachine,
  keys: readonly string[],
  readOnly: boolean,
): Promise<FoundSession[] | string> {
  const problems: string[] = [];
  const store = await openStore(jsonlBackend(DIRECTORY, { host: machine.startProcess() }), {
    readOnly,
    onDamage: (damage) => problems.push(`damage: ${JSON.stringify(damage)}`),
    onError: (error) => problems.push(`an error: ${inspect(error)}`),
  });
  const { damage } = await store.verify();
  if (damage.length > 0) problems.push(`verify finds ${JSON.stringify(damage)}`);
  const found: FoundSession[] = [];
  for (const key of keys) {
    if (readOnly) {
      const info = await store.session(key).state();
      if (info !== undefined) found.push(await readOne(store, info));
    } else found.push(...(await readAllOf(store, key, problems)));
  }
  await store.close();
  return problems.length === 0 ? found : problems.join("; ");
}

/** The active one first; then each of the others comes back for a moment. */
async function readAllOf(store: Store, key: string, problems: string[]): Promise<FoundSession[]> {
  const infos: SessionInfo[] = [];
  for await (const info of store.list({ status: "any" })) if (info.key === key) infos.push(info);
  const active = infos.filter(({ status }) => status === "active");
  if (active.length > 1) problems.push(`${key}: ${active.length} active sessions`);
  const found: FoundSession[] = [];
  const session = store.session(key);
  for (const info of active) {
    found.push(await readOne(store, info));
    await session.append({ role: "user", content: "afterwards" });
    const [last] = await session.messages({ last: 1 });
    if (last?.content !== "afterwards")
      problems.push(`${key}: an append after the recovery is not read back`);
    await session.archive();
  }
  for (const info of infos) {
    if (info.status === "active") continue;
    await session.restore({ id: info.id });
    found.push(await readOne(store, info));
    await session.archive();
  }
  return found;
}

async function readOne(store: Store, { key, id }: SessionInfo): Promise<FoundSession> {
  const messages: FoundMessage[] = [];
  for await (const record of store.session(key).records()) messages.push(toFound(record));
  return { key, id, messages };
}
