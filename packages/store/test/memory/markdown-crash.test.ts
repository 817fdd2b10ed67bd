/** A crash while edits by hand are taken in: each is taken in once, none is lost. */

import { describe, expect, test } from "vitest";
import type { Host } from "../../src/host/host.ts";
import { failingHost, SimulatedMachine, type Capture } from "../../src/testing/index.ts";
import { readSimulatedFile, writeSimulatedFile } from "../support/simulated-store.ts";
import { memoryIn } from "./support/memory-in.ts";

const ann = { user: "ann" } as const;
const OPTIONS = { onDamage: () => undefined, onError: () => undefined };
const PAGE = "/memory/MEMORY.md";

/** A memory with three facts, closed; then one line was changed, one removed, one added, and saved. */
async function edited(): Promise<SimulatedMachine> {
  const machine = new SimulatedMachine(4);
  const host = machine.startProcess();
  const memory = await memoryIn("/memory", host, OPTIONS);
  for (const text of ["stays", "likes tea", "goes"]) await memory.remember({ text, scope: ann });
  await memory.close();
  const text = (await readSimulatedFile(host, PAGE)).toString("utf8");
  const next = text.replace("likes tea", "likes coffee").replace(/^- goes.*\n/mu, "- new\n");
  await writeSimulatedFile(host, PAGE, Buffer.from(next));
  const file = await host.files.open(PAGE, "write");
  await file.sync();
  await file.close();
  return machine.capture().afterKill();
}

async function wrongOn(machine: SimulatedMachine): Promise<string | undefined> {
  const memory = await memoryIn("/memory", machine.startProcess(), OPTIONS);
  const all = await memory.entries({ scope: ann, all: true });
  await memory.close();
  const found = all.map(({ text, status }) => `${text}: ${status}`).join(", ");
  const expected = "stays: current, likes tea: superseded, goes: undone, likes coffee: current, new: current";
  return found === expected ? undefined : found;
}

async function crashEverywhere(damage = (host: Host): Host => host): Promise<readonly string[]> {
  const machine = await edited();
  const moments: { capture: Capture; after: string }[] = [];
  machine.onOperation(({ number, operation, path, changedDisk }) => {
    if (changedDisk) moments.push({ capture: machine.capture(), after: `${number} ${operation} ${path}` });
  });
  const memory = await memoryIn("/memory", damage(machine.startProcess()), OPTIONS);
  await memory.close();
  expect(moments.length).toBeGreaterThan(10);
  for (const { capture, after } of moments) {
    for (const state of [capture.afterKill(), ...capture.afterPowerLoss({ limit: 3 })]) {
      const wrong = await wrongOn(state).catch(String);
      // One is enough to be told.
      if (wrong !== undefined) return [`after ${after}: ${wrong}\n${state.describe()}`];
    }
  }
  return [];
}

describe("a crash while edits are taken in", () => {
  test("takes in each of them once", { timeout: 120_000 }, async () => {
    expect(await crashEverywhere()).toEqual([]);
  });

  test("and this would be noticed: a disk that only says it syncs", { timeout: 120_000 }, async () => {
    expect(await crashEverywhere((host) => failingHost(host, () => ({ kind: "ignored" })))).not.toEqual([]);
  });
});
