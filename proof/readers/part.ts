/**
 * Every reader beside every mover, on one simulated machine. Each pair is a slice: first with whole moves between any two
 * calls of the reader, for every pair of moments, or as many as the bound allows; then with turns drawn from the seed, which
 * stop the mover in the middle of a move.
 */

import { SeededRandom, type Host } from "@longhand/store/testing";
import { alteredHost } from "../altered-host.ts";
import { Violation, type Findings, type Part, type Slice } from "../part.ts";
import { MOVERS, type Mover } from "./movers.ts";
import { readBeside, type BesideOptions } from "./read-beside.ts";
import { READERS, type Reader } from "./readers.ts";
import { prepareScene } from "./scene.ts";

interface Pairing {
  readonly readerName: string;
  readonly reader: Reader;
  readonly moverName: string;
  readonly mover: Mover;
}

const PAIRINGS: readonly Pairing[] = Object.entries(MOVERS).flatMap(([moverName, mover]) =>
  Object.entries(READERS).map(([readerName, reader]) => ({ readerName, reader, moverName, mover })),
);

/** So many pairs are all tried: those of a reading by key. */
const MOST_PAIRS_OF_MOMENTS = 1_450;
/** Of more, so many. */
const PAIRS_OF_A_SAMPLE = 550;
export const DRAWN_TURNS = 60;

export const readers: Part = {
  name: "readers",
  title: "Readers beside movers",
  counts: { readings: 25_000, pairings: PAIRINGS.length, "fully searched": 17 },
  gateSlices: PAIRINGS.length,
  quickSlices: [
    sliceOfPairing("list", "restore and archive"),
    sliceOfPairing("state", "newer of two"),
    sliceOfPairing("records", "drop"),
  ],
  weight: 1,
  obstacle: () => Promise.resolve(undefined),
  run: async (slice, findings) => await search(slice, findings),
  control: async (findings) =>
    await search({ seed: 1, number: sliceOfPairing("list", "restore and archive") }, findings, withoutMarks),
};

/** -1: there is no such pairing. */
export function sliceOfPairing(reader: string, mover: string): number {
  return PAIRINGS.findIndex((each) => each.readerName === reader && each.moverName === mover);
}

async function search(
  { seed, number, isFixedOnly }: Slice,
  findings: Findings,
  spoil?: (host: Host) => Host,
): Promise<void> {
  const pairing = PAIRINGS[number % PAIRINGS.length];
  if (pairing === undefined) return;
  const { reader, mover } = pairing;
  const scene = await prepareScene(mover);
  const options = {
    scene,
    mover,
    reader,
    ...(spoil === undefined ? {} : { spoil }),
  };
  const attempt = async (turns: readonly number[]): Promise<number> =>
    await tryTurns(pairing, options, turns, findings);
  const { readerCalls, moveEnds } = await readBeside({ ...options, turns: [] });
  if (number < PAIRINGS.length) {
    const callsAfterMove: number[] = [];
    for (let first = 0; first <= readerCalls; first++)
      callsAfterMove.push(await attempt([first, moveEnds[0] ?? 0]));
    const pairs = pairsOfMoments(callsAfterMove);
    const isFull = pairs.length <= MOST_PAIRS_OF_MOMENTS;
    const step = isFull ? 1 : Math.ceil(pairs.length / PAIRS_OF_A_SAMPLE);
    findings.count("pairings");
    if (isFull) findings.count("fully searched");
    for (let index = 0; index < pairs.length; index += step)
      await attempt(wholeMoves(pairs[index] ?? [0, 0], moveEnds));
  }
  if (isFixedOnly === true) return;
  const random = new SeededRandom((seed ^ Math.imul(number + 1, 0x9e3779b1)) >>> 0);
  const moverCalls = moveEnds.at(-1) ?? 0;
  for (let drawn = 0; drawn < DRAWN_TURNS; drawn++) {
    const turns = Array.from({ length: 6 }, (_, index) =>
      random.below(1 + Math.ceil(((index % 2 === 0 ? readerCalls : moverCalls) * 2) / 3)),
    );
    await attempt(turns);
  }
}

/** Answers with how many calls the reader made. */
async function tryTurns(
  { readerName, moverName }: Pairing,
  options: Omit<BesideOptions, "turns">,
  turns: readonly number[],
  findings: Findings,
): Promise<number> {
  const { wrong, readerCalls } = await readBeside({ ...options, turns });
  findings.count("readings");
  if (wrong === undefined) return readerCalls;
  const story = turns
    .map((calls, index) => `${calls} of the ${index % 2 === 0 ? "reader" : "mover"}`)
    .join(", ");
  throw new Violation(
    `${readerName} beside "${moverName}": ${wrong}\nin these turns of calls: ${story}, then the reader to its end`,
  );
}

/**
 * Of calls of the reader: the first before the second. `callsAfterMove`: how many the reader makes if a move comes after so
 * many of them; it may look again then, so that there are more moments for the second move than without the first.
 */
export function pairsOfMoments(callsAfterMove: readonly number[]): (readonly [number, number])[] {
  return callsAfterMove.flatMap((calls, first) =>
    Array.from({ length: Math.max(0, calls + 1 - first) }, (_, index) => [first, first + 1 + index] as const),
  );
}

/** One move at the first moment, the next at the second, all others after that, one at a time. */
function wholeMoves([first, second]: readonly [number, number], moveEnds: readonly number[]): number[] {
  const turns: number[] = [];
  for (const [index, end] of moveEnds.entries()) {
    const reads = index === 0 ? first : second - first;
    turns.push(reads, end - (moveEnds[index - 1] ?? 0));
  }
  return turns;
}

/** The step that is left out: the reader does not learn that a session has moved meanwhile, as before moves were counted. */
function withoutMarks(host: Host): Host {
  return alteredHost(host, (files) => ({
    readDirectory: async (path) =>
      (await files.readDirectory(path)).filter((name) => !name.includes(".moved.")),
  }));
}
