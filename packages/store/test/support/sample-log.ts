import { encodeEntry } from "../../src/format/encode.ts";
import type { Body, Entry } from "../../src/format/entry.ts";
import { EMPTY_STATE } from "../../src/format/fold.ts";
import { toEntries } from "../../src/format/to-entries.ts";
import { toId, type Id } from "../../src/format/session-id.ts";

export const SESSION_ID: Id = toId("01JCW0000000000000000000AB");
const AT = "2026-11-15T19:24:12.123Z";

export function message(content: string): Body {
  return { op: "message", json: JSON.stringify({ role: "user", content }) };
}

/** Entries from seq 1 on; an array inside is one batch. */
export function entriesOf(...parts: readonly (Body | readonly Body[])[]): Entry[] {
  const entries: Entry[] = [];
  for (const part of parts) {
    const bodies = "op" in part ? [part] : part;
    entries.push(...toEntries({ ...EMPTY_STATE, seq: entries.length }, bodies, undefined, AT));
  }
  return entries;
}

export function linesOf(entries: readonly Entry[]): Buffer[] {
  return entries.map((entry) => encodeEntry(entry, SESSION_ID));
}

/** One of everything, with batches in the middle and at the end: eleven lines. */
export const SAMPLE: readonly Entry[] = entriesOf(
  message("hello"),
  [message("a"), message("b"), message("c")],
  { op: "meta", title: "títle", tags: ["x"] },
  { op: "compact", summary: "so far", keepFrom: 3, count: 2 },
  { op: "note", kind: "usage", json: '{"tokens":5}' },
  { op: "rewind", to: 4, count: 4, view: { keepFrom: 1, kept: [[1, 4]], summary: "" } },
  message("🙂"),
  [message("d"), message("e")],
);
