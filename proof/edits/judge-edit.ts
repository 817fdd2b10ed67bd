/**
 * What must hold for a closed store in which whole lines of a file were edited. Nothing wrong is read, no half batch, and the same in both directions. What is not all there is reported, by
 * verify too, and in the same words as reading. An append works, gets a seq that no line speaks of, and hides nothing. A repair serves every record whose line is still in its file, keeps the
 * bytes of all others, and leaves nothing to report.
 */

import { LonghandError, type Damage, type Store, type VerifyReport } from "@longhand/store";
import type { Host, SimulatedMachine } from "@longhand/store/testing";
import { openCollecting, readBy, type Reading } from "../bit-flips/read-spoiled.ts";
import { judgeSeen, type Expectation } from "../damage/judge-seen.ts";
import { attempt, untyped, type SeenStore } from "../damage/read-everything.ts";
import { DIRECTORY, message, type SampleStore } from "../damage/sample-store.ts";
import { filesUnder, putFile } from "../damage/simulated-files.ts";
import {
  beginsWithAnotherHeader,
  contentAt,
  hasHeaderAnywhere,
  hasOwnHeader,
  type EditedStore,
} from "./edited-store.ts";
import { contentOf } from "./line-files.ts";
import { Ownership, writtenLines, type WrittenLine } from "./written-lines.ts";

export interface Knowledge {
  readonly lines: readonly WrittenLine[];
  /** A writer was killed: its journal is replayed into the files as they are after the edit. */
  readonly isCrashed: boolean;
  readonly ownership: Ownership;
  /** Its checkpoints do not say where they were written: reading may begin at one behind a line that was moved. */
  readonly isOfEarlierVersion: boolean;
}

export function knowledgeOf(store: SampleStore): Knowledge {
  const lines = writtenLines(store);
  const isOfEarlierVersion = lines.some(
    ({ raw }) => raw.includes('{"checkpoint":') && !raw.includes('"before":"'),
  );
  const isCrashed = lines.some(({ isJournaled }) => isJournaled);
  return { lines, ownership: new Ownership(store), isOfEarlierVersion, isCrashed };
}

const WORDS = "after the edit";

/** `undefined`: nothing is wrong. `then`: who goes on with it after the reader: a writer and then a repair, or a repair alone. */
export async function judgeEdit(
  edited: EditedStore,
  known: Knowledge,
  then: "append" | "repair" | "nobody",
): Promise<string | undefined> {
  const reading = await readBy((await machineOf(edited)).startProcess(), edited.store, true);
  const wrong = judgeReading(edited, known, reading);
  if (wrong !== undefined || then === "nobody") return wrong;
  const machine = await machineOf(edited);
  const damage: Damage[] = [];
  const opened = await openCollecting(machine.startProcess(), damage, false).catch((error: unknown) => {
    if (error instanceof LonghandError) return error;
    throw untyped("opening for writing", error);
  });
  if (opened instanceof LonghandError) return `it cannot be opened for writing: ${opened.message}`;
  const written = then === "append" ? await judgeAppends(opened, edited, known, reading) : undefined;
  const mended =
    written ??
    (await judgeRepair(opened, (report) =>
      known.isCrashed ? judgeCrashedRepair(edited, known, reading, report, then) : undefined,
    )) ??
    (known.isCrashed ? await judgeNextSeqs(opened, edited, known) : undefined);
  await opened.close();
  return mended ?? (await judgeAfter(machine.startProcess(), edited, known));
}

async function machineOf({ store, changed }: EditedStore): Promise<SimulatedMachine> {
  const machine = store.capture.afterKill();
  const disk = machine.startProcess();
  for (const [path, bytes] of changed) await putFile(disk, path, bytes);
  return machine;
}

function touchedBy({ store, changed }: EditedStore): ReadonlySet<string> {
  return new Set(store.files.filter(({ path }) => changed.has(path)).flatMap(({ owners }) => [...owners]));
}

function expectationOf(edited: EditedStore): Expectation {
  const { originals, idOf } = edited.store;
  return { originals, idOf, touched: touchedBy(edited), isShuffled: edited.isMany };
}

function judgeReading(edited: EditedStore, known: Knowledge, reading: Reading): string | undefined {
  const { seen, damage } = reading;
  const wrong = judgeSeen(seen, expectationOf(edited)) ?? judgeBatches(edited, known, reading);
  if (wrong !== undefined) return wrong;
  const verified = seen.verified?.damage ?? [];
  if (verified.length === 0 && !isComplete(edited, seen) && !mayBeOlder(edited, known))
    return "records are missing, and verify does not report it";
  if (reading.reports > 0 && verified.length === 0) return "reading reports what verify does not";
  const unheard =
    edited.isMany || known.isOfEarlierVersion
      ? undefined
      : damage.find((each) => !isAmong(each, edited, verified));
  return unheard === undefined
    ? undefined
    : `reading says "${wordsOf(unheard)}", verify only ${verified.map(wordsOf).join("; ")}`;
}

function isAmong(
  { file, offset, reason }: Damage,
  edited: EditedStore,
  verified: readonly Damage[],
): boolean {
  const ofFile = verified.filter((each) => each.file === file);
  if (beginsWithAnotherHeader(edited, file)) return ofFile.length > 0;
  return ofFile.some((each) => each.offset === offset && each.reason === reason);
}

const wordsOf = ({ file, offset, reason }: Damage): string => `${file} at ${offset}: ${reason}`;

/** Everything that was served before is served. */
function isComplete({ store }: EditedStore, { sessions, infos }: SeenStore): boolean {
  const listed = new Set(infos.map(({ id }) => id));
  if ([...store.originals.keys()].some((id) => !listed.has(id))) return false;
  return [...store.idOf].every(
    ([key, id]) => sessions.get(key)?.records.length === store.originals.get(id)?.records.size,
  );
}

/** Each changed file is an active one that ends earlier, at the end of a line: it may have been so before. */
function isShortened({ store, changed, isMany }: EditedStore): boolean {
  return [...changed].every(([path, bytes]) => {
    const before = store.files.find((file) => file.path === path)?.bytes;
    if (path.includes("/segments/") || bytes.length === 0 || before === undefined) return false;
    const isPrefix = before.subarray(0, bytes.length).equals(bytes);
    // Of several edits one may have taken a checkpoint away, which is no record.
    return isPrefix || (isMany && recordsOf(before).startsWith(recordsOf(bytes)));
  });
}

/** It may be an older file, and no journal has records of its session. */
function mayBeOlder(edited: EditedStore, { lines }: Knowledge): boolean {
  const touched = touchedBy(edited);
  return isShortened(edited) && !lines.some(({ salt, isJournaled }) => isJournaled && touched.has(salt));
}

/** The last record before those that only the journal has is gone, by the edit: nothing shows any more that they come behind the file's end. */
function isCutOff(edited: EditedStore, { lines }: Knowledge, id: string): boolean {
  const own = lines.filter(({ salt, isRecord }) => salt === id && isRecord);
  const isThere = ({ path, raw }: WrittenLine): boolean => contentAt(edited, path).includes(raw);
  const first = Math.min(...own.filter((line) => line.isJournaled && !isThere(line)).map(({ seq }) => seq));
  const before = own.find(({ seq }) => seq === first - 1);
  return before !== undefined && !before.isJournaled && !isThere(before);
}

function recordsOf(bytes: Buffer): string {
  return bytes.toString("latin1").replace(/^\{"checkpoint":.*\n/gmu, "");
}

const BAD_LINE = /checksum mismatch|not a whole record|no header line/;

/** Whole or not at all. */
function judgeBatches(
  { store, isMany }: EditedStore,
  { lines, ownership }: Knowledge,
  { seen, damage }: Reading,
): string | undefined {
  // A line of another session in a batch looks like a damaged one of its own: what is good around it is served.
  if (isMany && damage.some(({ reason }) => BAD_LINE.test(reason))) return undefined;
  for (const [key, { records }] of seen.sessions) {
    const id = store.idOf.get(key) ?? "";
    const original = store.originals.get(id);
    const served = new Set(records.map(({ seq }) => seq));
    for (const { batch, salt, seq } of lines) {
      if (!ownership.has(id, salt, seq) || original?.records.has(seq) !== true) continue;
      const own = rangeOf(batch).filter(
        (each) => ownership.has(id, salt, each) && original.records.has(each),
      );
      const there = own.filter((each) => served.has(each));
      if (there.length > 0 && there.length < own.length)
        return `${key}: of the batch ${batch.join(" to ")} only ${there.join()} is served`;
    }
  }
  return undefined;
}

function rangeOf([first, last]: readonly [number, number]): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

async function judgeAppends(
  writer: Store,
  edited: EditedStore,
  known: Knowledge,
  { seen }: Reading,
): Promise<string | undefined> {
  const { store } = edited;
  const touched = touchedBy(edited);
  for (const [key, id] of store.idOf) {
    if (!touched.has(id)) continue;
    const failures: LonghandError[] = [];
    let seq = 0;
    await attempt(failures, `append to ${key}`, async () => {
      ({ seq } = await writer.session(key).append(message(WORDS)));
    });
    if (failures[0] !== undefined) {
      if (failures[0].code === "SESSION_DAMAGED" && !hasOwnHeader(edited, id)) continue;
      // Records that fit are kept aside: their seqs are not given again, and a repair puts them back.
      if (failures[0].code === "SESSION_CHANGED" && known.isCrashed) continue;
      return `${key} takes no append: ${failures[0].message}`;
    }
    const given = edited.isMany ? 0 : givenSeq(edited, known, id);
    if (seq <= given) return `${key}: seq ${seq} is given again; a line speaks of seq ${given}`;
    const wrong = await judgeReadBack(writer, key, seq, seen);
    if (wrong !== undefined) return `${key}: ${wrong}`;
  }
  return undefined;
}

async function judgeReadBack(
  writer: Store,
  key: string,
  seq: number,
  before: SeenStore,
): Promise<string | undefined> {
  const after = new Map<number, unknown>();
  for await (const record of writer.session(key).records()) after.set(record.seq, record);
  if (!isTheirs(after.get(seq))) return `what was appended as seq ${seq} is not read back`;
  const hidden = before.sessions.get(key)?.records.find((record) => !after.has(record.seq));
  return hidden === undefined ? undefined : `after an append, seq ${hidden.seq} is no longer served`;
}

/** The highest seq of which a line still speaks, in a file of the session. */
function givenSeq(edited: EditedStore, known: Knowledge, id: string): number {
  if (isShortened(edited) || isCutOff(edited, known, id)) return 0;
  const { lines, ownership } = known;
  const contents = edited.store.files
    .filter(
      ({ path, owners }) => owners.has(id) && /\.jsonl(\.gz)?$/.test(path) && !path.includes("/segments/"),
    )
    .map(({ path }) => contentAt(edited, path));
  const seqs = lines
    .filter(
      ({ salt, raw, isJournaled }) =>
        salt === id && (isJournaled || contents.some((content) => content.includes(raw))),
    )
    .map(({ seq }) => seq);
  return Math.max(ownership.sealedSeq(id), ...seqs);
}

async function judgeRepair(
  store: Store,
  judgeReport: (report: VerifyReport) => string | undefined,
): Promise<string | undefined> {
  const failures: LonghandError[] = [];
  let left: string | undefined;
  let wrong: string | undefined;
  await attempt(failures, "repair", async () => {
    const report = await store.repair();
    wrong = judgeReport(report);
    const named = new Set(report.damage.flatMap(({ file, left: why }) => (why === undefined ? [] : [file])));
    const unmended = (await store.verify()).damage.find(({ file }) => !named.has(file));
    if (unmended !== undefined) left = wordsOf(unmended);
  });
  if (failures[0] !== undefined) return `a repair fails: ${failures[0].message}`;
  return left === undefined ? wrong : `a repair leaves ${left}`;
}

/** A single edit of a file whose header is where it was leaves nothing that a repair could not mend, and a reader that lays the journal over the files knew it. */
function judgeCrashedRepair(
  edited: EditedStore,
  known: Knowledge,
  { seen }: Reading,
  report: VerifyReport,
  then: "append" | "repair",
): string | undefined {
  const isPlain = [...touchedBy(edited)].every(
    (id) => hasOwnHeader(edited, id) && !isCutOff(edited, known, id),
  );
  if (edited.isMany || !isPlain || isShortened(edited)) return undefined;
  const left = report.damage.find((each) => each.left !== undefined);
  if (left !== undefined) return `a repair gives up: ${wordsOf(left)}`;
  const planned = seen.verified?.damage ?? [];
  const unplanned = planned.find((each) => each.left !== undefined);
  if (unplanned !== undefined) return `before a repair it is said to be left: ${wordsOf(unplanned)}`;
  if (then === "append" || planned.length === report.damage.length) return undefined;
  const told = (damage: readonly Damage[]): string => damage.map(wordsOf).join("; ");
  return `before the repair ${planned.length} places are found (${told(planned)}), it mends ${report.damage.length} (${told(report.damage)})`;
}

/** After a repair every session takes an append again. */
async function judgeNextSeqs(
  writer: Store,
  edited: EditedStore,
  known: Knowledge,
): Promise<string | undefined> {
  const touched = touchedBy(edited);
  for (const [key, id] of edited.store.idOf) {
    if (!touched.has(id) || !hasOwnHeader(edited, id)) continue;
    const failures: LonghandError[] = [];
    let seq = 0;
    await attempt(failures, `append to ${key}`, async () => {
      ({ seq } = await writer.session(key).append(message(WORDS)));
    });
    if (failures[0] !== undefined) return `after a repair ${key} takes no append: ${failures[0].message}`;
    const given = edited.isMany ? 0 : givenSeq(edited, known, id);
    if (seq <= given) return `after a repair ${key} gives seq ${seq} again; there was seq ${given}`;
  }
  return undefined;
}

/** Everything is read again by another process. */
async function judgeAfter(host: Host, edited: EditedStore, known: Knowledge): Promise<string | undefined> {
  const { store } = edited;
  const { seen } = await readBy(host, store, true);
  const sessions = new Map(
    [...seen.sessions].map(([key, session]) => [
      key,
      { ...session, otherwise: undefined, records: session.records.filter((record) => !isTheirs(record)) },
    ]),
  );
  const hits = seen.hits.filter((hit) => !isTheirs(hit));
  const wrong = judgeSeen({ ...seen, sessions, hits }, expectationOf(edited));
  if (wrong !== undefined) return `after a repair ${wrong}`;
  const files = await filesUnder(host, DIRECTORY);
  // What is kept aside, and what was left as it is.
  const kept = Buffer.concat(
    files
      .filter(({ path }) => /\.jsonl|\.(records|restored)$/.test(path))
      .map(({ bytes }) => contentOf(bytes)),
  );
  for (const { raw, path, salt, seq, isRecord, isJournaled } of known.lines) {
    if (!isRecord) continue;
    const isInOwnFile = isJournaled || contentAt(edited, path).includes(raw);
    const isAnywhere =
      isInOwnFile || [...edited.changed.keys()].some((each) => contentAt(edited, each).includes(raw));
    if (!isAnywhere) continue;
    for (const [key, id] of store.idOf) {
      if (!known.ownership.has(id, salt, seq) || store.originals.get(id)?.records.has(seq) !== true) continue;
      const { records = [], failure } = sessions.get(key) ?? {};
      if (records.some((record) => record.seq === seq)) continue;
      const mayBeAside =
        (failure !== undefined && !hasHeaderAnywhere(edited, id)) ||
        !isInOwnFile ||
        isShortened(edited) ||
        isCutOff(edited, known, id) ||
        edited.isMany;
      if ((mayBeAside || edited.isOfFiles === true) && kept.includes(raw)) continue;
      return `after a repair ${key} lacks seq ${seq}, whose line is ${isInOwnFile ? "in its file" : "in another file"}${kept.includes(raw) ? "; it was only kept aside" : ", and it is nowhere"}`;
    }
  }
  return undefined;
}

function isTheirs(value: unknown): boolean {
  return JSON.stringify(value ?? null).includes(WORDS);
}
