/** Compares what a candidate gave with what was written to it, message by message. Runs outside of any timing. */

import { isDeepStrictEqual } from "node:util";
import type { Driver, FoundMessage, ListedSession } from "./candidate.ts";
import type { DataSet } from "./data-set.ts";
import { hasRareWord, messageAt, RARE_WORD, sessionKey, sessionTitle } from "./message-mix.ts";

/** A candidate lost, changed or invented something. It fails the run. */
export class WrongResult extends Error {
  override readonly name = "WrongResult";
}

export interface ExpectedMessages {
  readonly session: number;
  /** The index of the first. */
  readonly from: number;
  readonly count: number;
}

export async function checkMessages<Own>(
  driver: Driver<Own>,
  messages: AsyncIterable<Own> | Iterable<Own>,
  { session, from, count }: ExpectedMessages,
): Promise<void> {
  let index = from;
  for await (const own of messages) {
    const message = driver.fromOwn(own);
    if (!isDeepStrictEqual(message, messageAt(session, index))) {
      throw new WrongResult(
        `message ${index} of ${sessionKey(session)} is not what was written: ${JSON.stringify(message).slice(0, 200)}`,
      );
    }
    index += 1;
  }
  checkCount(`messages of ${sessionKey(session)}`, index - from, count);
}

export function checkCount(what: string, found: number, expected: number): void {
  if (found !== expected) throw new WrongResult(`${found} ${what}, not ${expected}`);
}

const TITLE_START = 20;

/** Every session once, with its count, its title (or the beginning of its first message) and a time. */
export function checkList(
  listed: readonly ListedSession[],
  { firstSession, sessions, messagesEach }: DataSet,
): void {
  checkCount("sessions listed", listed.length, sessions);
  const byKey = new Map(listed.map((session) => [session.key, session]));
  for (let session = firstSession; session < firstSession + sessions; session += 1) {
    const key = sessionKey(session);
    const found = byKey.get(key);
    if (found === undefined) throw new WrongResult(`${key} is not listed`);
    checkCount(`messages of ${key} in the list`, found.count, messagesEach);
    const title = found.title.slice(0, TITLE_START);
    const titles = [sessionTitle(session), messageAt(session, 0).content];
    if (title === "" || !titles.some((known) => known.startsWith(title)))
      throw new WrongResult(`${key} is listed with the title ${JSON.stringify(found.title)}`);
    if (Number.isNaN(Date.parse(found.updated)))
      throw new WrongResult(`${key} is listed with the time ${JSON.stringify(found.updated)}`);
  }
}

export function checkHits<Own>(
  driver: Driver<Own>,
  hits: readonly FoundMessage<Own>[],
  { firstSession, sessions }: DataSet,
): void {
  const numbers = Array.from({ length: sessions }, (_, index) => firstSession + index).filter(hasRareWord);
  checkCount("hits", hits.length, numbers.length);
  const found = new Map(hits.map(({ key, message }) => [key, driver.fromOwn(message)]));
  for (const number of numbers) {
    const message = found.get(sessionKey(number));
    if (message === undefined || !message.content.includes(RARE_WORD))
      throw new WrongResult(`${RARE_WORD} was not found in ${sessionKey(number)}`);
  }
}
