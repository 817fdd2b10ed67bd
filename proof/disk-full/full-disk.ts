/** A small disk with little room, for one course of events; what goes wrong in it is a violation that names it. */

import { join } from "node:path";
import { isLonghandError } from "@longhand/store";
import { SeededRandom } from "@longhand/store/testing";
import { Disk, type DiskKind } from "../disks/disk.ts";
import { removeStaleDirectories } from "../disks/stale-directories.ts";
import { Violation, type Findings } from "../part.ts";
import { keepEvidence } from "../writers/keep-evidence.ts";
import { Ledger } from "../writers/ledger.ts";
import type { Told } from "../writers/operation.ts";
import { fillUpTo, giveRoom, type Scarcity } from "./ballast.ts";

export interface FullDiskPlan {
  readonly kind: DiskKind;
  readonly scarcity: Scarcity;
  readonly seed: number;
  readonly slice: number;
  /** In the slice. */
  readonly disk: number;
  /** What a violation leaves is not kept. */
  readonly isControl: boolean;
}

export interface FullDisk {
  readonly directory: string;
  readonly scarcity: Scarcity;
  readonly random: SeededRandom;
  readonly ledger: Ledger;
  /** Counts what was told, and hands it to the ledger. */
  readonly hear: (told: readonly Told[]) => void;
  readonly giveRoom: () => Promise<void>;
}

const BYTES = 6 * 2 ** 20;
const INODES = 256;
/** What a store needs to open at all, and some more. */
const ROOM: Readonly<Record<Scarcity, readonly [least: number, more: number]>> = {
  bytes: [150_000, 400_000],
  inodes: [30, 40],
};

/** `course` answers with what is wrong. */
export async function inFullDisk(
  plan: FullDiskPlan,
  findings: Findings,
  course: (disk: FullDisk) => Promise<string | undefined>,
): Promise<void> {
  await removeStaleDirectories();
  const { kind, scarcity, seed, slice } = plan;
  const random = new SeededRandom(seed * 1_000_003 + slice * 7877 + plan.disk * 31 + 2);
  const disk = await Disk.make({ kind, bytes: BYTES, ...(scarcity === "inodes" ? { inodes: INODES } : {}) });
  try {
    const [least, more] = ROOM[scarcity];
    const room = least + random.below(more);
    await fillUpTo(disk.path, scarcity, room);
    const ledger = new Ledger();
    const directory = join(disk.path, "store");
    const wrong = await course({
      ...{ directory, scarcity, random, ledger },
      hear: (told) => {
        ledger.hear(told, true);
        findings.count("acknowledgements", told.filter(({ kind }) => kind === "done").length);
        findings.count("refusals", told.filter(isRefusal).length);
      },
      giveRoom: async () => await giveRoom(disk.path),
    }).catch((error: unknown) => {
      if (!isLonghandError(error)) throw error;
      return `${error.code}: ${error.message}`;
    });
    if (wrong !== undefined) {
      throw new Violation(
        `disk-full, slice ${slice}, seed ${seed}, disk ${plan.disk}: ${kind} with room for ${room} ${scarcity}: ` +
          `${wrong}${plan.isControl ? "" : `\n${keepEvidence(directory)}`}`,
      );
    }
    findings.count("disks filled");
  } finally {
    disk.remove();
  }
}

export function isRefusal(told: Told): boolean {
  return told.kind === "failed" && told.code === "DISK_FULL";
}
