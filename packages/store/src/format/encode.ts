/** Entries to lines. The checksum is the last field and covers every byte before it. */

import { assertNever } from "../errors.ts";
import type { Body, Entry } from "./entry.ts";
import { withChecksum } from "./line-checksum.ts";

export function encodeEntry(entry: Entry, sessionId: string): Buffer {
  const batch = entry.batch === undefined ? "" : `,"batch":[${entry.batch.index},${entry.batch.size}]`;
  const id = entry.id === undefined ? "" : `,"id":${JSON.stringify(entry.id)}`;
  const start = `{"seq":${entry.seq},"at":"${entry.at}"${batch}${id},`;
  const { body } = entry;
  // A message may be long: it is not copied into a longer text first.
  if (body.op === "message") return withChecksum(`${start}"message":`, sessionId, body.json);
  return withChecksum(start + encodeBody(body), sessionId);
}

export const LOST_START = '{"lost":';

/** Says that the records from `first` to `last` were damaged and taken out. */
export function encodeLost(first: number, last: number, at: string, sessionId: string): Buffer {
  return withChecksum(`${LOST_START}[${first},${last}],"at":"${at}"`, sessionId);
}

/** The fields of a body without braces: the part of a line that two appends with one id must agree in. */
export function encodeBody(body: Body): string {
  switch (body.op) {
    case "message":
      return `"message":${body.json}`;
    case "note":
      return `"op":"note","kind":${JSON.stringify(body.kind)},"data":${body.json}`;
    case "summary":
    case "truncate":
    case "rewind":
    case "compact":
    case "reset":
    case "meta":
      return JSON.stringify(body).slice(1, -1);
    case "unknown":
      throw new Error("a record of an unknown kind is kept as it is, never written anew");
    default:
      return assertNever(body);
  }
}
