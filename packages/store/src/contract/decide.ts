/** What each write adds to the log, decided against the state it meets. Pure, but for looking into the log. */

import { LonghandError } from "../errors.ts";
import type { Body } from "../format/entry.ts";
import {
  clippedView,
  digestBodies,
  findRememberedId,
  isWhole,
  type RememberedId,
  type SessionState,
} from "../format/fold.ts";
import type { Decision, EntryReader, Operation } from "./backend.ts";
import { eachEntry } from "./entry-blocks.ts";
import { liveEntries } from "./live-entries.ts";
import { rewindOverMessages } from "./rewind-over-messages.ts";
import { recordDropped } from "../format/record-dropped-error.ts";
import type { IdentifiedWriteOptions, WriteOptions } from "./types.ts";

/** A write that needs to know nothing but the state. */
export function addBodies(bodies: readonly Body[], options: IdentifiedWriteOptions): Operation {
  return {
    reads: false,
    decide: (state) => {
      const before = options.id === undefined ? undefined : findRememberedId(state, options.id);
      if (before !== undefined) return retryOf(state, before, bodies);
      checkExpectedSeq(state, options);
      return { add: bodies, id: options.id };
    },
  };
}

export function truncateTo(
  cut: { keepLast: number } | { keepFrom: number },
  options: WriteOptions,
): Operation {
  return reading(options, async (state, log) => {
    if ("keepLast" in cut) return { op: "truncate", ...(await cutToLast(state, log, cut.keepLast)) };
    checkSeq("keepFrom", cut.keepFrom, 1, state.seq + 1);
    return { op: "truncate", ...(await cutAt(state, log, cut.keepFrom)) };
  });
}

export function compactTo(summary: string, keepFrom: number, options: WriteOptions): Operation {
  return reading(options, async (state, log) => {
    checkSeq("keepFrom", keepFrom, 1, state.seq + 1);
    return { op: "compact", summary, ...(await cutAt(state, log, keepFrom)) };
  });
}

export function rewindTo(cut: { messages: number } | { to: number }, options: WriteOptions): Operation {
  return reading(options, async (state, log) => {
    // There is nothing to take back, and an undo must not create a session.
    if (state.seq === 0 && !("to" in cut && cut.to > 0)) return undefined;
    if ("to" in cut) checkRewindTo(state, log, cut.to);
    const simple = await rewindOverMessages(cut, state, log);
    if (simple !== undefined) return { op: "rewind", ...simple };
    const to = "to" in cut ? cut.to : await seqBeforeLastMessages(state, log, cut.messages);
    const then = await log.stateAfter(to);
    // What was dropped since cannot be seen again.
    const keepFrom = Math.max(then.keepFrom, log.firstSeq);
    const count =
      keepFrom === then.keepFrom ? then.count : await countLive({ ...then, keepFrom }, log, keepFrom, to);
    const clipped = clippedView(state, to);
    const rewound = { ...clippedView(then, to), keepFrom, summary: then.summary };
    const view = JSON.stringify(rewound) === JSON.stringify(clipped) ? {} : { view: rewound };
    return { op: "rewind", to, count, ...view };
  });
}

/** A rewind to where the log is, that carries the view as it was before the cut, with what has come since. */
export function undoCutAt(seq: number, options: WriteOptions): Operation {
  return reading(options, async (state, log) => {
    const cut = await cutInForce(state, log, seq);
    const { keepFrom, summary } = await log.stateAfter(seq - 1);
    if (keepFrom < log.firstSeq) throw recordDropped(keepFrom, log.firstSeq, state.seq);
    const { kept } = clippedView(state, state.seq);
    const seen = await countLive({ ...state, keepFrom }, log, keepFrom, state.keepFrom - 1);
    const view = { keepFrom, kept, summary: cut.op === "compact" ? summary : state.summary };
    return { op: "rewind", to: state.seq, count: state.count + seen, view };
  });
}

async function cutInForce(
  state: SessionState,
  log: EntryReader,
  seq: number,
): Promise<Extract<Body, { op: "truncate" | "compact" }>> {
  checkSeq("seq", seq, 1, state.seq);
  if (seq < log.firstSeq) throw recordDropped(seq, log.firstSeq, state.seq);
  const decisive = await cutAtEnd(log, state.seq);
  const isChanged = decisive?.body.keepFrom !== state.keepFrom || decisive.seq !== seq;
  if (!isChanged && (decisive.body.op === "truncate" || decisive.body.summary === state.summary))
    return decisive.body;
  const message = `seq of undoCut must be that of the truncate or compact that decides what is seen now, and record ${seq} is not`;
  throw new LonghandError("OPTION_INVALID", message, { option: "seq", value: seq });
}

/** The cut that `undoCutAt` would take back after the record `end`. `undefined`: there is none. */
export async function decisiveCutSeq(log: EntryReader, end: number): Promise<number | undefined> {
  return (await cutAtEnd(log, end))?.seq;
}

interface DecisiveCut {
  readonly seq: number;
  readonly body: Extract<Body, { op: "truncate" | "compact" }>;
}

/** The cut that decides what is seen after the record `end`. `undefined`: there is none, or it can no longer be told. */
async function cutAtEnd(log: EntryReader, end: number): Promise<DecisiveCut | undefined> {
  if (end < log.firstSeq) return undefined;
  for await (const { seq, body } of eachEntry(log.entries({ from: log.firstSeq, to: end, reverse: true }))) {
    if (body.op === "truncate" || body.op === "compact") return { seq, body };
    if (body.op === "reset") return undefined;
    if (body.op !== "rewind") continue;
    const before = await cutAtEnd(log, body.to);
    // One that goes back to the record right before it and carries a view has taken back the cut that decided then.
    const isUndone = body.to === seq - 1 && body.view !== undefined;
    return isUndone && before !== undefined ? await cutAtEnd(log, before.seq - 1) : before;
  }
  return undefined;
}

function reading(
  options: WriteOptions,
  /** `undefined`: nothing is written. */
  decide: (state: SessionState, log: EntryReader) => Promise<Body | undefined>,
): Operation {
  return {
    reads: true,
    decide: async (state, log) => {
      checkExpectedSeq(state, options);
      const body = await decide(state, log);
      return { add: body === undefined ? [] : [body], id: undefined };
    },
  };
}

function retryOf(state: SessionState, before: RememberedId, bodies: readonly Body[]): Decision {
  const isSame = before.digest === digestBodies(bodies);
  if (isSame && isWhole(state, before)) return { already: before.lastSeq };
  const forWhat = isSame
    ? "for a batch of which a rewind has cut a part since; use a new id to append all of it again"
    : "for something else; use a new id for a new message";
  const message = `the id ${JSON.stringify(before.id)} was used at seq ${before.lastSeq} ${forWhat}`;
  throw new LonghandError("ID_CONFLICT", message, { id: before.id, seq: before.lastSeq });
}

function checkExpectedSeq(state: SessionState, { expectedSeq }: WriteOptions): void {
  if (expectedSeq === undefined || expectedSeq === state.seq) return;
  throw new LonghandError(
    "SEQ_CONFLICT",
    `expected to build on seq ${expectedSeq}, but the session is at seq ${state.seq}; read it again and decide anew`,
    { expectedSeq, seq: state.seq },
  );
}

function checkSeq(name: string, seq: number, least: number, most: number): number {
  if (seq >= least && seq <= most) return seq;
  throw new LonghandError(
    "OPTION_INVALID",
    `${name} must be a seq from ${least} to ${most} here, not ${seq}`,
    {
      option: name,
      value: seq,
      least,
      most,
    },
  );
}

/** Back to the very beginning is always possible: what was then needs no record. */
function checkRewindTo(state: SessionState, log: EntryReader, to: number): void {
  checkSeq("to", to, 0, state.seq);
  if (to >= 1 && to < log.firstSeq) throw recordDropped(to, log.firstSeq, state.seq);
}

interface Cut {
  readonly keepFrom: number;
  readonly count: number;
}

/** The cut never widens the view: what an earlier one has hidden stays hidden. Reads what is kept or cut, the shorter. */
async function cutAt(state: SessionState, log: EntryReader, from: number): Promise<Cut> {
  const keepFrom = Math.max(from, state.keepFrom);
  if (keepFrom === state.keepFrom) return { keepFrom, count: state.count };
  const isCutShorter = keepFrom - state.keepFrom < state.seq + 1 - keepFrom;
  if (isCutShorter && state.keepFrom >= log.firstSeq) {
    return { keepFrom, count: state.count - (await countLive(state, log, state.keepFrom, keepFrom - 1)) };
  }
  return { keepFrom, count: await countLive(state, log, keepFrom, state.seq) };
}

async function countLive(state: SessionState, log: EntryReader, from: number, to: number): Promise<number> {
  let count = 0;
  for await (const { seq } of liveEntries(state, log, { from, to, reverse: false })) count += seq > 0 ? 1 : 0;
  return count;
}

/** How many it keeps is what was asked for: only where they begin has to be looked for. */
async function cutToLast(state: SessionState, log: EntryReader, keepLast: number): Promise<Cut> {
  if (keepLast === 0) return { keepFrom: state.seq + 1, count: 0 };
  const all = { keepFrom: state.keepFrom, count: state.count };
  if (keepLast >= state.count) return all;
  let seen = 0;
  for await (const { seq } of liveEntries(state, log, {
    from: state.keepFrom,
    to: state.seq,
    reverse: true,
  })) {
    if (++seen === keepLast) return { keepFrom: seq, count: keepLast };
  }
  return all;
}

async function seqBeforeLastMessages(state: SessionState, log: EntryReader, count: number): Promise<number> {
  const undone = Math.min(count, state.count);
  if (undone === 0) return state.seq;
  let seen = 0;
  let first = state.seq + 1;
  for await (const { seq } of liveEntries(state, log, {
    from: state.keepFrom,
    to: state.seq,
    reverse: true,
  })) {
    first = seq;
    if (++seen === undone) return first - 1;
  }
  // Those that are missing lie in what was dropped; damaged ones cannot be gone back to either way.
  if (log.firstSeq > state.keepFrom) throw recordDropped(log.firstSeq - 1, log.firstSeq, state.seq);
  return first - 1;
}
