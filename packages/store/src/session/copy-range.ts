import type { OpenFile } from "../host/host.ts";
import { writeFully } from "../host/write-fully.ts";

const CHUNK_BYTES = 1024 * 1024;

/** From `offset` in the one to the beginning of the other; fewer bytes if there are no more. */
export async function copyRange(
  from: OpenFile,
  { offset, bytes }: { readonly offset: number; readonly bytes: number },
  to: OpenFile,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(bytes, 1)));
  for (let done = 0; done < bytes;) {
    const count = await from.read(buffer.subarray(0, Math.min(buffer.length, bytes - done)), offset + done);
    if (count === 0) return;
    await writeFully(to, buffer.subarray(0, count), done);
    done += count;
  }
}
