/** A conversation for programs: one document with the view, or every record that is kept, a line each. */

import type { SessionInfo } from "@longhand/store";
import type { RecordOrGap } from "../sessions/records-with-gaps.ts";
import { jsonLine, jsonText } from "../terminal/json-line.ts";
import { lostDocument } from "../terminal/lost-line.ts";

/** `{"info":…,"messages":[…]}`, never held whole; `"lost":[…]` behind them, where records of the view are missing. */
export async function* toJson(info: SessionInfo, records: AsyncIterable<RecordOrGap>): AsyncIterable<string> {
  const lost: object[] = [];
  yield `{"info":${jsonText(info)},"messages":[`;
  let separator = "\n";
  for await (const each of records) {
    if ("lost" in each) lost.push(lostDocument(each.lost));
    if ("lost" in each || each.record.op !== undefined) continue;
    yield separator + jsonText(each.record.message);
    separator = ",\n";
  }
  yield lost.length === 0 ? "\n]}\n" : `\n],"lost":${jsonText(lost)}}\n`;
}

/** The session itself in the first line, `"type":"session"`, then its records: all that `longhand import` needs. */
export async function* toExportLines(
  info: SessionInfo,
  records: AsyncIterable<RecordOrGap>,
): AsyncIterable<string> {
  yield jsonLine({ type: "session", ...info });
  yield* toJsonLines(records);
}

/** A message that is not in the view says so: `"live":false`. Missing records are a line with `"type":"lost"`. */
export async function* toJsonLines(records: AsyncIterable<RecordOrGap>): AsyncIterable<string> {
  for await (const each of records) {
    if ("lost" in each) yield jsonLine(lostDocument(each.lost));
    else {
      const { record, isLive } = each;
      yield jsonLine(record.op === undefined && !isLive ? { ...record, live: false } : record);
    }
  }
}
