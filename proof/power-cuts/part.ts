/**
 * Real power cuts: a writer on a disk of its own, ext4 or XFS, which is shut down without flushing anything, not even
 * the file system's own log. Then it is mounted again, which recovers the file system, and looked at. The same disk
 * lives on through all cuts of a slice.
 *
 * The writer is stopped before the cut, with no call of its own in the kernel: a sync that is at work during such a cut
 * may say yes although its data is gone, which no real power loss makes it do. What it has told before is what counts.
 * What is done follows from seed and slice; the point of it at which the power goes, and what the kernel has written by
 * then without being asked, is left to the machine.
 */

import process from "node:process";
import { missingTool } from "../disks/missing-tool.ts";
import { obstacleToDisks } from "../disks/obstacle-to-disks.ts";
import type { Part } from "../part.ts";
import { runCuts } from "./run-cuts.ts";

const CUTS = 10;
const CONTROL_CUTS = 10;
/** XFS is cut where it can be made, and told of where not; ext4 must be there. */
const hasXfs = missingTool(["mkfs.xfs"]) === undefined;
const kindOf = (slice: number): "ext4" | "xfs" => (hasXfs && slice % 3 === 2 ? "xfs" : "ext4");

/** What may be left out elsewhere may not be where everything must be shown. */
export function neededTools(isCi: boolean): readonly string[] {
  return ["perl", "setpriv", ...(isCi ? ["mkfs.xfs"] : [])];
}

export const powerCuts: Part = {
  name: "power-cuts",
  title: "Real power cuts",
  counts: { "cuts on ext4": 20, "cuts on XFS": hasXfs ? 10 : 0, acknowledgements: 100 },
  gateSlices: 3,
  weight: 4,
  isLeftToChance: true,
  obstacle: async () => await obstacleToDisks(neededTools((process.env["CI"] ?? "") !== "")),
  run: async (slice, findings) => {
    if (!hasXfs && slice.number === 0)
      findings.note("power-cuts: XFS is left out, since mkfs.xfs is not installed");
    await runCuts({ slice, findings, cuts: CUTS, kind: kindOf(slice.number), conduct: "honest" });
  },
  control: async (findings) => {
    const slice = { seed: 1, number: 0 };
    await runCuts({ slice, findings, cuts: CONTROL_CUTS, kind: "ext4", conduct: "never-syncs" });
  },
};
