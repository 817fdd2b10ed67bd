/**
 * Stores of a killed writer whose session has a second history: an older copy of its file that another store has gone on
 * with. Lines of both have the session's id and good checksums; only what a record was written after tells them apart.
 */

import { jsonlBackend, openStore } from "../../src/index.ts";
import { failingHost, SimulatedMachine, type SeededRandom } from "../../src/testing/index.ts";
import { user } from "./conversation.ts";
import { DIRECTORY, readSimulatedFile, writeSimulatedFile } from "./simulated-store.ts";

export const KEY = "k";
export const PATH: string = `${DIRECTORY}/${KEY}.jsonl`;

export interface TwoHistories {
  readonly plan: HistoriesPlan;
  /** The machine of the killed writer, its journal among the files. */
  start(): SimulatedMachine;
  /** Of the session's file, each with its newline, the header first. */
  readonly own: readonly Buffer[];
  /** Of the other history: what only that one has. */
  readonly other: readonly Buffer[];
  /** Of another session. */
  readonly strange: readonly Buffer[];
}

export interface HistoriesPlan {
  /** How many records there are before the writer comes: no journal has them. */
  readonly before: number;
  /** How many it writes, and how many of those are in the file when it is killed. */
  readonly journaled: number;
  readonly applied: number;
  /** The last record that both histories have, and how many the other one has behind it. */
  readonly branch: number;
  readonly others: number;
}

export function randomPlan(random: SeededRandom): HistoriesPlan {
  const before = 1 + random.below(4);
  const journaled = 1 + random.below(5);
  return {
    before,
    journaled,
    applied: random.below(journaled + 1),
    branch: 1 + random.below(before + journaled),
    others: 1 + random.below(4),
  };
}

/** What a record says: all texts of one seq have one length, so that one line stands exactly in the place of another. */
export function ownText(seq: number): string {
  return `own ${seq}`;
}

export function otherText(seq: number): string {
  return `new ${seq}`;
}

export async function twoHistories(plan: HistoriesPlan): Promise<TwoHistories> {
  const { before, journaled, applied, branch, others } = plan;
  const machine = new SimulatedMachine(7);
  const first = await openStore(jsonlBackend(DIRECTORY, { host: machine.startProcess() }));
  for (let seq = 1; seq <= before; seq++) await first.session(KEY).append(user(ownText(seq)));
  for (const text of ["x", "yy", "zzz"]) await first.session("another").append(user(text));
  await first.close();
  const process = machine.startProcess();
  let isHeld = applied === 0;
  const host = failingHost(process, ({ operation, path }) =>
    isHeld && operation === "write" && path.endsWith(".jsonl") ? { kind: "error", code: "EIO" } : undefined,
  );
  const writer = await openStore(jsonlBackend(DIRECTORY, { host }), { onError: () => undefined });
  for (let count = 1; count <= journaled; count++) {
    await writer.session(KEY).append(user(ownText(before + count)));
    if (count !== applied) continue;
    await untilApplied(machine, before + count);
    isHeld = true;
  }
  process.kill();
  const capture = machine.capture();
  const copy = capture.afterKill();
  const own = linesOf(await readSimulatedFile(copy.startProcess(), PATH));
  const strange = linesOf(await readSimulatedFile(copy.startProcess(), `${DIRECTORY}/another.jsonl`)).slice(
    1,
  );
  return {
    plan,
    start: () => capture.afterKill(),
    own,
    strange,
    other: await goOnFrom(copy, branch, others),
  };
}

/** Everything is recovered, the copy of an earlier moment is put back, and another writer goes on from there. */
async function goOnFrom(copy: SimulatedMachine, branch: number, others: number): Promise<readonly Buffer[]> {
  await (await openStore(jsonlBackend(DIRECTORY, { host: copy.startProcess() }))).close();
  const full = linesOf(await readSimulatedFile(copy.startProcess(), PATH));
  await writeSimulatedFile(copy.startProcess(), PATH, Buffer.concat(full.slice(0, branch + 1)));
  const store = await openStore(jsonlBackend(DIRECTORY, { host: copy.startProcess() }));
  for (let count = 1; count <= others; count++)
    await store.session(KEY).append(user(otherText(branch + count)));
  await store.close();
  return linesOf(await readSimulatedFile(copy.startProcess(), PATH)).slice(branch + 1);
}

async function untilApplied(machine: SimulatedMachine, records: number): Promise<void> {
  const host = machine.startProcess();
  while (linesOf(await readSimulatedFile(host, PATH)).length < records + 1)
    await new Promise((resolve) => setImmediate(resolve));
}

/** Each with its newline. */
export function linesOf(bytes: Buffer): Buffer[] {
  const lines = bytes.toString("latin1").split(/(?<=\n)/);
  return lines.filter((line) => line !== "").map((line) => Buffer.from(line, "latin1"));
}
