/**
 * What must hold on every disk that a crash may leave: each session is a prefix of what was written, ends between two
 * writes, holds everything acknowledged, is read the same by a reader, by a writer and by the next one, and can be
 * written to. `undefined` is a pass; a string says what is wrong.
 */

import { inspect, isDeepStrictEqual } from "node:util";
import { openStore, type Damage, type SessionRecord, type Store } from "../../src/index.ts";
import { jsonlBackend } from "../../src/backends/jsonl/jsonl-backend.ts";
import type { Host } from "../../src/host/host.ts";
import type { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { user } from "../support/conversation.ts";

export const DIRECTORY = "/store";

export interface Expectation {
  /** Everything the workload wrote to a key, in order. */
  readonly truth: ReadonlyMap<string, readonly SessionRecord[]>;
  /** The seqs at which a write of a key ended: a crash leaves one of these. */
  readonly boundaries: ReadonlyMap<string, ReadonlySet<number>>;
  /** The seq that was acknowledged for a key before the crash. */
  readonly acknowledged: ReadonlyMap<string, number>;
}

export async function findViolation(
  machine: SimulatedMachine,
  expected: Expectation,
): Promise<string | undefined> {
  const read = await readAll(machine.startProcess(), expected, true);
  if (typeof read === "string") return `a reader: ${read}`;
  const recovered = await readAll(machine.startProcess(), expected, false);
  if (typeof recovered === "string") return recovered;
  if (!isDeepStrictEqual(read, recovered))
    return "a reader before recovery and a writer after it see different records";
  return undefined;
}

async function readAll(
  host: Host,
  expected: Expectation,
  readOnly: boolean,
): Promise<ReadonlyMap<string, readonly SessionRecord[]> | string> {
  const damage: Damage[] = [];
  try {
    const store = await openStore(jsonlBackend(DIRECTORY, { host }), {
      readOnly,
      onDamage: (found) => damage.push(found),
    });
    const found = new Map<string, readonly SessionRecord[]>();
    for (const key of expected.truth.keys()) found.set(key, await recordsOf(store, key));
    const wrong = judge(found, expected) ?? (readOnly ? undefined : await writeAndReadBack(store, found));
    await store.close();
    if (wrong !== undefined) return wrong;
    if (damage.length > 0) return `reported damage after an ordinary crash: ${JSON.stringify(damage)}`;
    return found;
  } catch (error) {
    return `opening failed: ${inspect(error)}`;
  }
}

function judge(
  found: ReadonlyMap<string, readonly SessionRecord[]>,
  expected: Expectation,
): string | undefined {
  for (const [key, records] of found) {
    const truth = expected.truth.get(key) ?? [];
    const acknowledged = expected.acknowledged.get(key) ?? 0;
    if (records.length < acknowledged)
      return `${key}: ${acknowledged} records were acknowledged, ${records.length} are there`;
    if (!isDeepStrictEqual(records, truth.slice(0, records.length)))
      return `${key}: not a prefix of what was written`;
    if (records.length > 0 && expected.boundaries.get(key)?.has(records.length) !== true)
      return `${key}: half a batch`;
  }
  return undefined;
}

async function writeAndReadBack(
  store: Store,
  found: ReadonlyMap<string, readonly SessionRecord[]>,
): Promise<string | undefined> {
  for (const [key, records] of found) {
    const { seq } = await store.session(key).append(user("after the crash"));
    const after = await recordsOf(store, key);
    const isRead = seq === records.length + 1 && after.length === seq;
    if (!isRead || !isDeepStrictEqual(after.slice(0, -1), records))
      return `${key}: an append after recovery is not read back`;
  }
  return undefined;
}

export async function recordsOf(store: Store, key: string): Promise<SessionRecord[]> {
  const records: SessionRecord[] = [];
  for await (const record of store.session(key).records()) records.push(record);
  return records;
}
