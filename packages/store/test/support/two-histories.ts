/**
 * Stores of a killed writer whose session has a second history: an older copy of its file that another store has gone on
 * with. Lines of both have the session's id and good checksums; only what a record was written after tells them apart.
 */

import { jsonlBackend, openStore, type Store } from "../../src/index.ts";
import { failingHost, SimulatedMachine, type SeededRandom } from "../../src/testing/index.ts";
import { user } from "./conversation.ts";
import { DIRECTORY, readSimulatedFile, writeSimulatedFile } from "./simulated-store.ts";

export const PATH: string = `${DIRECTORY}/k.jsonl`;

export interface TwoHistories {
  readonly what: string;
  /** The disk of the killed writer, its journal among the files. */
  start(): SimulatedMachine;
  /** Of the session's file, each with its newline, the header first. */
  readonly own: readonly Buffer[];
  /** Of the other history's file. */
  readonly other: readonly Buffer[];
  /** Of another session's file. */
  readonly strange: readonly Buffer[];
}

/** How many records there are before the writer comes, how many it writes, behind which record the other history begins, and with how many. */
export interface HistoriesPlan {
  readonly before: number;
  readonly journaled: number;
  readonly applied: number;
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

export async function twoHistories(plan: HistoriesPlan): Promise<TwoHistories> {
  const { before, journaled, applied, branch, others } = plan;
  const machine = new SimulatedMachine(7);
  const text = (seq: number): string => `own ${seq}`;
  const first = await openStore(jsonlBackend(DIRECTORY, { host: machine.startProcess() }));
  for (let seq = 1; seq <= before; seq++) await first.session("k").append(user(text(seq)));
  for (const content of ["x", "yy", "zzz"]) await first.session("s").append(user(`new ${content}`));
  await first.close();
  const process = machine.startProcess();
  let isHeld = false;
  const host = failingHost(process, ({ operation, path }) =>
    isHeld && operation === "write" && path.endsWith(".jsonl") ? { kind: "error", code: "EIO" } : undefined,
  );
  const writer = await openStore(jsonlBackend(DIRECTORY, { host }), { onError: () => undefined });
  for (let count = 0; count < journaled; count++) {
    if (count === applied) {
      await writer.session("k").messages();
      for (let look = 0; look < 20; look++) await new Promise((resolve) => setImmediate(resolve));
      isHeld = true;
    }
    await writer.session("k").append(user(text(before + count + 1)));
  }
  if (applied === journaled) for (let look = 0; look < 20; look++) await new Promise((resolve) => setImmediate(resolve));
  process.kill();
  const capture = machine.capture();
  const end = capture.afterKill().startProcess();
  const own = linesOf(await readSimulatedFile(end, PATH));
  const strange = linesOf(await readSimulatedFile(end, `${DIRECTORY}/s.jsonl`));
  // Everything applied, to take an older copy of any moment.
  const recovered = capture.afterKill();
  await (await openStore(jsonlBackend(DIRECTORY, { host: recovered.startProcess() }))).close();
  const full = linesOf(await readSimulatedFile(recovered.startProcess(), PATH));
  await writeSimulatedFile(recovered.startProcess(), PATH, Buffer.concat(full.slice(0, branch + 1)));
  const second: Store = await openStore(jsonlBackend(DIRECTORY, { host: recovered.startProcess() }));
  for (let count = 1; count <= others; count++) await second.session("k").append(user(`new ${branch + count}`));
  await second.close();
  const other = linesOf(await readSimulatedFile(recovered.startProcess(), PATH));
  return { what: JSON.stringify(plan), start: () => capture.afterKill(), own, other, strange };
}

export function linesOf(bytes: Buffer): Buffer[] {
  return bytes
    .toString("latin1")
    .split(/(?<=\n)/)
    .filter((line) => line !== "")
    .map((line) => Buffer.from(line, "latin1"));
}
