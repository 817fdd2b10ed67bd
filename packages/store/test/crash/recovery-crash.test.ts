/** A crash in the middle of recovery, on every disk that one may leave: the next recovery begins again and completes. */

import { describe, expect, test } from "vitest";
import { openStore } from "../../src/index.ts";
import { jsonlBackend } from "../../src/backends/jsonl/jsonl-backend.ts";
import type { Capture, SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { DIRECTORY, findViolation } from "./crash-oracle.ts";
import { recordRun, type Moment } from "./record-run.ts";
import { WORKLOADS } from "./workloads.ts";

/** Every so many moments of the first run are taken; each recovery is crashed after each of its operations. */
const EVERY = 9;

async function recover(machine: SimulatedMachine): Promise<Capture[]> {
  const captures: Capture[] = [];
  machine.onOperation(({ changedDisk }) => {
    if (changedDisk) captures.push(machine.capture());
  });
  const store = await openStore(jsonlBackend(DIRECTORY, { host: machine.startProcess() }));
  await store.close();
  return captures;
}

async function firstViolation(
  moments: readonly Moment[],
): Promise<{ states: number; violation: string | undefined }> {
  let states = 0;
  for (const { operation, capture, expected } of moments) {
    const [killed, ...cut] = [capture.afterKill(), ...capture.afterPowerLoss({ limit: 3 })];
    for (const crashed of [killed, ...cut]) {
      for (const again of await recover(crashed)) {
        for (const machine of [again.afterKill(), ...again.afterPowerLoss({ limit: 4 })]) {
          states += 1;
          const story = machine.describe();
          const violation = await findViolation(machine, expected);
          if (violation !== undefined)
            return { states, violation: `after ${operation}, recovery: ${violation}\n${story}` };
        }
      }
    }
  }
  return { states, violation: undefined };
}

describe("recovery may be interrupted at any point", () => {
  test.each(WORKLOADS.filter(({ keys }) => keys.length === 2))("$name", async (workload) => {
    const moments = (await recordRun(workload)).filter((_moment, index) => index % EVERY === 0);
    const { states, violation } = await firstViolation(moments);
    expect(violation).toBeUndefined();
    expect(states).toBeGreaterThan(500);
  });
});
