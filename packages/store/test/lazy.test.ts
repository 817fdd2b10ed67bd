/** Modules that are loaded by their first use, and the simulator, which may not wait for them. */

import { expect, test } from "vitest";
import { lazy, loadLazyModules } from "../src/lazy.ts";
import { Scheduler, SchedulerStuck } from "../src/testing/scheduler.ts";
import { SimulatedMachine } from "../src/testing/simulated-machine.ts";

const CALM = { below: (): number => 0 };
const TEMPER = { switches: 0, reorders: 0, lateAnswers: 0, timers: 0, stalls: 0, kills: 0, mostKills: 0 };

/** Takes as long as reading a file: more than microtasks. */
async function slowly<T>(value: T): Promise<T> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
  return value;
}

test("a lazy module is loaded once, by its first use", async () => {
  let loads = 0;
  const load = lazy(() => slowly((loads += 1)));
  expect(loads).toBe(0);
  expect(await Promise.all([load(), load()])).toEqual([1, 1]);
  expect(await load()).toBe(1);
});

test("a load that failed is tried again", async () => {
  let loads = 0;
  const load = lazy(async () => {
    loads += 1;
    if (loads === 1) throw new Error("too many open files");
    return await slowly(loads);
  });
  await expect(load()).rejects.toThrow("too many open files");
  expect(await load()).toBe(2);
});

test("loadLazyModules loads what the loaded modules declare, too", async () => {
  let isLoaded = false;
  lazy(() => slowly(lazy(() => slowly((isLoaded = true)))));
  await loadLazyModules();
  expect(isLoaded).toBe(true);
});

async function runScheduled(load: () => Promise<string>): Promise<string> {
  const scheduler = new Scheduler(new SimulatedMachine(1), CALM, TEMPER);
  scheduler.startProcess("one");
  return await scheduler.run(load());
}

test("a simulated process may use a lazy module", async () => {
  expect(await runScheduled(lazy(() => slowly("loaded")))).toBe("loaded");
});

test("control: one that is not declared lazy leaves no process that can go on", async () => {
  await expect(runScheduled(() => slowly("loaded"))).rejects.toThrow(SchedulerStuck);
});
