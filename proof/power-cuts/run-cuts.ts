/** One disk through many power cuts: in each round a writer lives, and the power goes. */

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SeededRandom } from "@longhand/store/testing";
import { Disk } from "../disks/disk.ts";
import { removeStaleDirectories } from "../disks/stale-directories.ts";
import { Violation, type Findings, type Slice } from "../part.ts";
import { examineAsReader, examineAsWriter } from "../writers/examine-store.ts";
import { keepEvidence } from "../writers/keep-evidence.ts";
import { Ledger } from "../writers/ledger.ts";
import type { Write } from "../writers/operation.ts";
import type { Orders } from "../writers/orders.ts";
import { tellLives, unexpected } from "../writers/tell-lives.ts";
import { WriterProcess } from "../writers/writer-process.ts";

interface Cuts {
  readonly slice: Slice;
  readonly findings: Findings;
  readonly cuts: number;
  readonly kind: "ext4" | "xfs";
  readonly conduct: Orders["conduct"];
}

const KEYS = ["cuts:1", "cuts:2", "cuts:3"] as const;
/** XFS is not made smaller than 300 MB. The images are sparse. */
const BYTES = { ext4: 64 * 2 ** 20, xfs: 320 * 2 ** 20 } as const;
const COUNTED_AS = { ext4: "cuts on ext4", xfs: "cuts on XFS" } as const;
/** Whatever it was to wait for: the power goes then. */
const LONGEST_LIFE = 10_000;
/** A writer that is stopped does not see that its parent was killed; so it goes with it. */
const WITH_ITS_PARENT = ["setpriv", "--pdeathsig", "KILL"];

export async function runCuts({ slice, findings, cuts, kind, conduct }: Cuts): Promise<void> {
  await removeStaleDirectories();
  const random = new SeededRandom(slice.seed * 1_000_003 + slice.number * 7877 + 1);
  const ledger = new Ledger();
  const disk = await Disk.make({ kind, bytes: BYTES[kind] });
  const directory = join(disk.path, "store");
  let again: Write[] = [];
  let writer = new WriterProcess(WITH_ITS_PARENT);
  try {
    for (let round = 1; round <= cuts; round += 1) {
      await writer.started();
      writer.begin({
        ...{ directory, life: round, seed: random.below(2 ** 31), conduct, again },
        keys: [...KEYS, ...ledger.forks.slice(-2)],
        ...{ segmentBytes: 24 * 1024, journalBytes: 64 * 1024, longText: 6000, hugeText: 200_000 },
      });
      const moment = await waitForMoment(writer, random);
      await writer.stop();
      await disk.cutPower();
      await writer.kill();
      const dead = writer;
      if (round < cuts) writer = new WriterProcess(WITH_ITS_PARENT);
      await disk.comeBack();
      findings.count(COUNTED_AS[kind]);
      findings.count("acknowledgements", dead.told.filter((each) => each.kind === "done").length);
      again = ledger.hear(dead.told, true);
      const wrong =
        // The control must be found by what it has lost.
        (conduct === "honest" ? unexpected([dead], ["SESSION_EXISTS", "SESSION_NOT_FOUND"]) : undefined) ??
        (await examineAsReader(directory, ledger)) ??
        // Now and then it is left to the next writer to recover what this one has left.
        (random.below(3) > 0 || round === cuts
          ? await examineAsWriter(directory, ledger, { key: KEYS[0], name: `«look ${round}»` })
          : undefined);
      if (wrong === undefined) continue;
      const evidence = conduct === "honest" ? `\n${keepEvidence(directory)}` : "";
      throw new Violation(
        `power-cuts, slice ${slice.number}, seed ${slice.seed}, after cut ${round} on ${kind} (${moment}): ${wrong}` +
          `\n${tellLives([dead])}${evidence}`,
      );
    }
  } finally {
    await writer.kill();
    disk.remove();
  }
}

/** Counted from its orders, so that opening is hit too, or by what it has told: before an answer, or after it. */
async function waitForMoment(writer: WriterProcess, random: SeededRandom): Promise<string> {
  const milliseconds = random.below(150);
  const count = 1 + random.below(150);
  switch (random.below(4)) {
    case 0:
      await sleep(milliseconds);
      return `${milliseconds} ms after its orders`;
    case 1:
      await writer.toldOf("trying", count, LONGEST_LIFE);
      return `when it tried for the ${count}th time`;
    default:
      await writer.toldOf("done", count, LONGEST_LIFE);
      return `after ${count} answers`;
  }
}
