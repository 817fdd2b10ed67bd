/**
 * Pinned messages stay in sight of the model when their turns do not. One note holds the whole list, in the order of the
 * conversation; a change that meets another one is decided anew, so that none is lost.
 */

import { isLonghandError, LonghandError } from "../errors.ts";
import { isJsonObject } from "../format/json.ts";
import type { Message } from "../format/message.ts";
import { checkValue, recordSeq } from "../store/check-options.ts";
import type { Session } from "../contract/types.ts";
import { againOnConflict } from "./again-on-conflict.ts";
import type { LoggedMessage } from "./turns.ts";

export const PINS_KIND = "longhand/pins";
export const MAX_PINS = 100;

export async function pinMessage<M extends Message>(session: Session<M>, seq: number): Promise<void> {
  checkValue("pinMessage", "seq", seq, recordSeq);
  if ((await messageAt(session, seq)) === undefined) {
    const message = `seq of pinMessage must be that of a message of session ${JSON.stringify(session.key)}, and ${seq} is none`;
    throw new LonghandError("OPTION_INVALID", message, { key: session.key, option: "seq", value: seq });
  }
  await changePins(session, (pinned) => {
    if (pinned.includes(seq)) return pinned;
    if (pinned.length >= MAX_PINS) {
      const message = `session ${JSON.stringify(session.key)} has ${MAX_PINS} pinned messages, which is the most; unpin one first`;
      throw new LonghandError("OPTION_INVALID", message, { key: session.key, limit: MAX_PINS });
    }
    return [...pinned, seq].sort((one, other) => one - other);
  });
}

/** Of a message that is not pinned: nothing changes. */
export async function unpinMessage<M extends Message>(session: Session<M>, seq: number): Promise<void> {
  checkValue("unpinMessage", "seq", seq, recordSeq);
  await changePins(session, (pinned) => pinned.filter((each) => each !== seq));
}

/** Oldest first. Those that were dropped from the disk are not among them, nor those that were rewound. */
export async function pins<M extends Message>(session: Session<M>): Promise<readonly LoggedMessage<M>[]> {
  const pinned = await pinnedSeqs(session);
  if (pinned.length === 0) return [];
  const found: LoggedMessage<M>[] = [];
  for (const seq of pinned) {
    const logged = await messageAt(session, seq, { kept: true });
    if (logged !== undefined) found.push(logged);
  }
  return found;
}

/** A change that changes nothing writes nothing. */
export async function changePins<M extends Message>(
  session: Session<M>,
  change: (pinned: readonly number[]) => readonly number[],
): Promise<void> {
  await againOnConflict(async () => {
    const expectedSeq = (await session.state())?.seq ?? 0;
    const before = await pinnedSeqs(session);
    const after = change(before);
    if (after.length === before.length && after.every((seq, index) => seq === before[index])) return;
    await session.note(PINS_KIND, { pins: after }, { expectedSeq });
  });
}

async function pinnedSeqs<M extends Message>(session: Session<M>): Promise<readonly number[]> {
  const data = (await session.lastNote(PINS_KIND))?.data;
  const list = isJsonObject(data) ? data["pins"] : undefined;
  if (!Array.isArray(list)) return [];
  return list.filter((seq): seq is number => Number.isSafeInteger(seq) && seq >= 1).slice(-MAX_PINS);
}

async function messageAt<M extends Message>(
  session: Session<M>,
  seq: number,
  { kept }: { kept: boolean } = { kept: false },
): Promise<LoggedMessage<M> | undefined> {
  try {
    for await (const record of session.records({ from: seq, to: seq, kept })) {
      if (record.op === undefined) return { seq, message: record.message };
    }
  } catch (error) {
    if (!isLonghandError(error, "RECORD_DROPPED")) throw error;
  }
  return undefined;
}
