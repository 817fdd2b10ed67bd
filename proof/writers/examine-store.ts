/**
 * Looks at a directory whose writers are dead, as the next one would: with `readOnly`, which changes nothing, or as a
 * writer, who recovers it. Whoever comes later must see what the first one saw, no more and no less; nothing is damaged,
 * and what the writer appends is there.
 */

import {
  isLonghandError,
  jsonlBackend,
  openStore,
  type Damage,
  type SessionRecord,
  type Store,
} from "@longhand/store";
import type { FoundMessage } from "../oracle/judge-history.ts";
import { Attempts } from "./attempts.ts";
import type { FoundSession, Ledger } from "./ledger.ts";
import type { Told } from "./operation.ts";

/** `undefined` is a pass; a string says what is wrong. */
export async function examineAsReader(directory: string, ledger: Ledger): Promise<string | undefined> {
  return await examine(directory, ledger, true, async () => Promise.resolve(undefined));
}

/** Recovers the directory. `key`: a session that something is appended to, by a name that nobody else uses. */
export async function examineAsWriter(
  directory: string,
  ledger: Ledger,
  probe: { readonly key: string; readonly name: string },
): Promise<string | undefined> {
  return await examine(directory, ledger, false, async (store) => {
    const told: Told[] = [];
    const contents = [{ name: probe.name, length: 0 }];
    const answer = await new Attempts(store, (each) => told.push(each)).make({
      ...{ kind: "messages", key: probe.key, contents, id: probe.name },
    });
    ledger.hear(told, true);
    if (answer.code !== undefined) return `after recovery an append to ${probe.key} is ${answer.code}`;
    const [last] = await store.session(probe.key).messages({ last: 1 });
    if (last?.content === probe.name) return undefined;
    return `what was appended to ${probe.key} after recovery is not there: ${JSON.stringify(last)}`;
  });
}

async function examine(
  directory: string,
  ledger: Ledger,
  readOnly: boolean,
  goOn: (store: Store) => Promise<string | undefined>,
): Promise<string | undefined> {
  const who = readOnly ? "a reader" : "the next writer";
  const damage: Damage[] = [];
  try {
    const store = await openStore(jsonlBackend(directory), {
      readOnly,
      onDamage: (found) => damage.push(found),
      onError: (error) => {
        throw error;
      },
    });
    try {
      const found = await readSessions(store);
      const wrong = ledger.judge(found);
      if (wrong !== undefined) return `${who} finds: ${wrong}`;
      ledger.settle(found);
      damage.push(...(await store.verify()).damage);
      if (damage.length > 0) return `${who} finds damage: ${JSON.stringify(damage.slice(0, 3))}`;
      return await goOn(store);
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!isLonghandError(error)) throw error;
    return `${who} gets ${error.code}: ${error.message}`;
  }
}

/** Every session there is, active or archived, by its key. */
export async function readSessions(store: Store): Promise<Map<string, FoundSession>> {
  const found = new Map<string, FoundSession>();
  for await (const { key, status } of store.list({ status: "any" })) {
    // What was never put away twice is there once.
    const isTwice = found.has(key);
    const entries: FoundMessage[] = isTwice ? [{ seq: 0, content: `a second session of ${key}` }] : [];
    if (!isTwice) for await (const entry of store.session(key).records()) entries.push(toFound(entry));
    found.set(key, { status, entries });
  }
  return found;
}

function toFound(record: SessionRecord): FoundMessage {
  const { seq } = record;
  if (record.op === undefined) return { seq, content: asText(record.message.content) };
  return { seq, content: record.op === "note" ? asText(record.data) : `a record of ${record.op}` };
}

/** Only texts are written; anything else is told as what it is, and fits nothing. */
function asText(value: unknown): string {
  return typeof value === "string" ? value : `not a text: ${JSON.stringify(value)}`;
}
