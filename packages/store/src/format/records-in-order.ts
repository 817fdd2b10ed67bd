/**
 * Lines of which nothing needs to be decided: each a good record, in order, and every batch whole. Nearly all are. Of all others
 * `LogScanner` decides which ones count; of these it would take every one, and report nothing.
 *
 * A fresh process that wants the last messages of a session spends its time here, in code that was not compiled yet: few calls that
 * take long are faster than a loop over bytes.
 */

import { batchPosition, decodeRecord, START } from "./decode.ts";
import { decodeMessage } from "./decode-message.ts";
import type { BatchPosition, Entry } from "./entry.ts";
import { MAX_SEQ, NEWLINE } from "./format.ts";
import { checkBytes, type EncodedText } from "./line-checksum.ts";

/** Holds the fields before the message, unless the append's id is long. */
const FIELDS_BYTES = 160;

/** `bytes`: whole lines, behind the record `seqBefore`. Each without its checksum, which was right. `undefined`: something about them is unusual. */
export function recordsInOrder(
  bytes: Buffer,
  sessionId: string,
  seqBefore: number,
): EncodedText[] | undefined {
  const records: EncodedText[] = [];
  let seq = seqBefore;
  /** Of the line before, if its batch goes on. */
  let open: BatchPosition | undefined;
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, start);
    const checked = end === -1 ? undefined : checkBytes(bytes, start, end, sessionId);
    const place = checked === undefined ? undefined : placeOf(checked);
    if (checked === undefined || place?.seq !== ++seq || seq > MAX_SEQ) return undefined;
    const { index, size } = place.batch ?? { index: 1, size: 1 };
    if (index !== (open?.index ?? 0) + 1 || size !== (open?.size ?? size)) return undefined;
    open = index < size ? place.batch : undefined;
    records.push(checked);
    start = end + 1;
  }
  return open === undefined ? records : undefined;
}

/** One of the lines that `recordsInOrder` answers with. */
export function entryOf(record: EncodedText): Entry {
  const entry = decodeMessage(record) ?? decodeRecord(record);
  if (entry === undefined) throw new Error("a line that was a record is none");
  return entry;
}

/** `undefined`: it is no record. */
function placeOf(checked: EncodedText): Pick<Entry, "seq" | "batch"> | undefined {
  const { buffer, start, end } = checked;
  const fields = START.exec(buffer.toString("latin1", start, Math.min(end, start + FIELDS_BYTES)));
  if (fields?.[6] !== "message") return decodeRecord(checked);
  const [, seq, , index, size] = fields;
  return { seq: Number(seq), batch: size === undefined ? undefined : batchPosition(index, size) };
}
