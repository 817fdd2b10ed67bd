/**
 * Real full disks, ext4 and tmpfs, out of bytes or out of inodes: the store writes, forks, seals and archives until
 * there is no room, and goes on trying. Then it is read, closed and opened again or killed while the disk is full; then
 * somebody makes room, and everything goes on.
 *
 * What is done follows from seed and slice; which of several writes at the same time is the first that does not fit, and
 * when a writer is killed, is left to the machine.
 */

import { obstacleToDisks } from "../disks/obstacle-to-disks.ts";
import type { Part } from "../part.ts";
import { fillAndGoOn } from "./fill-and-go-on.ts";
import { fillAndKill } from "./fill-and-kill.ts";
import { fillAndReopen } from "./fill-and-reopen.ts";
import { inFullDisk, type FullDiskPlan } from "./full-disk.ts";

const DISKS = 3;
const CONTROL_DISKS = 15;
const SHAPES: readonly Pick<FullDiskPlan, "kind" | "scarcity">[] = [
  { kind: "ext4", scarcity: "bytes" },
  { kind: "ext4", scarcity: "inodes" },
  { kind: "tmpfs", scarcity: "bytes" },
  { kind: "tmpfs", scarcity: "inodes" },
];
const COURSES = [fillAndGoOn, fillAndReopen, fillAndKill] as const;

export const diskFull: Part = {
  name: "disk-full",
  title: "Real full disks",
  counts: { "disks filled": 5, refusals: 50, acknowledgements: 200 },
  gateSlices: 4,
  weight: 1,
  isLeftToChance: true,
  obstacle: async () => await obstacleToDisks([]),
  run: async (slice, findings) => {
    for (let index = 0; index < DISKS; index += 1) {
      const number = slice.number * DISKS + index;
      // Each shape meets each course, since one is as long as four and the other as long as three.
      const shape = SHAPES[number % SHAPES.length];
      const course = COURSES[number % COURSES.length];
      if (shape === undefined || course === undefined) throw new Error("unreachable");
      const plan = { ...shape, seed: slice.seed, slice: slice.number, disk: index, isControl: false };
      await inFullDisk(plan, findings, course);
    }
  },
  control: async (findings) => {
    for (let disk = 0; disk < CONTROL_DISKS; disk += 1) {
      await inFullDisk(
        { kind: "tmpfs", scarcity: "bytes", seed: 1, slice: 0, disk, isControl: true },
        findings,
        async (place) => await fillAndKill(place, "believes-short-writes"),
      );
    }
  },
};
