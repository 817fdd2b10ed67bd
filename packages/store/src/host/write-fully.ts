import type { OpenFile } from "./host.ts";

/**
 * Writes all of `bytes`. A full disk shows as a short count without an error, so the count is checked; the error
 * comes with the next call, and where it does not, we make it ourselves. `onWritten` is told how much is in the file so
 * far: for those who must know it after a failure.
 */
export async function writeFully(
  file: OpenFile,
  bytes: Buffer,
  position: number,
  onWritten: (written: number) => void = () => undefined,
): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const count = await file.write(bytes.subarray(written), position + written);
    if (count <= 0)
      throw Object.assign(new Error("ENOSPC: nothing more could be written"), { code: "ENOSPC" });
    written += count;
    onWritten(written);
  }
}
