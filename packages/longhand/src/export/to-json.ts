/** A conversation for programs: one document with the view, or every record that is kept, a line each. */

import type { Message, SessionInfo } from "@longhand/store";
import type { MarkedRecord } from "../sessions/mark-live.ts";
import { jsonLine, jsonText } from "../terminal/json-line.ts";

/** `{"info":…,"messages":[…]}`, never held whole. */
export async function* toJson(info: SessionInfo, messages: AsyncIterable<Message>): AsyncIterable<string> {
  yield `{"info":${jsonText(info)},"messages":[`;
  let separator = "\n";
  for await (const message of messages) {
    yield separator + jsonText(message);
    separator = ",\n";
  }
  yield "\n]}\n";
}

/** A message that is not in the view says so: `"live":false`. */
export async function* toJsonLines(records: AsyncIterable<MarkedRecord>): AsyncIterable<string> {
  for await (const { record, isLive } of records) {
    yield jsonLine(record.op === undefined && !isLive ? { ...record, live: false } : record);
  }
}
