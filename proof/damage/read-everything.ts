/**
 * Reads a whole store: listing, records and verify; thoroughly by every way there is, so states, records in both
 * directions, messages and search too. Only typed errors may come out of it; any other is a broken promise.
 */

import {
  LonghandError,
  type Damage,
  type SearchHit,
  type SessionInfo,
  type SessionRecord,
} from "@longhand/store";
import type { Session, Store, VerifyReport } from "@longhand/store";
import { Violation } from "../part.ts";

export interface SeenSession {
  readonly info: SessionInfo | undefined;
  readonly records: readonly SessionRecord[];
  /** `undefined`: it was not read by other ways. */
  readonly otherwise: OtherReadings | undefined;
  /** Why it could not be read to its end. */
  readonly failure: LonghandError | undefined;
}

export interface OtherReadings {
  readonly backwards: readonly SessionRecord[];
  readonly live: readonly SessionRecord[];
  readonly messages: readonly unknown[];
}

export interface SeenStore {
  readonly infos: readonly SessionInfo[];
  /** By the key that was asked for. */
  readonly sessions: ReadonlyMap<string, SeenSession>;
  readonly hits: readonly SearchHit[];
  readonly verified: VerifyReport | undefined;
  /** Of what reads the whole store. */
  readonly failures: readonly LonghandError[];
}

/** A word in every message, so that a search finds them all. */
export const EVERYWHERE = "say";
const ALL = 100_000;

export async function readEverything(
  store: Store,
  keys: Iterable<string>,
  isThorough: boolean,
): Promise<SeenStore> {
  const failures: LonghandError[] = [];
  const infos: SessionInfo[] = [];
  await attempt(failures, "list", async () => {
    for await (const info of store.list({ status: "any" })) infos.push(info);
  });
  const sessions = new Map<string, SeenSession>();
  for (const key of keys) {
    const listed = infos.find((info) => info.key === key && info.status !== "trashed");
    sessions.set(key, await readSession(store, key, isThorough ? undefined : listed));
  }
  let hits: readonly SearchHit[] = [];
  if (isThorough) {
    await attempt(failures, "search", async () => {
      hits = await store.search(EVERYWHERE, { limit: ALL });
    });
  }
  let verified: VerifyReport | undefined;
  await attempt(failures, "verify", async () => {
    verified = await store.verify();
  });
  return { infos, sessions, hits, verified, failures };
}

/** `listed`: what a listing has said of it; `undefined`: it is asked, and read by every way. */
export async function readSession(
  store: Store,
  key: string,
  listed: SessionInfo | undefined,
): Promise<SeenSession> {
  const failures: LonghandError[] = [];
  const session = store.session(key);
  let info = listed;
  const records: SessionRecord[] = [];
  let otherwise: OtherReadings | undefined;
  await attempt(failures, `records of ${key}`, async () => {
    for await (const record of session.records()) records.push(record);
  });
  if (listed === undefined) {
    await attempt(failures, `state of ${key}`, async () => {
      info = await session.state();
    });
    await attempt(failures, `other readings of ${key}`, async () => {
      otherwise = await readOtherwise(session);
    });
  }
  return { info, records, otherwise, failure: failures[0] };
}

async function readOtherwise(session: Session): Promise<OtherReadings> {
  const backwards: SessionRecord[] = [];
  for await (const record of session.records({ reverse: true })) backwards.push(record);
  const live: SessionRecord[] = [];
  for await (const record of session.records({ live: true })) live.push(record);
  return { backwards, live, messages: await session.messages() };
}

/** A typed error is an answer. */
export async function attempt(
  failures: LonghandError[],
  what: string,
  task: () => Promise<void>,
): Promise<void> {
  try {
    await task();
  } catch (error) {
    if (error instanceof Violation) throw error;
    if (!(error instanceof LonghandError)) throw untyped(what, error);
    failures.push(error);
  }
}

export function untyped(what: string, error: unknown): Violation {
  const story = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new Violation(`only typed errors may come out of a damaged store; ${what}: ${story}`);
}

/** The reports of a store, and everything a reading has said about damage. */
export function reportsOf(seen: SeenStore, damage: readonly Damage[]): number {
  const failed = [...seen.sessions.values()].filter(({ failure }) => failure !== undefined).length;
  return damage.length + (seen.verified?.damage.length ?? 0) + seen.failures.length + failed;
}
