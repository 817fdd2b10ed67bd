/** Stores that are built before the timing: what is in them, and how a candidate fills its own copy. */

import type { Driver } from "./candidate.ts";
import { messagesOf, sessionKey, sessionTitle } from "./message-mix.ts";
import type { Sizes } from "./sizes.ts";

export interface DataSet {
  readonly name: string;
  /** The numbers of its sessions begin here. */
  readonly firstSession: number;
  readonly sessions: number;
  readonly messagesEach: number;
}

/** The session of `big`, of the sweeps over messages, and of W1 and W3. */
export const ONE_SESSION = 1;
/** In the sweeps over sessions, whose size in bytes does not matter. */
const SWEEP_MESSAGES_EACH = 4;
const BATCH = 500;

export const big = ({ bigMessages }: Sizes): DataSet => oneSession("big", bigMessages);

export const many = ({ manySessions, manyMessages }: Sizes): DataSet => {
  return { name: "many", firstSession: 0, sessions: manySessions, messagesEach: manyMessages };
};

export const sweepOfMessages = (messages: number): DataSet => oneSession(`messages-${messages}`, messages);

export const sweepOfSessions = (sessions: number): DataSet => {
  return { name: `sessions-${sessions}`, firstSession: 0, sessions, messagesEach: SWEEP_MESSAGES_EACH };
};

export async function buildDataSet<Own>(
  driver: Driver<Own>,
  directory: string,
  { firstSession, sessions, messagesEach }: DataSet,
): Promise<void> {
  const store = await (driver.openForBuild?.(directory) ?? driver.open(directory, "os"));
  for (let session = firstSession; session < firstSession + sessions; session += 1) {
    const key = sessionKey(session);
    for (let from = 0; from < messagesEach; from += BATCH) {
      const messages = messagesOf(session, from, Math.min(BATCH, messagesEach - from));
      await store.appendBatch?.(
        key,
        messages.map((message) => driver.toOwn(message)),
      );
    }
    await store.setTitle?.(key, sessionTitle(session));
  }
  await store.close();
}

function oneSession(name: string, messagesEach: number): DataSet {
  return { name, firstSession: ONE_SESSION, sessions: 1, messagesEach };
}
