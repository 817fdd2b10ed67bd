import type { DiskCounts } from "./counting-host.ts";

/** Landing goes on after the answer: waits until the disk is quiet. */
export async function settled(counts: DiskCounts): Promise<void> {
  for (let quiet = 0, last = ""; quiet < 10;) {
    const now = JSON.stringify(counts);
    quiet = now === last ? quiet + 1 : 0;
    last = now;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}
