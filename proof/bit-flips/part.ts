/**
 * Bit flips and cuts. The first slices share out every single-bit flip, every length and every lost block of the small
 * stores; each slice from there on makes a larger store of its own, by chance, and spoils places of it by chance.
 */

import { SeededRandom } from "@longhand/store/testing";
import type { SampleStore } from "../damage/sample-store.ts";
import { Violation, type Findings, type Part, type Slice } from "../part.ts";
import { judgeForged } from "./forged-line.ts";
import { judgeSpoiling, tellSeen, type Judging } from "./judge-spoiling.ts";
import { flipsOfLivingLease, judgeLivingLease } from "./living-lease.ts";
import { largerStore } from "./larger-store.ts";
import { readSpoiled } from "./read-spoiled.ts";
import { smallStores } from "./small-stores.ts";
import { everySpoiling, someSpoilings, tellSpoiling, type PlacedSpoiling } from "./spoilings.ts";

/** Slices that share the small stores. */
const SMALL_SLICES = 12;
const LARGER_SLICES = 2;
const SPOILINGS_OF_A_LARGER_STORE = 600;

/** Each so-manieth is read by every way, written to, repaired. */
const THOROUGH = 16;
const WRITTEN = 48;

export const bitFlips: Part = {
  name: "bit-flips",
  title: "Bit flips and cuts",
  counts: { "bit flips": 10_000, cuts: 5_000, "bit flips of a held lease": 800 },
  gateSlices: SMALL_SLICES + LARGER_SLICES,
  weight: 1,
  obstacle: () => Promise.resolve(undefined),
  run: async (slice, findings) => {
    if (slice.number < SMALL_SLICES) {
      const all = everySpoiling(await smallStores());
      await judgeAll(all, slice, findings, (index) => index % SMALL_SLICES === slice.number);
      const flips = await flipsOfLivingLease();
      for (let flip = slice.number; flip < flips; flip += SMALL_SLICES) {
        await judgeLivingLease(flip);
        findings.count("bit flips of a held lease");
      }
      return;
    }
    const random = new SeededRandom(slice.seed * 7919 + slice.number);
    const store = await largerStore(random);
    const some = someSpoilings(store, random, SPOILINGS_OF_A_LARGER_STORE);
    await judgeAll(some, slice, findings, () => true);
  },
  control: async (findings) => {
    const found = [await storyOf(judgeForged), await storyOf(judgeFreedLease)];
    const stories = found.filter((story) => story !== undefined);
    if (stories.length < found.length) findings.note("bit-flips: one of the two controls finds nothing");
    else throw new Violation(stories.join("\n\n"));
  },
};

/** The control of held leases: one that is empty is free, and a second writer gets in. */
async function judgeFreedLease(): Promise<void> {
  await judgeLivingLease(0, () => Buffer.alloc(0));
}

async function storyOf(control: () => Promise<void>): Promise<string | undefined> {
  try {
    await control();
    return undefined;
  } catch (error) {
    if (error instanceof Violation) return error.message;
    throw error;
  }
}

async function judgeAll(
  spoilings: Iterable<PlacedSpoiling>,
  slice: Slice,
  findings: Findings,
  isOurs: (index: number) => boolean,
): Promise<void> {
  const baselines = new Map<SampleStore, string>();
  let index = 0;
  let judged = 0;
  for (const placed of spoilings) {
    if (!isOurs(index++)) continue;
    const baseline = baselines.get(placed.store) ?? (await readBaseline(placed));
    baselines.set(placed.store, baseline);
    const wrong = await judgeOne(placed, judgingOf(placed, judged++, baseline));
    if (wrong !== undefined) {
      throw new Violation(`${tellSpoiling(placed)}: ${wrong} (seed ${slice.seed}, slice ${slice.number})`);
    }
    findings.count(placed.spoiling.kind === "flip" ? "bit flips" : "cuts");
  }
}

/** A violation is told with its place. */
async function judgeOne(placed: PlacedSpoiling, judging: Judging): Promise<string | undefined> {
  try {
    return await judgeSpoiling(placed, judging);
  } catch (error) {
    if (error instanceof Violation) return error.message;
    throw error;
  }
}

/** A lease is nothing to readers: whoever writes must not be kept out by what is left of one. */
function judgingOf({ file }: PlacedSpoiling, judged: number, baseline: string): Judging {
  const turn = judged % WRITTEN;
  const isLease = file.path.includes("/.longhand/leases/");
  const then = turn === 0 || isLease ? "a writer" : turn === WRITTEN / 2 ? "a repair" : "nobody";
  return { baseline, isThorough: judged % THOROUGH === 1, then };
}

/** An undamaged store has nothing to report, or its reports would prove nothing. */
async function readBaseline({ store, file }: PlacedSpoiling): Promise<string> {
  const { seen, reports } = await readSpoiled({ store, file, bytes: file.bytes }, true);
  if (reports > 0) throw new Error(`the store "${store.name}" reports damage before anything is spoiled`);
  return tellSeen(seen);
}
