/** Whole lines of another history or session are put into a session's file, beside the journal of a killed writer and beside records that were kept. */

import { expect, test } from "vitest";
import { jsonlBackend, openStore, type Store } from "../../src/index.ts";
import { SeededRandom, type Capture, type SimulatedMachine } from "../../src/testing/index.ts";
import { user } from "../support/conversation.ts";
import { foreignLineEdit } from "../support/foreign-line-edit.ts";
import { judgeForeignLines } from "../support/judge-foreign-lines.ts";
import { DIRECTORY, readSimulatedFile, writeSimulatedFile } from "../support/simulated-store.ts";
import { sized } from "../../../../test/support/sized.ts";
import { KEY, linesOf, PATH, randomPlan, twoHistories, type TwoHistories } from "../support/two-histories.ts";

const RUNS = sized(100, 1_500);

interface EditedStore {
  readonly what: string;
  readonly histories: TwoHistories;
  readonly capture: Capture;
}

async function editedStore(seed: number): Promise<EditedStore> {
  const random = new SeededRandom(seed);
  const histories = await twoHistories(randomPlan(random));
  const machine = histories.start();
  const told: string[] = [JSON.stringify(histories.plan)];
  const edit = async (): Promise<void> => {
    const lines = linesOf(await readSimulatedFile(machine.startProcess(), PATH));
    const { what, lines: edited } = foreignLineEdit(lines, histories, random);
    await writeSimulatedFile(machine.startProcess(), PATH, Buffer.concat(edited));
    told.push(what);
  };
  await edit();
  const then = random.below(4);
  if (then === 1) await edit();
  if (then >= 2) {
    // The recovery keeps what does not fit.
    await (await openQuietly(machine)).close();
    told.push("recovered");
    await edit();
  }
  if (then === 3) {
    const process = machine.startProcess();
    const store = await openQuietly(process);
    const isRefused = await store
      .session(KEY)
      .append(user("later"))
      .then(
        () => false,
        () => true,
      );
    process.kill();
    told.push(isRefused ? "not written to, and killed" : "written to, and killed");
    await edit();
  }
  return { what: `seed ${seed}: ${told.join("; ")}`, histories, capture: machine.capture() };
}

type Process = ReturnType<SimulatedMachine["startProcess"]>;

async function openQuietly(on: SimulatedMachine | Process): Promise<Store> {
  const host = "startProcess" in on ? on.startProcess() : on;
  return await openStore(jsonlBackend(DIRECTORY, { host }), {
    onDamage: () => undefined,
    onError: () => undefined,
  });
}

test("verify says what a repair leaves, no whole line is lost, and what is mixed is told", async () => {
  for (let seed = 0; seed < RUNS; seed++) {
    const { what, histories, capture } = await editedStore(seed);
    expect(await judgeForeignLines(() => capture.afterKill(), histories), what).toBe(undefined);
  }
});

test("control: a plan for the store before it was edited is found to be wrong", async () => {
  let wrong = 0;
  for (let seed = 0; seed < 20; seed++) {
    const { histories, capture } = await editedStore(seed);
    if ((await judgeForeignLines(() => capture.afterKill(), histories, [])) !== undefined) wrong += 1;
  }
  expect(wrong).toBeGreaterThan(10);
});
