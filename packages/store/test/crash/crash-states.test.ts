/**
 * Promises 1 and 2 on every disk that a crash may leave: after each single operation of short workloads, for a killed
 * process and for a power cut. The controls leave a step of the protocol out and must lose data.
 */

import { describe, expect, test } from "vitest";
import type { Host } from "../../src/host/host.ts";
import type { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { findViolation } from "./crash-oracle.ts";
import { withoutSync, type SyncedThing } from "./forgetful-host.ts";
import { recordRun, type Moment } from "./record-run.ts";
import { WORKLOADS } from "./workloads.ts";

/** Power-loss states looked at for each moment; where there are fewer, all of them. */
const STATES = 40;

function* statesOf({ capture }: Moment): Iterable<SimulatedMachine> {
  yield capture.afterKill();
  yield* capture.afterPowerLoss({ limit: STATES });
}

/** Stops at the first. */
async function firstViolation(
  moments: readonly Moment[],
): Promise<{ states: number; violation: string | undefined }> {
  let states = 0;
  for (const moment of moments) {
    for (const machine of statesOf(moment)) {
      states += 1;
      const story = machine.describe();
      const violation = await findViolation(machine, moment.expected);
      if (violation !== undefined)
        return { states, violation: `after ${moment.operation}: ${violation}\n${story}` };
    }
  }
  return { states, violation: undefined };
}

describe("promise 1 and 2: whatever a crash leaves, everything acknowledged is there, and the rest is a prefix", () => {
  test.each(WORKLOADS)("$name", async (workload) => {
    const { states, violation } = await firstViolation(await recordRun(workload));
    expect(violation).toBeUndefined();
    expect(states).toBeGreaterThan(500);
  });
});

describe("controls: the same search finds what is lost when a step is left out", () => {
  const controls: readonly [string, SyncedThing, string][] = [
    ["the journal is not synced", "journal", "append and batch"],
    ["the journal's name is not synced", "journal directory", "append and batch"],
    ["the session's name is not synced", "session directory", "append and batch"],
    ["session files are not synced before the journal is used again", "session file", "a journal used again"],
  ];
  test.each(controls)("%s", async (_title, thing, name) => {
    const workload = WORKLOADS.find((each) => each.name === name);
    if (workload === undefined) throw new Error(`no workload ${name}`);
    const moments = await recordRun(workload, (host: Host) => withoutSync(host, thing));
    expect((await firstViolation(moments)).violation).toBeDefined();
  });
});
