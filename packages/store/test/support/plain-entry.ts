import type { Entry } from "../../src/format/entry.ts";

/** With fields of its own, as an entry has them that was never in a file: so the two can be compared. */
export function plainEntry({ seq, at, id, batch, body }: Entry): Entry {
  return {
    seq,
    at,
    ...(id === undefined ? {} : { id }),
    ...(batch === undefined ? {} : { batch }),
    body: body.op === "message" ? { op: body.op, json: body.json } : body,
  };
}
