/** Holds what was found after the kill against what had been acknowledged before it. Pure; says what is wrong. */

import type { SessionRecord } from "@longhand/store";
import { writerText } from "./writer-text.ts";

export interface Acknowledgement {
  /** Which of the writer's messages: it numbers them in the order in which it appends them. */
  readonly number: number;
  readonly seq: number;
}

/** Empty: the records are a prefix of what was written, in order, without a gap, with everything acknowledged in it. */
export function checkRecovery(
  acknowledged: readonly Acknowledgement[],
  found: readonly SessionRecord[],
): string[] {
  const faults: string[] = [];
  found.forEach((record, index) => {
    const expected = index + 1;
    if (record.seq !== expected) faults.push(`where seq ${expected} must be, there is seq ${record.seq}`);
    if (record.op !== undefined || record.message.content !== writerText(expected)) {
      faults.push(`seq ${record.seq} is not the writer's message ${expected}`);
    }
  });
  for (const { number, seq } of acknowledged) {
    if (number !== seq) faults.push(`message ${number} was acknowledged as seq ${seq}`);
    if (found[seq - 1] === undefined) faults.push(`seq ${seq} was acknowledged and is lost`);
  }
  return faults;
}
