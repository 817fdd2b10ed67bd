/** A session file read strictly, line by line: every line must be good, every seq the next, every checkpoint true. */

import { isDeepStrictEqual } from "node:util";
import { continueSum, EMPTY_SUM } from "../../../src/format/checksum.ts";
import { decodeLine } from "../../../src/format/decode.ts";
import type { Entry } from "../../../src/format/entry.ts";
import { EMPTY_STATE, foldEntry, isLive, type SessionState } from "../../../src/format/fold.ts";
import { decodeHeader } from "../../../src/format/header.ts";
import { parseJson } from "../../../src/format/json.ts";

export type Fields = Readonly<Record<string, unknown>>;

export interface ReadBack {
  readonly key: string;
  readonly id: string;
  readonly created: string;
  readonly state: SessionState;
  readonly entries: readonly Entry[];
  readonly checkpoints: number;
  /** All of them, and those in view. */
  readonly messages: readonly Fields[];
  readonly live: readonly Fields[];
  /** The data of the note that says where it came from. */
  readonly origin: Fields;
}

export function readSessionBytes(bytes: Buffer): ReadBack {
  const lines: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const newline = bytes.indexOf(0x0a, at);
    if (newline === -1) throw new Error("the last line lacks its newline");
    lines.push(bytes.subarray(at, newline));
    at = newline + 1;
  }
  const decoded = decodeHeader(lines[0] ?? Buffer.alloc(0));
  if (decoded.kind !== "header") throw new Error("no header");
  const { key, id, at: created } = decoded.header;
  const entries: Entry[] = [];
  let state = EMPTY_STATE;
  let checkpoints = 0;
  let sum = continueSum(EMPTY_SUM, bytes.subarray(0, (lines[0]?.length ?? 0) + 1));
  for (const line of lines.slice(1)) {
    const content = decodeLine(line, id);
    if (content.kind === "checkpoint") {
      checkpoints++;
      if (content.checkpoint.sum !== sum) throw new Error("a checkpoint's sum is wrong");
      if (!isDeepStrictEqual(content.checkpoint.state, state))
        throw new Error("a checkpoint's state is wrong");
    } else if (content.kind !== "entry" || content.entry.seq !== state.seq + 1) {
      throw new Error(`a bad line behind seq ${state.seq}`);
    } else {
      entries.push(content.entry);
      state = foldEntry(state, content.entry);
    }
    sum = continueSum(continueSum(sum, line), Buffer.from("\n"));
  }
  const messagesOf = (some: readonly Entry[]): Fields[] =>
    some.flatMap(({ body }) => (body.op === "message" ? [parseJson(body.json) as Fields] : []));
  const note = entries.find(({ body }) => body.op === "note" && body.kind === "migrated-from")?.body;
  if (note?.op !== "note") throw new Error("no note of its origin");
  const messages = messagesOf(entries);
  const live = messagesOf(entries.filter(({ seq }) => isLive(state, seq)));
  if (live.length !== state.count)
    throw new Error(`${live.length} live messages, the count is ${state.count}`);
  const origin = parseJson(note.json) as Fields;
  return { key, id, created, state, entries, checkpoints, messages, live, origin };
}
