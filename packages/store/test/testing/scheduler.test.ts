import { describe, expect, test } from "vitest";
import type { Choices, Temper } from "../../src/testing/scheduler.ts";
import { Scheduler, SchedulerStuck } from "../../src/testing/scheduler.ts";
import { SeededRandom } from "../../src/testing/seeded-random.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";

const LIVELY: Temper = {
  ...{ switches: 500, reorders: 50, lateAnswers: 100, timers: 20 },
  ...{ stalls: 0, kills: 0, mostKills: 0 },
};
const CALM: Choices = { below: () => 0 };

/** Two processes that each create a few files. What happened, in order. */
async function createFiles(choices: Choices, temper: Temper = LIVELY): Promise<string[]> {
  const scheduler = new Scheduler(new SimulatedMachine(1), choices, temper);
  const work = ["one", "two"].map(async (name) => {
    const { host } = scheduler.startProcess(name);
    for (let number = 0; number < 5; number += 1) {
      await (await host.files.open(`/${name}-${number}`, "create")).close();
    }
  });
  await scheduler.run(Promise.all(work));
  return scheduler.events.map(({ process, operation, path }) => `${process} ${operation} ${path}`);
}

describe("a scheduler", () => {
  test("does the same for the same choices, and something else for others", async () => {
    const first = await createFiles(new SeededRandom(1));
    expect(await createFiles(new SeededRandom(1))).toEqual(first);
    expect(await createFiles(new SeededRandom(2))).not.toEqual(first);
  });

  test("goes on with the same process where all choices are calm", async () => {
    const names = (await createFiles(CALM)).map((event) => event.split(" ")[0]);
    expect(names).toEqual([...Array<string>(10).fill("one"), ...Array<string>(10).fill("two")]);
  });

  test("may switch before every call", async () => {
    const switchesAfter = new Set<number>();
    for (let seed = 1; seed <= 60; seed += 1) {
      const names = (await createFiles(new SeededRandom(seed))).map((event) => event.split(" ")[0]);
      const first = names.findIndex((name) => name !== names[0]);
      switchesAfter.add(first);
    }
    expect([...switchesAfter].filter((calls) => calls <= 3).sort()).toEqual([1, 2, 3]);
  });

  test("lets time pass when nobody can do anything else", async () => {
    const scheduler = new Scheduler(new SimulatedMachine(1), CALM, LIVELY);
    const { host } = scheduler.startProcess("one");
    const rung: number[] = [];
    const wait = async (milliseconds: number): Promise<void> => {
      await host.wait(milliseconds);
      rung.push(milliseconds);
    };
    const before = host.now();
    await scheduler.run(Promise.all([wait(30), wait(10), wait(20)]));
    expect(rung).toEqual([10, 20, 30]);
    expect(host.now() - before).toBeGreaterThanOrEqual(30);
  });

  test("a wait that is ended resolves without time to pass, and never rings", async () => {
    const scheduler = new Scheduler(new SimulatedMachine(1), CALM, LIVELY);
    const { host } = scheduler.startProcess("one");
    const stop = new AbortController();
    const before = host.now();
    const waiting = host.wait(1_000_000, "background", stop.signal);
    stop.abort();
    await scheduler.run(Promise.all([waiting, host.wait(10)]));
    expect(host.now() - before).toBeLessThan(1_000);
  });

  test("a killed process does nothing more, and what it waits for never comes", async () => {
    const machine = new SimulatedMachine(1);
    const temper = { ...LIVELY, switches: 0, kills: 1024, mostKills: 1 };
    const scheduler = new Scheduler(machine, CALM, temper);
    const process = scheduler.startProcess("one");
    let isAnswered = false;
    void Promise.resolve(process.host.files.makeDirectory("/made")).then(() => {
      isAnswered = true;
    });
    await scheduler.run(process.death);
    expect(process.isAlive).toBe(false);
    expect(isAnswered).toBe(false);
    expect(await machine.startProcess().files.stat("/made")).toBeUndefined();
  });

  test("a stopped process reads what it was told when it is let go, not before", async () => {
    const scheduler = new Scheduler(new SimulatedMachine(1), CALM, { ...LIVELY, switches: 0 });
    const listener = scheduler.startProcess("listener");
    const teller = scheduler.startProcess("teller");
    const heard: string[] = [];
    await scheduler.run(listener.host.processes.listen("/socket", (text) => heard.push(text)));
    const telling = teller.host.processes.tell("/socket", "hello").then(() => [...heard]);
    expect(await scheduler.run(telling)).toEqual([]);
    await scheduler.run(listener.turn("looks"));
    expect(heard).toEqual(["hello"]);
  });

  test("says so when nobody can go on", async () => {
    const scheduler = new Scheduler(new SimulatedMachine(1), CALM, LIVELY);
    scheduler.startProcess("one");
    await expect(scheduler.run(new Promise(() => undefined))).rejects.toThrow(SchedulerStuck);
  });
});
