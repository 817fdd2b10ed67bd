/**
 * Fuzz. A slice makes its stores by its seed and number, then mutates most of their files, again and again, and has each
 * such store read. The files of one store are judged together, so that opening it costs little.
 */

import { resourceUsage } from "node:process";
import { SeededRandom } from "@longhand/store/testing";
import { Violation, type Findings, type Part } from "../part.ts";
import { emptyMachine, foreignCorpus, journalCorpus, sessionCorpus, type Corpus } from "./corpora.ts";
import { judgeFuzzed, type FuzzedStore } from "./judge-fuzzed.ts";
import { judgeForgedControl } from "./forged-control.ts";
import { mutateFile } from "./mutate-file.ts";
import { mutateLines } from "./line-mutations.ts";
import { mutateRaw } from "./raw-mutations.ts";
import { smallestFailing } from "./smallest-failing.ts";

const FILES_OF_A_SLICE = 10_500;
const GATE_SLICES = 20;
/** Of the whole process, at its highest. */
const MEMORY_LIMIT_BYTES = 1024 * 1024 * 1024;

export const fuzz: Part = {
  name: "fuzz",
  title: "Fuzz",
  counts: { "fuzzed files": 200_000 },
  gateSlices: GATE_SLICES,
  weight: 26,
  isDrawn: true,
  obstacle: () => Promise.resolve(undefined),
  run: async (slice, findings) => {
    const random = new SeededRandom(slice.seed * 104_729 + slice.number);
    await fuzzFiles(random, findings).catch((error: unknown) => {
      if (!(error instanceof Violation)) throw error;
      throw new Violation(`${error.message}\n(seed ${slice.seed}, slice ${slice.number})`);
    });
    const highest = resourceUsage().maxRSS * 1024;
    if (highest > MEMORY_LIMIT_BYTES)
      throw new Violation(`reading small files took ${Math.round(highest / 1e6)} MB of memory`);
  },
  control: judgeForgedControl,
};

async function fuzzFiles(random: SeededRandom, findings: Findings): Promise<void> {
  const sessions = await sessionCorpus(random);
  const journals = await journalCorpus(random);
  const empty = await emptyMachine(random.below(2 ** 32));
  const foreign = foreignCorpus();
  for (let files = 0, round = 0; files < FILES_OF_A_SLICE; round++) {
    const fuzzed =
      round % 12 === 11
        ? fuzzForeign(empty, foreign, random)
        : fuzzCorpus(round % 4 === 3 ? journals : sessions, random);
    const wrong = await judge(fuzzed);
    if (wrong !== undefined) {
      const { files: fewest, reason } = await smallestFailing(fuzzed, wrong, judge);
      throw new Violation(`${reason}\n${fewest.map(tellFile).join("\n")}`);
    }
    files += fuzzed.files.length;
    findings.count("fuzzed files", fuzzed.files.length);
  }
}

async function judge(fuzzed: FuzzedStore): Promise<string | undefined> {
  try {
    return await judgeFuzzed(fuzzed);
  } catch (error) {
    if (error instanceof Violation) return error.message;
    throw error;
  }
}

const KEYS_READ_ALONE = 1;

function fuzzCorpus({ sample, files }: Corpus, random: SeededRandom): FuzzedStore {
  const isForged = random.below(3) === 0;
  const mutated = files
    .filter(() => random.below(8) > 0)
    .map((file) => mutateFile(file, files[random.below(files.length)] ?? file, random, isForged));
  // Only a writer follows the names in a journal.
  const oneIn = files.some(({ path }) => path.endsWith(".journal")) ? 2 : 8;
  const { capture, originals, idOf } = sample;
  const all = [...idOf.keys()];
  const keys = Array.from({ length: KEYS_READ_ALONE }, () => all[random.below(all.length)] ?? "");
  return {
    capture,
    files: mutated,
    originals,
    idOf,
    isForged,
    isWritten: random.below(isForged ? oneIn : 32) === 0,
    keys,
  };
}

/** Other programs have no checksums: what they say is believed, so that only the structure can be judged. */
function fuzzForeign(
  capture: FuzzedStore["capture"],
  foreign: ReturnType<typeof foreignCorpus>,
  random: SeededRandom,
): FuzzedStore {
  const files = foreign.map(({ path, bytes }) => {
    const donor = foreign[random.below(foreign.length)]?.bytes ?? bytes;
    const mutate = random.below(2) === 0 ? mutateRaw : mutateLines;
    return { path, bytes: mutate(bytes, random, donor), owners: new Set<string>() };
  });
  const keys = ["pico:0", "whole:1", "agent:2"];
  return { capture, files, originals: new Map(), idOf: new Map(), isForged: true, isWritten: true, keys };
}

const SHOWN_BYTES = 3000;

function tellFile({ path, bytes }: { readonly path: string; readonly bytes: Buffer }): string {
  return `${path}, ${bytes.length} bytes, in base64: ${bytes.subarray(0, SHOWN_BYTES).toString("base64")}`;
}
