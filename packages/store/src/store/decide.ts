/** What each write adds to the log, decided against the state it meets. Pure, but for looking into the log. */

import { LonghandError } from "../errors.ts";
import type { Body } from "../record/entry.ts";
import {
  clippedView,
  digestBodies,
  EMPTY_STATE,
  findRememberedId,
  foldEntry,
  isLive,
  type SessionState,
} from "../record/fold.ts";
import type { Decision, EntryReader, Operation } from "./backend.ts";
import type { IdentifiedWriteOptions, WriteOptions } from "./types.ts";

/** A write that needs to know nothing but the state. */
export function addBodies(bodies: readonly Body[], options: IdentifiedWriteOptions): Operation {
  return {
    reads: false,
    decide: (state) => {
      const before = options.id === undefined ? undefined : findRememberedId(state, options.id);
      if (before !== undefined) return retryOf(before, bodies);
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
    const keepFrom =
      "keepLast" in cut
        ? await seqOfLastMessages(state, log, cut.keepLast)
        : checkSeq("keepFrom", cut.keepFrom, 1, state.seq + 1);
    return { op: "truncate", ...(await cutAt(state, log, keepFrom)) };
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
    const to =
      "to" in cut
        ? checkSeq("to", cut.to, 0, state.seq)
        : await seqBeforeLastMessages(state, log, cut.messages);
    const then = await stateAfter(log, to);
    const clipped = clippedView(state, to);
    const rewound = { ...clippedView(then, to), summary: then.summary };
    const view = JSON.stringify(rewound) === JSON.stringify(clipped) ? {} : { view: rewound };
    return { op: "rewind", to, count: then.count, ...view };
  });
}

function reading(
  options: WriteOptions,
  decide: (state: SessionState, log: EntryReader) => Promise<Body>,
): Operation {
  return {
    reads: true,
    decide: async (state, log) => {
      checkExpectedSeq(state, options);
      return { add: [await decide(state, log)], id: undefined };
    },
  };
}

function retryOf(
  before: { readonly id: string; readonly lastSeq: number; readonly digest: string },
  bodies: readonly Body[],
): Decision {
  if (before.digest === digestBodies(bodies)) return { already: before.lastSeq };
  throw new LonghandError(
    "ID_CONFLICT",
    `the id ${JSON.stringify(before.id)} was used at seq ${before.lastSeq} for something else; use a new id for a new message`,
    { id: before.id, seq: before.lastSeq },
  );
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

/** The cut never widens the view: what an earlier one has hidden stays hidden. */
async function cutAt(
  state: SessionState,
  log: EntryReader,
  from: number,
): Promise<{ keepFrom: number; count: number }> {
  const keepFrom = Math.max(from, state.keepFrom);
  if (keepFrom === state.keepFrom) return { keepFrom, count: state.count };
  let count = 0;
  for await (const entry of log.entries({ from: keepFrom, to: state.seq, reverse: false })) {
    if (entry.body.op === "message" && isLive(state, entry.seq)) count++;
  }
  return { keepFrom, count };
}

async function seqOfLastMessages(state: SessionState, log: EntryReader, count: number): Promise<number> {
  if (count >= state.count) return state.keepFrom;
  if (count === 0) return state.seq + 1;
  let seen = 0;
  for await (const entry of log.entries({ from: state.keepFrom, to: state.seq, reverse: true })) {
    if (entry.body.op === "message" && isLive(state, entry.seq) && ++seen === count) return entry.seq;
  }
  return state.keepFrom;
}

async function seqBeforeLastMessages(state: SessionState, log: EntryReader, count: number): Promise<number> {
  const undone = Math.min(count, state.count);
  if (undone === 0) return state.seq;
  let seen = 0;
  let first = state.seq + 1;
  for await (const entry of log.entries({ from: state.keepFrom, to: state.seq, reverse: true })) {
    if (entry.body.op !== "message" || !isLive(state, entry.seq)) continue;
    first = entry.seq;
    if (++seen === undone) break;
  }
  return first - 1;
}

async function stateAfter(log: EntryReader, seq: number): Promise<SessionState> {
  let state = EMPTY_STATE;
  if (seq === 0) return state;
  for await (const entry of log.entries({ from: 1, to: seq, reverse: false }))
    state = foldEntry(state, entry);
  return state;
}
