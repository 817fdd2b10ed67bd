/**
 * Random operations, the same on two stores, which must never differ: in what a write answers, in the view, in the
 * state, in the log. The memory backend is the reference that others are compared with. A difference is reported with
 * the seed and the operations that led to it, so that it can be seen again.
 */

import assert from "node:assert/strict";
import { isLonghandError } from "../errors.ts";
import type { SessionInfo } from "../format/session-record.ts";
import type { Store } from "../contract/types.ts";
import { collect } from "./case-language.ts";
import { NOTE_KINDS, randomOperation, type Situation } from "./random-operation.ts";
import { SeededRandom } from "./seeded-random.ts";

export interface RandomOperations {
  readonly seed: number;
  readonly steps: number;
  /** Empty, as is the reference. */
  readonly subject: Store;
  readonly reference: Store;
  /** Both can put sessions away, and do. */
  readonly archive: boolean;
  /** Both can fork sessions, and do. */
  readonly fork: boolean;
  /** Given, the subject is now and then closed and opened again at the same place. */
  readonly reopen?: () => Promise<Store>;
}

const KEYS = ["telegram:1", "Telegram:1", "notes", "copy"];
/** One step in so many reopens the subject. */
const STEPS_TO_A_REOPENING = 15;

/** Resolves with the subject that is open at the end; the caller closes both. */
export async function compareByRandomOperations(options: RandomOperations): Promise<Store> {
  const { seed, steps, reference, reopen } = options;
  let { subject } = options;
  const random = new SeededRandom(seed);
  const done: string[] = [];
  for (let step = 0; step < steps; step++) {
    if (reopen !== undefined && random.below(STEPS_TO_A_REOPENING) === 0) {
      await subject.close();
      subject = await reopen();
      done.push("reopen");
    }
    const key = KEYS[random.below(KEYS.length)] ?? "";
    const operation = randomOperation(random, await situationOf(reference, key, options));
    done.push(`${key}: ${operation.description}`);
    const expected = await outcome(operation.run(reference.session(key)));
    const found = await outcome(operation.run(subject.session(key)));
    const story = (): string => `seed ${seed}, after:\n${done.join("\n")}\n`;
    assert.deepEqual(found, expected, `${story()}the answers differ`);
    assert.deepEqual(await contents(subject), await contents(reference), `${story()}the stores differ`);
  }
  return subject;
}

async function situationOf(
  store: Store,
  key: string,
  { archive, fork }: Pick<RandomOperations, "archive" | "fork">,
): Promise<Situation> {
  const infos = await collect(store.list({ status: "any" }));
  const count = (of: string, wanted: string): number =>
    infos.filter((info) => info.key === of && info.status === wanted).length;
  return {
    seq: (await store.session(key).state())?.seq ?? 0,
    away: archive ? { archived: count(key, "archived"), trashed: count(key, "trashed") } : undefined,
    // Two archived ones of a key would be a matter of milliseconds again: which is the newer.
    forkTo: fork ? KEYS.filter((one) => count(one, "archived") === 0) : [],
  };
}

async function outcome(writing: Promise<unknown>): Promise<unknown> {
  try {
    return await writing;
  } catch (error) {
    if (isLonghandError(error)) return { code: error.code };
    throw error;
  }
}

/** Everything a caller can see, but for times, ids and sizes, which may differ. */
async function contents(store: Store): Promise<unknown> {
  const sessions: unknown[] = [];
  for (const key of KEYS) {
    const session = store.session(key);
    const info = await session.state();
    const records = (await collect(session.records())).map((record) => ({ ...record, at: "" }));
    const notes = await Promise.all(NOTE_KINDS.map(async (kind) => (await session.lastNote(kind))?.seq));
    sessions.push({ state: info && comparable(info), messages: await session.messages(), records, notes });
  }
  const listed = await collect(store.list({ status: "any" }));
  return { sessions, listed: listed.map((info) => JSON.stringify(comparable(info))).sort() };
}

function comparable(info: SessionInfo): SessionInfo {
  return { ...info, id: "", created: "", updated: "", bytes: 0 };
}
