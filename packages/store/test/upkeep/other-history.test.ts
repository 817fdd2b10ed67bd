/** A line with the right session id and a good checksum, from a copy of the session that went on differently. */

import { expect, test } from "vitest";
import { jsonlBackend, openStore, type Damage, type VerifyReport } from "../../src/index.ts";
import type { SimulatedMachine } from "../../src/testing/index.ts";
import { contentsOf } from "../support/conversation.ts";
import { filesIn } from "../support/simulated-files.ts";
import { DIRECTORY, writeSimulatedFile } from "../support/simulated-store.ts";
import { KEY, PATH, twoHistories, type HistoriesPlan, type TwoHistories } from "../support/two-histories.ts";

const PLAN: HistoriesPlan = { before: 2, journaled: 3, applied: 3, branch: 2, others: 1 };

interface Outcome {
  readonly plan: readonly Damage[];
  readonly report: VerifyReport;
  readonly left: readonly Damage[];
  readonly contents: readonly string[];
  /** Everything in `damaged/`. */
  readonly aside: string;
}

async function repaired(
  plan: HistoriesPlan,
  edit: (histories: TwoHistories) => readonly Buffer[],
): Promise<Outcome> {
  const histories = await twoHistories(plan);
  const start = async (): Promise<SimulatedMachine> => {
    const machine = histories.start();
    await writeSimulatedFile(machine.startProcess(), PATH, Buffer.concat(edit(histories)));
    return machine;
  };
  const ignored = { onDamage: () => undefined };
  const host = (await start()).startProcess();
  const reader = await openStore(jsonlBackend(DIRECTORY, { host }), { readOnly: true, ...ignored });
  const planned = (await reader.verify()).damage;
  await reader.close();
  const machine = await start();
  const store = await openStore(jsonlBackend(DIRECTORY, { host: machine.startProcess() }), ignored);
  const report = await store.repair();
  const { damage: left } = await store.verify();
  const contents = await contentsOf(store.session(KEY));
  await store.close();
  const aside = [...(await filesIn(machine.startProcess(), `${DIRECTORY}/.longhand/damaged`)).values()];
  return { plan: planned, report, left, contents, aside: Buffer.concat(aside).toString() };
}

const OWN = [1, 2, 3, 4, 5].map((seq) => `own ${seq}`);
const reasonsOf = (damage: readonly Damage[]): string[] => damage.map(({ reason }) => reason);

test("it stands in front of the record that a killed writer went on from: that one gets its place back, and both are told of", async () => {
  const { plan, report, left, contents, aside } = await repaired({ ...PLAN, applied: 1 }, ({ own, other }) =>
    own.toSpliced(3, 0, ...other),
  );
  const told = "seq 3 of another history: an acknowledged record, which is kept, belongs in its place";
  expect(reasonsOf(plan)).toContain(told);
  expect(plan.filter((each) => each.left !== undefined)).toEqual([]);
  expect(reasonsOf(report.damage)).toContain(told);
  expect(contents).toEqual(OWN);
  expect(aside).toContain('"new 3"');
  expect(left).toEqual([]);
  expect(report.lost).toBe(undefined);
});

test("it stands where the record was that the next one was written after, and that one is gone: it is not served in its place", async () => {
  const { plan, report, left, contents, aside } = await repaired(
    { ...PLAN, before: 3, journaled: 2, applied: 2 },
    ({ own, other }) => own.toSpliced(3, 1, ...other),
  );
  const told =
    "seq 3 of another history: the acknowledged record behind it was written after another one, which is gone";
  expect(reasonsOf(plan)).toEqual([told]);
  expect(reasonsOf(report.damage)).toEqual([told]);
  expect(report.lost).toMatchObject([{ first: 3, last: 3 }]);
  expect(contents).toEqual(OWN.toSpliced(2, 1));
  expect(aside).toContain('"new 3"');
  expect(left).toEqual([]);
});

test("the session has gone on with it: nothing proves which is right, so what the writer has acknowledged is kept and reported", async () => {
  const { plan, left, contents, aside } = await repaired(PLAN, ({ own, other }) => [
    ...own.slice(0, 3),
    ...other,
  ]);
  expect(plan).toMatchObject([{ left: expect.stringContaining("has gone on without them") as string }]);
  expect(contents).toEqual(["own 1", "own 2", "new 3"]);
  for (const text of OWN.slice(2)) expect(aside).toContain(`"${text}"`);
  expect(left).toMatchObject([{ left: expect.stringContaining("has gone on without them") as string }]);
});

test("a record that readers are served stays, though another with its seq stands in a bad line before it", async () => {
  const { contents, aside } = await repaired(
    { ...PLAN, before: 4, journaled: 1, applied: 0 },
    ({ own, other }) => [...own.slice(0, 1), Buffer.from("torn "), ...own.slice(3, 4), ...other],
  );
  expect(contents).toEqual(["new 3"]);
  expect(aside).toContain('"own 3"');
});
