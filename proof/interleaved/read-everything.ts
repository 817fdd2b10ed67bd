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
  readonly status: SessionInfo["status"];
  readonly messages: readonly FoundMessage[];
}

/** What a reader sees, who changes nothing. */
export interface SeenSession extends Pick<SessionInfo, "key" | "id" | "status" | "seq"> {
  /** Of the session that its key reads as. */
  readonly messages?: readonly FoundMessage[];
}

/** A string says what is wrong already with the reading. */
export async function readEverything(
  machine: SimulatedMachine,
  keys: readonly string[],
): Promise<readonly FoundSession[] | string> {
  try {
    const seen = await withStore(machine, true, listAndRead);
    if (typeof seen === "string") return `a reader: ${seen}`;
    const recovered = await withStore(machine, false, async (store, problems) => {
      const found: FoundSession[] = [];
      for (const key of keys) found.push(...(await readAllOf(store, key, problems)));
      return found;
    });
    if (typeof recovered === "string") return recovered;
    const wrong = compareReadings(seen, recovered);
    if (wrong !== undefined) return wrong;
    return recovered;
  } catch (error) {
    return `opening or reading failed: ${inspect(error, { depth: 4 })}`;
  }
}

/** Who only reads sees no more than who recovers, and no less; what he cannot read without bringing it back he lists. */
export function compareReadings(
  seen: readonly SeenSession[],
  recovered: readonly FoundSession[],
): string | undefined {
  const ids = new Set([...seen, ...recovered].map(({ id }) => id));
  for (const id of ids) {
    const one = seen.find((session) => session.id === id);
    const other = recovered.find((session) => session.id === id);
    const isListed =
      one?.status === other?.status && one?.key === other?.key && one?.seq === other?.messages.length;
    const isSame =
      one?.messages === undefined || JSON.stringify(one.messages) === JSON.stringify(other?.messages);
    if (isListed && isSame) continue;
    return `${one?.key ?? other?.key ?? id}: a reader sees ${inspect(one)}, after the recovery there is ${inspect(other)}`;
  }
  return undefined;
}

async function withStore<T>(
  machine: SimulatedMachine,
  readOnly: boolean,
  use: (store: Store, problems: string[]) => Promise<T>,
): Promise<T | string> {
  const problems: string[] = [];
  const store = await openStore(jsonlBackend(DIRECTORY, { host: machine.startProcess() }), {
    readOnly,
    onDamage: (damage) => problems.push(`damage: ${JSON.stringify(damage)}`),
    onError: (error) => problems.push(`an error: ${inspect(error)}`),
  });
  const { damage } = await store.verify();
  if (damage.length > 0) problems.push(`verify finds ${JSON.stringify(damage)}`);
  const found = await use(store, problems);
  await store.close();
  return problems.length === 0 ? found : problems.join("; ");
}

async function listAndRead(store: Store): Promise<SeenSession[]> {
  const seen: SeenSession[] = [];
  for await (const { key, id, status, seq } of store.list({ status: "any" })) {
    const shown = await store.session(key).state();
    const { messages } = shown?.id === id ? await readOne(store, shown) : {};
    seen.push({ key, id, status, seq, ...(messages === undefined ? {} : { messages }) });
  }
  return seen;
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

async function readOne(store: Store, { key, id, status }: SessionInfo): Promise<FoundSession> {
  const messages: FoundMessage[] = [];
  for await (const record of store.session(key).records()) messages.push(toFound(record));
  return { key, id, status, messages };
}
