/**
 * Blocks of a killed writer's journal are damaged, each and every two of them, by more than a bit, and then a reader, a writer or a repair comes. Every record of
 * the other blocks is served, and every one that is in its file; where one is lost before another, every process is told, no seq is given again, appends go on, and a repair names exactly
 * the lost ones. What is behind the last whole block may have been cut short by a crash, and is nothing to report.
 */

import { jsonlBackend, openStore, type Damage, type Store } from "@longhand/store";
import type { Host, SimulatedMachine } from "@longhand/store/testing";
import { readBy } from "../bit-flips/read-spoiled.ts";
import { judgeSeen } from "../damage/judge-seen.ts";
import { buildSample, DIRECTORY, message, type SampleStore } from "../damage/sample-store.ts";
import { machineWith } from "../damage/simulated-files.ts";
import { crashedStores } from "../edits/crashed-stores.ts";
import { contentOf, linesOf } from "../edits/line-files.ts";
import { takeApart, type JournalBlock } from "../fuzz/journal-blocks.ts";
import { Violation } from "../part.ts";

/** What becomes of the bytes of a block. */
const WAYS: Readonly<Record<string, (block: Buffer) => Buffer>> = {
  "other bytes in its records": (block) => written(block, block.length - 20),
  "other bytes in its first line": (block) => written(block, 4),
  NULs: (block) => Buffer.alloc(block.length),
  "some bytes gone": (block) => Buffer.concat([block.subarray(0, 70), block.subarray(110)]),
};
const WORDS = "after the damage";
const FOLLOWERS = ["a writer, then a repair", "a repair"] as const;

interface Case {
  readonly store: SampleStore;
  readonly path: string;
  readonly journal: Buffer;
  readonly blocks: readonly JournalBlock[];
  /** Indexes of blocks. */
  readonly damaged: readonly number[];
  readonly way: string;
  readonly then: (typeof FOLLOWERS)[number];
}

/** `spoil`: changes the damaged journal further. Answers with how many cases there were. */
export async function searchDamagedBlocks(
  spoil: (journal: Buffer, firstDamaged: number) => Buffer = (journal) => journal,
): Promise<number> {
  let cases = 0;
  for (const store of [...(await crashedStores()), await manyBlocks()]) {
    const file = store.files.find(({ path }) => path.endsWith(".journal"));
    if (file === undefined) throw new Error(`"${store.name}" has no journal`);
    const { blocks } = takeApart(file.bytes);
    for (const damaged of everyOneAndTwo(blocks.length)) {
      for (const way of Object.keys(WAYS)) {
        for (const then of FOLLOWERS) {
          await judge({ store, path: file.path, journal: file.bytes, blocks, damaged, way, then }, spoil);
          cases++;
        }
      }
    }
  }
  return cases;
}

/** The control: what is behind the first damaged block is not there. */
export function withoutWhatIsBehind(journal: Buffer, firstDamaged: number): Buffer {
  return journal.subarray(0, firstDamaged);
}

function* everyOneAndTwo(count: number): Iterable<readonly number[]> {
  for (let one = 0; one < count; one++) {
    yield [one];
    for (let other = one + 1; other < count; other++) yield [one, other];
  }
}

/** Two sessions that the killed writer has begun itself, and nothing of them is in their files. */
async function manyBlocks(): Promise<SampleStore> {
  const options = { seed: 46, isKilled: true };
  return await buildSample("killed, many blocks", options, async ({ store, holdBack }) => {
    const sessions = ["a", "b"].map((key) => store.session(key));
    for (const session of sessions) await (await session.lock())[Symbol.asyncDispose]();
    for (const session of sessions) await session.append(message("one"));
    holdBack();
    const [a, b] = sessions;
    for (const words of [["two"], ["tri", "for"], ["a longer one that takes more bytes"]]) {
      await a?.append(words.map(message));
      await b?.append(words.map(message));
    }
    await a?.note("usage", { tokens: 3 });
  });
}

/** What must be read of a session, and which of its records are lost. */
interface Expected {
  readonly served: ReadonlySet<number>;
  /** Before one that is served. */
  readonly lost: readonly number[];
  readonly last: number;
}

async function judge(which: Case, spoil: (journal: Buffer, firstDamaged: number) => Buffer): Promise<void> {
  const wrong = await findWrong(which, spoil(damagedJournal(which), startOf(which)));
  if (wrong === undefined) return;
  const { store, blocks, damaged, way, then } = which;
  const numbers = damaged.map((index) => blocks[index]?.number).join(" and ");
  throw new Violation(`${way} in block ${numbers} of the journal of "${store.name}", then ${then}: ${wrong}`);
}

function startOf({ blocks, damaged }: Case): number {
  return blocks[damaged[0] ?? 0]?.start ?? 0;
}

function damagedJournal({ journal, blocks, damaged, way }: Case): Buffer {
  const pieces = [journal.subarray(0, blocks[0]?.start)];
  for (const [index, { start, end }] of blocks.entries()) {
    const block = journal.subarray(start, end);
    pieces.push(damaged.includes(index) ? (WAYS[way]?.(block) ?? block) : block);
  }
  pieces.push(journal.subarray(blocks.at(-1)?.end));
  return Buffer.concat(pieces);
}

function written(block: Buffer, at: number): Buffer {
  const copy = Buffer.from(block);
  copy.write("!!!!", at);
  return copy;
}

async function findWrong(which: Case, journal: Buffer): Promise<string | undefined> {
  const { store, path, blocks, damaged } = which;
  const machine = await machineWith(store.capture, path, journal);
  const expected = new Map([...store.idOf].map(([key, id]) => [key, expectedOf(which, id)]));
  const wrong = await judgeReader(machine.startProcess(), which, expected);
  if (wrong !== undefined) return `a reader: ${wrong}`;
  const isMiddle = damaged.some((index) =>
    blocks.some((_, later) => later > index && !damaged.includes(later)),
  );
  const told: Damage[] = [];
  const writer = await open(machine.startProcess(), told);
  const isTold = told.some(({ file }) => file === path);
  if (isTold !== isMiddle) return isTold ? "a torn end is called damage" : "the damage is not told";
  const after = which.then === "a repair" ? undefined : await judgeAppends(writer, machine, which, expected);
  const mended = after ?? (await judgeRepair(writer, expected));
  await writer.close();
  if (mended !== undefined) return mended;
  const found = await judgeServed(machine.startProcess(), which, expected);
  if (found !== undefined) return `after the repair: ${found}`;
  const [left] = await verified(machine);
  return left === undefined ? undefined : `after the repair verify says: ${left.file}: ${left.reason}`;
}

function expectedOf({ store, blocks, damaged }: Case, id: string): Expected {
  const served = new Set<number>();
  for (const { path, bytes, owners } of store.files)
    if (owners.has(id) && /\.jsonl(\.gz)?$/.test(path)) addSeqs(served, contentOf(bytes));
  for (const [index, { records }] of blocks.entries()) {
    if (damaged.includes(index)) continue;
    for (const { place, bytes } of records) if (place.includes(`"session":"${id}"`)) addSeqs(served, bytes);
  }
  const last = Math.max(0, ...served);
  const lost = [...(store.originals.get(id)?.records.keys() ?? [])].filter(
    (seq) => seq < last && !served.has(seq),
  );
  return { served, lost, last };
}

function addSeqs(to: Set<number>, lines: Buffer): void {
  for (const line of linesOf(lines)) {
    const { seq } = JSON.parse(line.toString()) as { readonly seq?: number };
    if (seq !== undefined) to.add(seq);
  }
}

type ByKey = ReadonlyMap<string, Expected>;

async function judgeReader(host: Host, which: Case, expected: ByKey): Promise<string | undefined> {
  const { store } = which;
  const { seen } = await readBy(host, store, true);
  const touched = new Set(store.idOf.values());
  const wrong = judgeSeen(seen, { originals: store.originals, idOf: store.idOf, touched });
  if (wrong !== undefined) return wrong;
  return notServed(seen.sessions, expected) ?? untold(seen.verified?.damage ?? [], expected);
}

async function judgeServed(host: Host, { store }: Case, expected: ByKey): Promise<string | undefined> {
  const { seen } = await readBy(host, store, false);
  return notServed(seen.sessions, expected);
}

function notServed(
  sessions: ReadonlyMap<string, { readonly records: readonly { readonly seq: number }[] }>,
  expected: ByKey,
): string | undefined {
  for (const [key, { served }] of expected) {
    const there = new Set(sessions.get(key)?.records.map(({ seq }) => seq));
    const missing = [...served].filter((seq) => !there.has(seq));
    if (missing.length > 0) return `${key} lacks seq ${missing.join()}, which no damage has hit`;
  }
  return undefined;
}

function untold(damage: readonly Damage[], expected: ByKey): string | undefined {
  for (const [key, { lost }] of expected) {
    if (lost.length > 0 && damage.every((each) => each.key !== key))
      return `seq ${lost.join()} of ${key} are lost, and verify does not name the session`;
  }
  const left = damage.find((each) => each.left !== undefined);
  return left === undefined ? undefined : `it says that a repair leaves ${left.reason}`;
}

async function judgeAppends(
  writer: Store,
  machine: SimulatedMachine,
  { store }: Case,
  expected: ByKey,
): Promise<string | undefined> {
  for (const [key, { last }] of expected) {
    const result = await writer
      .session(key)
      .append(message(WORDS))
      .catch((error: unknown) => String(error));
    if (typeof result === "string") return `${key} takes no append: ${result}`;
    const original = store.originals.get(store.idOf.get(key) ?? "")?.seq ?? 0;
    if (result.seq <= last || result.seq > original + 1)
      return `${key} gives seq ${result.seq}; the last one is ${last}, and ${original} were written`;
  }
  const wrong = untold(await verified(machine), expected);
  return wrong === undefined ? undefined : `another process: ${wrong}`;
}

async function judgeRepair(writer: Store, expected: ByKey): Promise<string | undefined> {
  const { damage, lost = [] } = await writer.repair();
  const left = damage.find((each) => each.left !== undefined);
  if (left !== undefined) return `a repair leaves ${left.reason}`;
  for (const [key, { lost: due }] of expected) {
    const named = lost.filter((run) => run.key === key);
    const seqs = named.flatMap(({ first, last }) =>
      Array.from({ length: last - first + 1 }, (_, index) => first + index),
    );
    if (seqs.join() !== due.join())
      return `a repair says that seq ${seqs.join()} of ${key} are lost; it is seq ${due.join()}`;
  }
  return undefined;
}

async function verified(machine: SimulatedMachine): Promise<readonly Damage[]> {
  const reader = await open(machine.startProcess(), [], true);
  const { damage } = await reader.verify();
  await reader.close();
  return damage;
}

async function open(host: Host, damage: Damage[], readOnly = false): Promise<Store> {
  return await openStore(jsonlBackend(DIRECTORY, { host }), {
    readOnly,
    onDamage: (found) => damage.push(found),
  });
}
