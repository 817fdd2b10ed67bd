import type { RecordOrGap } from "./records-with-gaps.ts";

/** The messages of the view, and where some may be missing. */
export async function* inView(records: AsyncIterable<RecordOrGap>): AsyncIterable<RecordOrGap> {
  for await (const each of records) if ("lost" in each || each.isLive) yield each;
}
