import { NEWLINE } from "../record/format.ts";

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The header line at the start of a session file, without its newline; an editor may have put a mark before it. */
export function headerLine(start: Buffer): Buffer {
  const from = start.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  const newline = start.indexOf(NEWLINE);
  return start.subarray(from, newline === -1 ? start.length : newline);
}
