/** Entries and headers to lines. The checksum is the last field and covers every byte before it. */

import { assertNever } from "../errors.ts";
import type { Body, Entry } from "./entry.ts";
import { FORMAT_VERSION } from "./format.ts";
import { sealLine } from "./seal.ts";

export interface Header {
  readonly key: string;
  readonly id: string;
  readonly at: string;
}

/** The header is not salted: a reader learns the session's id from it. */
export function encodeHeader(header: Header): Buffer {
  const { key, id, at } = header;
  return sealLine(JSON.stringify({ longhand: FORMAT_VERSION, key, id, at }).slice(0, -1), "");
}

export function encodeEntry(entry: Entry, sessionId: string): Buffer {
  const batch = entry.batch === undefined ? "" : `,"batch":[${entry.batch.index},${entry.batch.size}]`;
  const id = entry.id === undefined ? "" : `,"id":${JSON.stringify(entry.id)}`;
  return sealLine(`{"seq":${entry.seq},"at":"${entry.at}"${batch}${id},${encodeBody(entry.body)}`, sessionId);
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
