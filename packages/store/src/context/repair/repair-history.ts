/**
 * Writes to the log what makes calls and results whole again (repair-messages.ts), so that every reader sees it from now
 * on. For a session without a running turn, such as after a crash: the result of a call that still runs would come second.
 * What the repair leaves out of the view stays in the log. What is only a provider's taste, such as an id that was used in an
 * earlier turn too, is left to the view: the log is not wrong there.
 */

import type { Message } from "../../format/message.ts";
import type { Session } from "../../contract/types.ts";
import { asOwnMessage } from "../as-own-message.ts";
import { againOnConflict } from "../again-on-conflict.ts";
import { changePins } from "../pins.ts";
import { pairMessages } from "./repair-messages.ts";
import type { LoggedMessage } from "../turns.ts";
import type { HistoryRepair } from "../types.ts";

/** Answers with what was repaired. Reads the whole view. A history that is whole is left as it is: nothing is written. */
export async function repairHistory<M extends Message>(
  session: Session<M>,
): Promise<readonly HistoryRepair[]> {
  return await againOnConflict(async () => {
    const expectedSeq = (await session.state())?.seq ?? 0;
    const history = await readView(session);
    const { messages, repairs } = pairMessages(history);
    if (repairs.length > 0) await write(session, history, messages, expectedSeq);
    return repairs;
  });
}

async function readView<M extends Message>(session: Session<M>): Promise<LoggedMessage<M>[]> {
  const view: LoggedMessage<M>[] = [];
  for await (const record of session.records({ live: true })) {
    if (record.op === undefined) view.push({ seq: record.seq, message: asOwnMessage(record.message) });
  }
  return view;
}

async function write<M extends Message>(
  session: Session<M>,
  before: readonly LoggedMessage<M>[],
  after: readonly LoggedMessage<M>[],
  expectedSeq: number,
): Promise<void> {
  if (before.every((logged, index) => logged === after[index])) {
    const missing = after.slice(before.length).map(({ message }) => message);
    await session.append(missing, { expectedSeq });
    return;
  }
  const messages = after.map(({ message }) => message);
  const { seq } = await session.replace(messages, { expectedSeq });
  // Where the pinned messages are now. A crash before this shows a pinned message twice, and loses none.
  const places = new Map<number, number>();
  for (const [index, { seq: old }] of after.entries()) {
    if (!places.has(old)) places.set(old, seq - after.length + 1 + index);
  }
  await changePins(session, (pinned) => pinned.map((old) => places.get(old) ?? old).sort((a, b) => a - b));
}
