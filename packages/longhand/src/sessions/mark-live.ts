/** Tells of each record whether it is in the view. Both inputs ascend by seq; neither is held in memory. */

import type { SessionRecord } from "@longhand/store";

export interface MarkedRecord {
  readonly record: SessionRecord;
  /** A message that the model sees. Only messages are. */
  readonly isLive: boolean;
}

export async function* markLive(
  records: AsyncIterable<SessionRecord>,
  live: AsyncIterable<SessionRecord>,
): AsyncIterable<MarkedRecord> {
  const view = live[Symbol.asyncIterator]();
  try {
    let next = await view.next();
    for await (const record of records) {
      while (next.done !== true && next.value.seq < record.seq) next = await view.next();
      yield { record, isLive: next.done !== true && next.value.seq === record.seq };
    }
  } finally {
    await view.return?.();
  }
}
