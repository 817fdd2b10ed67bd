import type { Awaitable, OpenFile } from "./host.ts";

/**
 * Writes all of `bytes`. A full disk shows as a short count without an error, so the count is checked; the error
 * comes with the next call, and where it does not, we make it ourselves. `onWritten` is told how much is in the file so
 * far: for those who must know it after a failure.
 */
export function writeFully(
  file: OpenFile,
  bytes: Buffer,
  position: number,
  onWritten: (written: number) => void = () => undefined,
): Awaitable<void> {
  if (bytes.length === 0) return undefined;
  const first = file.write(bytes, position);
  if (first !== bytes.length) return writeRest(file, bytes, position, first, onWritten);
  onWritten(first);
  return undefined;
}

async function writeRest(
  file: OpenFile,
  bytes: Buffer,
  position: number,
  first: Awaitable<number>,
  onWritten: (written: number) => void,
): Promise<void> {
  let written = 0;
  for (let next = first; ; next = file.write(bytes.subarray(written), position + written)) {
    const count = await next;
    if (count <= 0)
      throw Object.assign(new Error("ENOSPC: nothing more could be written"), { code: "ENOSPC" });
    written += count;
    onWritten(written);
    if (written >= bytes.length) return;
  }
}
