/** An entry as a caller sees it. */

import { assertNever, LonghandError } from "../errors.ts";
import type { Entry } from "./entry.ts";
import { parseJson } from "./json.ts";
import type { Message } from "./message.ts";
import type { SessionRecord } from "./session-record.ts";

/** Its shape was checked when it was appended; the checksum says it is the same since. */
export function toMessage<M extends Message>(json: string): M {
  return parseKept(json) as M;
}

/** With a good checksum only another program's line can fail here, one that has more behind the message. */
function parseKept(json: string): unknown {
  try {
    return parseJson(json);
  } catch (cause) {
    const message =
      "a record that another program wrote is not readable; update Longhand to read this session";
    throw new LonghandError("SESSION_DAMAGED", message, { start: json.slice(0, 80) }, cause);
  }
}

export function toSessionRecord<M extends Message>(entry: Entry): SessionRecord<M> {
  const { seq, at, body } = entry;
  switch (body.op) {
    case "message":
      return { seq, at, message: toMessage<M>(body.json) };
    case "summary":
      return { seq, at, op: body.op, summary: body.summary };
    case "truncate":
      return { seq, at, op: body.op, keepFrom: body.keepFrom };
    case "rewind": {
      // One to where the log is takes nothing out of the view: with a view of its own it is how a cut is taken back.
      const undoesCut = body.to === seq - 1 && body.view !== undefined;
      return { seq, at, op: body.op, to: body.to, ...(undoesCut ? { undoesCut } : {}) };
    }
    case "compact":
      return { seq, at, op: body.op, summary: body.summary, keepFrom: body.keepFrom };
    case "reset":
      return { seq, at, ...body };
    case "meta":
      return { seq, at, ...body, ...(body.tags === undefined ? {} : { tags: [...body.tags] }) };
    case "note":
      return { seq, at, op: body.op, kind: body.kind, data: parseKept(body.json) };
    case "unknown":
      return { seq, at, op: body.op, raw: body.json };
    default:
      return assertNever(body);
  }
}
