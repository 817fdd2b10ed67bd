import type { OpenFile } from "./host.ts";

/**
 * Writes all of `bytes`. A full disk shows as a short count without an error, so the count is checked; the error
 * comes with the next call, and where it does not, we make it ourselves.
 */
export async function writeFully(file: OpenFile, bytes: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const count = await file.write(bytes.subarray(written), position + written);
    if (count <= 0)
      throw Object.assign(new Error("ENOSPC: nothing more could be written"), { code: "ENOSPC" });
    written += count;
  }
}
