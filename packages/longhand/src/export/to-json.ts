/** A conversation for programs: one document with the view, or every record that is kept, a line each. */

import type { Message, SessionInfo, SessionRecord } from "@longhand/store";
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

export async function* toJsonLines(records: AsyncIterable<SessionRecord>): AsyncIterable<string> {
  for await (const record of records) yield jsonLine(record);
}
