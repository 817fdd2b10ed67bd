/**
 * What must hold for a store with one spoiled file. Always: nothing wrong is read, and what the damage did not touch is
 * all there. A flipped bit is reported, unless its place is on the list of the harmless, and then everything reads as
 * before; it costs at most the lines, or the gzip member, that it has hit. After a cut, a block of NULs or one that is lost
 * a prefix is left, which a shorter session could be as well, or it is reported, and what is good around it is served.
 */

import { judgeSeen } from "../damage/judge-seen.ts";
import type { SeenStore } from "../damage/read-everything.ts";
import { harmlessPlace } from "./harmless.ts";
import { judgeWriting, type Successor } from "./judge-writing.ts";
import { expectationOf, missingRecords, readSpoiled, type Reading, type Spoiled } from "./read-spoiled.ts";
import { spoil, type PlacedSpoiling } from "./spoilings.ts";

export interface Judging {
  /** What is read from the store when nothing is spoiled. */
  readonly baseline: string;
  readonly isThorough: boolean;
  /** Who goes on with the store after the readers. */
  readonly then: "nobody" | Successor["who"];
}

/** Two lines are one where the newline between them was hit. */
const LINES_HIT_BY_ONE_BIT = 2;
const JOURNAL_HEAD_BYTES = 8192;

/** `undefined`: nothing is wrong. */
export async function judgeSpoiling(placed: PlacedSpoiling, judging: Judging): Promise<string | undefined> {
  const { store, file, spoiling } = placed;
  const spoiled: Spoiled = { store, file, bytes: spoil(file.bytes, spoiling) };
  if (spoiled.bytes.equals(file.bytes)) return undefined;
  const reading = await readSpoiled(spoiled, judging.isThorough);
  const wrong =
    judgeSeen(reading.seen, expectationOf(spoiled)) ?? judgeLoss(placed, spoiled, reading, judging);
  if (wrong !== undefined || judging.then === "nobody") return wrong;
  const written = await judgeWriting(spoiled, successorOf(placed, judging.then));
  return written === undefined ? undefined : `${judging.then}: ${written}`;
}

function successorOf({ file, spoiling }: PlacedSpoiling, who: Successor["who"]): Successor {
  const isFlip = spoiling.kind === "flip";
  const isHead = isFlip && file.path.endsWith(".journal") && spoiling.offset < JOURNAL_HEAD_BYTES;
  return { who, keepsSeqs: isFlip && !isHead, mendsAll: isFlip && !file.path.includes("/aliases/") };
}

function judgeLoss(
  { file, spoiling }: PlacedSpoiling,
  spoiled: Spoiled,
  { seen, reports }: Reading,
  { baseline }: Judging,
): string | undefined {
  const isUnchanged = tellSeen(seen) === baseline;
  const isSilent = reports === 0;
  if (spoiling.kind === "flip") {
    const harmless = harmlessPlace(file, spoiling.offset) ?? coveredByJournal(spoiled, spoiling.offset);
    if (isSilent && harmless === undefined) return "nobody reports it";
    if (isSilent && !isUnchanged) return `it is not harmless (${harmless ?? ""}), and nobody reports it`;
    const missing = missingRecords(spoiled, seen);
    if (missing > mostMissing(spoiled, spoiling.offset)) return `it costs ${missing} records`;
    return undefined;
  }
  if (!isSilent || isUnchanged || isPrefix(spoiled, seen)) return undefined;
  return "nobody reports it, and what is left is no prefix";
}

/** Everything that a reading has given, but for how often damage was told. */
export function tellSeen({ infos, sessions }: SeenStore): string {
  return JSON.stringify([infos, [...sessions].map(([key, { records }]) => [key, records])]);
}

/** A record that is in the journal too is laid over what the file says. */
function coveredByJournal({ store, file }: Spoiled, offset: number): string | undefined {
  const journal = store.files.find(({ path }) => path.endsWith(".journal"));
  const start = file.bytes.lastIndexOf("\n", offset - 1) + 1;
  const end = file.bytes.indexOf("\n", offset);
  const line = file.bytes.subarray(start, end === -1 ? undefined : end);
  return start > 0 && journal?.bytes.includes(line) === true ? "in the journal too" : undefined;
}

function mostMissing({ store, file }: Spoiled, offset: number): number {
  const all = Infinity;
  if (file.path.endsWith(".gz") || file.path.includes("/aliases/")) return all;
  // Without a readable head nothing of a journal can be placed; of a block that one bit has hit nothing is lost.
  if (file.path.endsWith(".journal")) return offset < JOURNAL_HEAD_BYTES ? all : 0;
  const isHeader = file.path.endsWith(".jsonl") && offset <= file.bytes.indexOf("\n");
  if (isHeader && !file.path.includes("/segments/")) return all;
  // Those who have forked it miss the same records.
  return (
    LINES_HIT_BY_ONE_BIT * Math.max(1, [...store.idOf.values()].filter((id) => file.owners.has(id)).length)
  );
}

/** Of each touched session: the records up to some seq, and none after it; others of a sealed file are served around it. */
function isPrefix({ store, file }: Spoiled, seen: SeenStore): boolean {
  if (file.path.includes("/segments/")) return true;
  for (const [key, id] of store.idOf) {
    if (!file.owners.has(id) && !file.owners.has(key)) continue;
    const { records = [], failure } = seen.sessions.get(key) ?? {};
    if (failure !== undefined) continue;
    if (records.some(({ seq }, index) => seq !== index + 1)) return false;
  }
  return true;
}
