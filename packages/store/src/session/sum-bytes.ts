import { continueSum } from "../format/checksum.ts";
import type { ByteSource } from "./byte-source.ts";

const CHUNK_BYTES = 256 * 1024;

/** CRC-32 of the bytes of a file up to `end`; `sum` is that of everything before `from`. */
export async function sumBytes(source: ByteSource, sum: string, from: number, end: number): Promise<string> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = from; position < end;) {
    const count = await source.read(buffer.subarray(0, Math.min(buffer.length, end - position)), position);
    if (count === 0) break;
    sum = continueSum(sum, buffer.subarray(0, count));
    position += count;
  }
  return sum;
}
