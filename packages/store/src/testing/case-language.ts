/** The few words that the cases of the conformance suite are written in. */

import assert from "node:assert/strict";
import { isLonghandError, type LonghandError, type LonghandErrorCode } from "../errors.ts";
import type { Message } from "../format/message.ts";
import type { SessionInfo, SessionRecord } from "../format/session-record.ts";
import type { Session, Store } from "../contract/types.ts";

export function say(content: string): Message {
  return { role: "user", content };
}

export function sayAll(...contents: readonly string[]): Message[] {
  return contents.map(say);
}

/** Messages 1 to `count`, one record each. */
export async function numbered(session: Session, count: number): Promise<void> {
  for (let number = 1; number <= count; number++) await session.append(say(String(number)));
}

/** The contents of the live view, for short comparisons. */
export async function view(session: Session): Promise<unknown[]> {
  return (await session.messages()).map(({ content }) => content);
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** One word for each record: the content of a message, the name of an operation. */
export async function log(session: Session): Promise<unknown[]> {
  return (await collect(session.records())).map(wordOf);
}

export function wordOf(record: SessionRecord): unknown {
  return record.op === undefined ? record.message.content : record.op;
}

export async function seqOf(session: Session): Promise<number> {
  return (await session.state())?.seq ?? 0;
}

export async function countOf(session: Session): Promise<number> {
  return (await session.state())?.count ?? 0;
}

export async function keysOf(store: Store): Promise<string[]> {
  return (await collect(store.list({ order: "key" }))).map(({ key }) => key);
}

export async function rejectsWith(
  code: LonghandErrorCode,
  promise: Promise<unknown>,
): Promise<LonghandError> {
  try {
    await promise;
  } catch (error) {
    assert.ok(isLonghandError(error), `expected a LonghandError ${code}, but got ${String(error)}`);
    assert.equal(error.code, code, error.message);
    return error;
  }
  return assert.fail(`expected ${code}, but it went through`);
}

/** An option that is not known, or has a value it cannot have: the error tells its name, and nothing is written. */
export async function refusesOption(
  session: Session,
  name: string,
  attempt: () => Promise<unknown>,
): Promise<void> {
  const before = await seqOf(session);
  const error = await rejectsWith("OPTION_INVALID", attempt());
  assert.ok(error.message.includes(name), `"${error.message}" does not name ${name}`);
  assert.equal(await seqOf(session), before, "something was written");
}

/** Writes until the session's time is later than it was: two sessions can then be told apart by time. */
export async function untilTheClockMoves(session: Session): Promise<void> {
  const before = (await session.state())?.updated ?? "";
  for (let attempt = 0; attempt < 1_000_000; attempt++) {
    await session.note("tick", attempt);
    if (((await session.state())?.updated ?? "") > before) return;
  }
  assert.fail("the clock stands still");
}

export async function idOf(session: Session): Promise<string | undefined> {
  return (await session.state())?.id;
}

/** Of every session with this status, whatever its key. */
export async function idsIn(store: Store, status: SessionInfo["status"]): Promise<string[]> {
  return (await collect(store.list({ status }))).map(({ id }) => id).sort();
}

/** Leaves a first session of the key in the trash and a second one active. */
export async function twoSessions(session: Session): Promise<[first: string, second: string]> {
  await session.append(say("first"));
  const first = (await idOf(session)) ?? "";
  await session.delete();
  await session.append(say("second"));
  return [first, (await idOf(session)) ?? ""];
}
