/**
 * Simulated crashes: short workloads over every operation, each crashed after every single operation on its disk, with
 * many of the states that a kill or a power loss may leave there. Nothing is left to chance but what the seed decides.
 */

import { failingHost, type FaultPlan, type Host } from "@longhand/store/testing";
import { Violation, type Findings, type Part, type Slice } from "../part.ts";
import { randomWorkload } from "./random-workload.ts";
import { searchCrashes, type SearchOptions } from "./search-crashes.ts";
import { shrinkWorkload } from "./shrink-workload.ts";
import type { Workload } from "./step.ts";
import { WORKLOADS } from "./workloads.ts";

const IMAGES = "distinct images";
/** Different to a reader: many disks differ only in leases, caches and unfinished files, which no reader looks at. */
const READ = "of them different to a reader";
const RECOVERED = "recovered by a writer";
const GATE_IMAGES = 250_000;
/** Slices that search deeply, each some of the named workloads and then random ones. */
const DEEP_SLICES = 16;
/** The slice right behind them crashes all named workloads, with a few power losses after each operation. */
const SURVEY = DEEP_SLICES;
/** Some disks are met in several slices, and count once. */
const IMAGES_OF_A_SLICE: number = Math.ceil((GATE_IMAGES / DEEP_SLICES) * 1.08);

/** Power losses after each operation: of the named workloads, and of the random ones, of which there are more. */
const STATES = 60;
const RANDOM_STATES = 30;
/** First everywhere a few: what is plainly wrong shows soon. */
const FEW_STATES = 5;
const CONTROL_STATES = 20;

/** Each leaves out one step that durability rests on: a sync says yes and does nothing. */
export const OMISSIONS: readonly {
  readonly what: string;
  readonly isIn: RegExp;
  readonly workload: string;
}[] = [
  { what: "the journal", isIn: /\.journal$/, workload: "appends, batches and ids" },
  { what: "the name of the journal", isIn: /\/journal$/, workload: "appends, batches and ids" },
  { what: "the names of sessions", isIn: /^\/store$/, workload: "appends, batches and ids" },
  { what: "session files", isIn: /^\/store\/\.longhand\/new\//, workload: "a journal used again" },
];

export const crashImages: Part = {
  name: "crash-images",
  title: "Simulated crashes",
  counts: { [IMAGES]: GATE_IMAGES, [READ]: 40_000, [RECOVERED]: 50_000, workloads: WORKLOADS.length },
  gateSlices: DEEP_SLICES + 1,
  quickSlices: [SURVEY],
  weight: 24,
  obstacle: () => Promise.resolve(undefined),
  run: runSlice,
  control: async (findings) => {
    let found: Violation | undefined;
    for (const { what, isIn, workload } of OMISSIONS) {
      found = await searchOmission(workload, isIn);
      if (found === undefined) {
        findings.note(`crash-images: without syncing ${what} nothing was lost`);
        return;
      }
    }
    if (found !== undefined) throw found;
  },
};

/** The slice that searches this workload deeply; -1: there is none of this name. */
export function sliceOfWorkload(name: string): number {
  const index = WORKLOADS.findIndex((workload) => workload.name === name);
  return index === -1 ? -1 : index % DEEP_SLICES;
}

async function runSlice({ seed, number, isFixedOnly }: Slice, findings: Findings): Promise<void> {
  const images = new Set<bigint>();
  const onImage = (fingerprint: bigint): void => {
    images.add(fingerprint);
    findings.distinct(IMAGES, fingerprint);
  };
  const told = {
    onImage,
    onRead: (fingerprint: bigint) => findings.distinct(READ, fingerprint),
    onRecovered: () => findings.count(RECOVERED),
  };
  const where = `slice ${number}, seed ${seed}`;
  const isSurvey = number === SURVEY;
  const named = [...WORKLOADS.entries()].filter(([index]) => isSurvey || index % DEEP_SLICES === number);
  findings.count("workloads", named.length);
  for (const states of isSurvey ? [FEW_STATES] : [FEW_STATES, STATES]) {
    for (const [index, workload] of named) {
      await search(workload, { states, seed, withOpening: index === 0, ...told }, where);
    }
  }
  if (isSurvey || isFixedOnly === true) return;
  for (let drawn = 0; images.size < IMAGES_OF_A_SLICE; drawn += 1) {
    const workload = randomWorkload(mixSeeds(seed, number, drawn));
    const options = { states: RANDOM_STATES, seed: seed + drawn, withOpening: false, ...told };
    findings.count("workloads");
    await search(workload, options, where);
  }
}

async function search(workload: Workload, options: SearchOptions, where: string): Promise<void> {
  const violation = await searchCrashes(workload, options);
  if (violation === undefined) return;
  const shortest = await shrinkWorkload(
    workload,
    violation,
    async (shorter) => await searchCrashes(shorter, options),
  );
  throw new Violation(`${where}: ${shortest}`);
}

/** The search on a machine that leaves a step out. `undefined`: it has found nothing. */
export async function searchOmission(name: string, isIn: RegExp): Promise<Violation | undefined> {
  const workload = WORKLOADS.find((each) => each.name === name);
  if (workload === undefined) throw new Error(`no workload ${name}`);
  const plan: FaultPlan = ({ operation, path }) =>
    (operation === "sync" || operation === "syncDirectory") && isIn.test(path)
      ? { kind: "ignored" }
      : undefined;
  const spoil = (host: Host): Host => failingHost(host, plan);
  const violation = await searchCrashes(workload, {
    states: CONTROL_STATES,
    seed: 1,
    withOpening: false,
    spoil,
  });
  return violation === undefined ? undefined : new Violation(violation);
}

/** Different for every slice of every run. */
function mixSeeds(seed: number, slice: number, drawn: number): number {
  return (
    (Math.imul(seed, 0x9e3779b1) ^ Math.imul(slice + 1, 0x85ebca6b) ^ Math.imul(drawn + 1, 0xc2b2ae35)) >>> 0
  );
}
