/**
 * The control: a message is altered and its line given the right checksum, by docs/format.md, as if nobody checked
 * checksums. No store can see that; the judge must.
 */

import { crc32 } from "node:zlib";
import { judgeSeen } from "../damage/judge-seen.ts";
import { Violation } from "../part.ts";
import { expectationOf, readSpoiled } from "./read-spoiled.ts";
import { smallStores } from "./small-stores.ts";

const CHECKSUM_FIELD_BYTES = ',"crc":"00000000"}'.length;

export async function judgeForged(): Promise<void> {
  const [store] = await smallStores();
  const file = store?.files.find(({ path, owners }) => path.endsWith(".jsonl") && owners.size === 1);
  const [id = ""] = file?.owners ?? [];
  if (store === undefined || file === undefined) throw new Error("there is no session file to forge");
  const bytes = forge(file.bytes, "say four", "say five", id);
  const { seen } = await readSpoiled({ store, file, bytes }, true);
  const wrong = judgeSeen(seen, expectationOf({ store, file }));
  if (wrong !== undefined) throw new Violation(wrong);
}

/** The first line with these words has others of the same length, and the checksum that belongs to them. */
export function forge(bytes: Buffer, words: string, others: string, salt: string): Buffer {
  const forged = Buffer.from(bytes);
  const at = forged.indexOf(words);
  forged.write(others, at);
  const start = forged.lastIndexOf("\n", at) + 1;
  const end = forged.indexOf("\n", at) - CHECKSUM_FIELD_BYTES;
  const sum = crc32(forged.subarray(start, end), crc32(salt));
  forged.write(`,"crc":"${sum.toString(16).padStart(8, "0")}"}`, end);
  return forged;
}
