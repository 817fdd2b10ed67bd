/** A writer in a process of its own that meets a full disk and is killed while it is full. */

import type { Orders } from "../writers/orders.ts";
import { tellLives, unexpected } from "../writers/tell-lives.ts";
import { WriterProcess } from "../writers/writer-process.ts";
import { goOnReopened, openWhileFull } from "./fill-and-reopen.ts";
import { isRefusal, type FullDisk } from "./full-disk.ts";
import { EXPECTED, JOURNAL_BYTES, keysOf, SEGMENT_BYTES } from "./store-on-full-disk.ts";

const REFUSALS = 10;
/** A writer that has not filled its disk by then hangs. */
const LONGEST_LIFE = 60_000;

export async function fillAndKill(
  disk: FullDisk,
  conduct: Orders["conduct"] = "honest",
): Promise<string | undefined> {
  const writer = new WriterProcess();
  try {
    await writer.started();
    writer.begin({
      ...{ directory: disk.directory, life: 1, seed: disk.random.below(2 ** 31), conduct },
      ...{ keys: keysOf(disk), again: [], journalBytes: JOURNAL_BYTES, segmentBytes: SEGMENT_BYTES },
      ...{ longText: 9000, hugeText: 100_000 },
    });
    const refusals = await writer.toldOf(isRefusal, REFUSALS, LONGEST_LIFE);
    if (refusals === 0 && writer.mishap === undefined)
      throw new Error(`the disk does not get full:\n${tellLives([writer])}`);
  } finally {
    await writer.kill();
  }
  disk.hear(writer.told);
  const wrong =
    // The control must be found by what it has lost.
    (conduct === "honest" ? unexpected([writer], EXPECTED) : undefined) ??
    (await openWhileFull(disk)) ??
    (await goOnReopened(disk));
  return wrong && `killed while it was full: ${wrong}\n${tellLives([writer])}`;
}
