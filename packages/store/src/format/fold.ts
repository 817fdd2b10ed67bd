/**
 * The state of a session is a fold over its entries, so that no second file can disagree with the log.
 *
 * Two things decide which messages are live. `kept` are the ranges of seqs that no rewind and no reset has cut;
 * `keepFrom` hides what lies before it (truncate, compact). Each step needs only the state before it: a rewind that
 * undoes more than the tail carries the view it goes back to, so that opening a session never has to look back.
 */

import { createHash } from "node:crypto";
import { assertNever } from "../errors.ts";
import { encodeBody } from "./encode.ts";
import type { Entry, RewoundView, SeqRange } from "./entry.ts";
import { MAX_ID_LENGTH, REMEMBERED_KINDS, REMEMBERED_RECORDS } from "./format.ts";

const OPEN_END = Number.MAX_SAFE_INTEGER;

export interface RememberedId {
  readonly id: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Of the bodies under this id: tells a retry from another message with the same id. */
  readonly digest: string;
  /** Notes survive a rewind, so do their ids. */
  readonly isNote: boolean;
}

/** The kind of a note, and the seq of the newest one of that kind. */
export type NewestNote = readonly [kind: string, seq: number];

export interface SessionState {
  readonly seq: number;
  readonly count: number;
  readonly keepFrom: number;
  readonly kept: readonly SeqRange[];
  readonly summary: string;
  readonly title: string | undefined;
  readonly tags: readonly string[];
  readonly updated: string | undefined;
  readonly ids: readonly RememberedId[];
  /** Of the kinds noted last, so that what a note says is found without reading back; the newest comes last. */
  readonly notes: readonly NewestNote[];
}

export const EMPTY_STATE: SessionState = {
  seq: 0,
  count: 0,
  keepFrom: 1,
  kept: [[1, OPEN_END]],
  summary: "",
  title: undefined,
  tags: [],
  updated: undefined,
  ids: [],
  notes: [],
};

export function foldEntry(state: SessionState, entry: Entry): SessionState {
  const { body } = entry;
  const ids = rememberId(state, entry);
  // By far the most of them: one copy is enough.
  if (body.op === "message")
    return { ...state, seq: entry.seq, updated: entry.at, ids, count: state.count + 1 };
  const next = { ...state, seq: entry.seq, updated: entry.at, ids };
  switch (body.op) {
    case "summary":
      return { ...next, summary: body.summary };
    case "truncate":
      return { ...next, keepFrom: body.keepFrom, count: body.count };
    case "compact":
      return { ...next, keepFrom: body.keepFrom, count: body.count, summary: body.summary };
    case "rewind": {
      const view = body.view ?? clippedView(state, body.to);
      const kept: readonly SeqRange[] = [...view.kept, [entry.seq + 1, OPEN_END]];
      return { ...next, keepFrom: view.keepFrom, kept, summary: view.summary, count: body.count };
    }
    case "reset": {
      const first = entry.seq + 1;
      return {
        ...next,
        keepFrom: first,
        kept: [[first, OPEN_END]],
        count: 0,
        summary: body.summary ?? state.summary,
      };
    }
    case "meta":
      return { ...next, title: body.title ?? state.title, tags: body.tags ?? state.tags };
    case "note":
      return { ...next, notes: rememberKind(state.notes, body.kind, entry.seq) };
    case "unknown":
      return next;
    default:
      return assertNever(body);
  }
}

export function isLive(state: SessionState, seq: number): boolean {
  return seq >= state.keepFrom && isKept(state, seq);
}

/** The view after a rewind that undoes nothing but what came after `to`. */
export function clippedView(state: SessionState, to: number): RewoundView {
  const kept = state.kept.slice(0, rangesUpTo(state.kept, to));
  const last = kept.at(-1);
  if (last !== undefined && last[1] > to) kept[kept.length - 1] = [last[0], to];
  return { keepFrom: state.keepFrom, kept, summary: state.summary };
}

/** How many ranges begin at or before this record. They ascend, so that few of many need be looked at. */
function rangesUpTo(kept: readonly SeqRange[], seq: number): number {
  let low = 0;
  let high = kept.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((kept[middle]?.[0] ?? 0) <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The append that used this id before, if it is among those still remembered. */
export function findRememberedId(state: SessionState, id: string): RememberedId | undefined {
  return state.ids.findLast(
    (known) =>
      known.id === id &&
      known.lastSeq > state.seq - REMEMBERED_RECORDS &&
      (known.isNote || isKept(state, known.firstSeq)),
  );
}

/** A rewind may have cut the last records of a batch and left the first. */
export function isWhole(state: SessionState, { isNote, lastSeq }: RememberedId): boolean {
  return isNote || isKept(state, lastSeq);
}

/** `seq` 0: there is none. `undefined`: that cannot be told from the state, and is to be looked up. */
export function newestNote({ notes }: SessionState, kind: string): { readonly seq: number } | undefined {
  const known = notes.find(([each]) => each === kind);
  if (known !== undefined) return { seq: known[1] };
  return notes.length < REMEMBERED_KINDS && kind.length <= MAX_ID_LENGTH ? { seq: 0 } : undefined;
}

export function digestBodies(bodies: readonly Entry["body"][]): string {
  return bodies.reduce((digest, body) => extendDigest(digest, body), "");
}

function extendDigest(digest: string, body: Entry["body"]): string {
  return createHash("sha256").update(digest).update(encodeBody(body)).digest("base64");
}

function isKept(state: SessionState, seq: number): boolean {
  const range = state.kept[rangesUpTo(state.kept, seq) - 1];
  return range !== undefined && seq <= range[1];
}

function rememberKind(notes: readonly NewestNote[], kind: string, seq: number): readonly NewestNote[] {
  if (kind.length > MAX_ID_LENGTH) return notes;
  return [...notes.filter(([each]) => each !== kind), [kind, seq] as const].slice(-REMEMBERED_KINDS);
}

function rememberId(state: SessionState, entry: Entry): readonly RememberedId[] {
  if (entry.body.op === "unknown") return state.ids;
  if (entry.id !== undefined) {
    const remembered = state.ids.filter((known) => known.lastSeq > entry.seq - REMEMBERED_RECORDS);
    return [
      ...remembered,
      {
        id: entry.id,
        firstSeq: entry.seq,
        lastSeq: entry.seq,
        digest: extendDigest("", entry.body),
        isNote: entry.body.op === "note",
      },
    ];
  }
  const last = state.ids.at(-1);
  const continues =
    last !== undefined && entry.batch !== undefined && entry.seq - entry.batch.index + 1 === last.firstSeq;
  if (!continues) return state.ids;
  return [
    ...state.ids.slice(0, -1),
    { ...last, lastSeq: entry.seq, digest: extendDigest(last.digest, entry.body) },
  ];
}
