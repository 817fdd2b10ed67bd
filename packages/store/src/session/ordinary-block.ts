/**
 * The records of a block, which is what lies between two checkpoints or behind the last one, where nothing needs to be decided about
 * them. All other blocks are for `LogScanner`.
 */

import type { EncodedText } from "../format/line-checksum.ts";
import { recordsInOrder } from "../format/records-in-order.ts";
import type { FoundCheckpoint, LineRange } from "./find-checkpoint.ts";
import type { TailBytes } from "./tail-bytes.ts";

/**
 * Oldest first. `tail`: of the range, up to where the block ends. `isEnd`: whether it may end with this seq. `undefined`: it is not
 * known to be such a block.
 */
export async function ordinaryBlock(
  { from, writtenBy, seqBefore }: LineRange,
  tail: TailBytes,
  start: FoundCheckpoint | undefined,
  isEnd: (seq: number) => boolean = () => true,
): Promise<readonly EncodedText[] | undefined> {
  const bytes = await tail.from(start === undefined ? from : start.offset + start.bytes);
  const before = start?.checkpoint.state.seq ?? seqBefore;
  const records = bytes === undefined ? undefined : recordsInOrder(bytes, writtenBy, before);
  return isEnd(before + (records?.length ?? 0)) ? records : undefined;
}
