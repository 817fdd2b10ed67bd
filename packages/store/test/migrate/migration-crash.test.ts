/**
 * A migration that is killed, or whose machine loses power, after any operation: no original is lost, and the next
 * opening leaves every session there and every original with its new name. The controls leave a sync out.
 */

import { describe, expect, test } from "vitest";
import type { Host } from "../../src/host/host.ts";
import { failingHost } from "../../src/testing/failing-host.ts";
import type { FaultPlan } from "../../src/testing/fault-plan.ts";
import type { Capture, SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { incomplete, lostOriginal, machineWithOriginals, migrateOn } from "./support/simulated-migration.ts";

const STATES = 30;
const STATES_AFTERWARDS = 3;

interface Search {
  readonly states: number;
  readonly violation: string | undefined;
}

async function crashEverywhere(spoil: (host: Host) => Host = (host) => host): Promise<Search> {
  const machine = await machineWithOriginals();
  const moments: { after: string; capture: Capture }[] = [];
  machine.onOperation(({ number, operation, path, changedDisk }) => {
    if (changedDisk) moments.push({ after: `${number} ${operation} ${path}`, capture: machine.capture() });
  });
  await migrateOn(spoil(machine.startProcess()));
  let states = 0;
  for (const { after, capture } of moments) {
    for (const crashed of [capture.afterKill(), ...capture.afterPowerLoss({ limit: STATES })]) {
      states++;
      const story = crashed.describe();
      const violation = await judge(crashed).catch(String);
      if (violation !== undefined) return { states, violation: `after ${after}: ${violation}\n${story}` };
    }
  }
  return { states, violation: undefined };
}

async function judge(crashed: SimulatedMachine): Promise<string | undefined> {
  const lost = await lostOriginal(crashed.startProcess());
  if (lost !== undefined) return lost;
  await migrateOn(crashed.startProcess());
  const missing = await incomplete(crashed.startProcess());
  if (missing !== undefined) return missing;
  const again = await migrateOn(crashed.startProcess());
  if (again.migrated.length > 0) return "a later opening migrates something again";
  // And what the next opening has done is there to stay.
  for (const later of crashed.capture().afterPowerLoss({ limit: STATES_AFTERWARDS })) {
    await migrateOn(later.startProcess());
    const gone = await incomplete(later.startProcess());
    if (gone !== undefined) return `a power loss afterwards: ${gone}`;
  }
  return undefined;
}

const ignoring =
  (path: string, operation: "sync" | "syncDirectory") =>
  (host: Host): Host => {
    const plan: FaultPlan = (call) =>
      call.operation === operation && call.path.endsWith(path) ? { kind: "ignored" } : undefined;
    return failingHost(host, plan);
  };

describe("a crash after any operation", () => {
  test("loses no original, and the next opening completes the migration", async () => {
    const { states, violation } = await crashEverywhere();
    expect(violation).toBeUndefined();
    expect(states).toBeGreaterThan(300);
  });

  test.each([
    ["the manifest", ignoring("manifest.new", "sync")],
    ["the names of what is staged", ignoring("/migrating", "syncDirectory")],
    ["the names in the directory", ignoring("/store", "syncDirectory")],
    ["a new session", ignoring(".jsonl", "sync")],
  ])("control: without the sync of %s something is lost", async (_what, spoil) => {
    expect((await crashEverywhere(spoil)).violation).toBeDefined();
  });
});
