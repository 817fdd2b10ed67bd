/** Time and messages on a simulated machine: what those who wait in line for each other rely on. */

import { expect, test } from "vitest";
import { MAX_MESSAGE_BYTES } from "../../src/host/host.ts";
import { ProcessKilled } from "../../src/testing/process-killed.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";

test("waiting lets the clock pass, at once, after the others have done what they could", async () => {
  const machine = new SimulatedMachine();
  const [one, other] = [machine.startProcess(), machine.startProcess()];
  const before = one.now();
  let isDone = false;
  const busy = (async () => {
    for (let step = 0; step < 100; step++) await other.files.stat("/");
    isDone = true;
  })();
  await one.wait(1_000_000);
  expect(isDone).toBe(true);
  expect(one.now() - before).toBeGreaterThanOrEqual(1_000_000);
  await busy;
});

test("in the background, time passes only when others wait, whatever the clock is set to", async () => {
  const machine = new SimulatedMachine();
  const [one, other] = [machine.startProcess(), machine.startProcess()];
  const rung: string[] = [];
  const long = one.wait(100, "background").then(() => rung.push("long"));
  const short = one.wait(20, "background").then(() => rung.push("short"));
  machine.setClock(0);
  await other.wait(10);
  expect(rung).toEqual([]);
  await other.wait(10);
  await short;
  expect(rung).toEqual(["short"]);
  await other.wait(80);
  await long;
  expect(rung).toEqual(["short", "long"]);
});

test("a killed process waits for nothing any more, and nothing rings for it", async () => {
  const machine = new SimulatedMachine();
  const [one, other] = [machine.startProcess(), machine.startProcess()];
  let hasRung = false;
  void one.wait(10, "background").then(() => {
    hasRung = true;
  });
  const waiting = one.wait(10);
  one.kill();
  await expect(waiting).rejects.toThrow(ProcessKilled);
  await other.wait(100);
  expect(hasRung).toBe(false);
});

test("a message reaches whoever listens, is refused by the dead, and dropped if it is too long", async () => {
  const machine = new SimulatedMachine();
  const [one, other] = [machine.startProcess(), machine.startProcess()];
  const heard: string[] = [];
  expect(await other.processes.tell("/s", "x")).toBe("absent");
  await one.processes.listen("/s", (text) => heard.push(text));
  expect(await other.processes.tell("/s", "hello")).toBe("told");
  expect(await other.processes.tell("/s", "x".repeat(MAX_MESSAGE_BYTES + 1))).toBe("told");
  expect(heard).toEqual(["hello"]);
  one.kill();
  expect(await other.processes.tell("/s", "x")).toBe("refused");
  expect(heard).toEqual(["hello"]);
});

test("a wait that is ended resolves at once, in the background too, and nothing rings for it later", async () => {
  const machine = new SimulatedMachine();
  const one = machine.startProcess();
  const stop = new AbortController();
  let rung = 0;
  const waiting = one.wait(1_000_000, "background", stop.signal).then(() => (rung += 1));
  stop.abort();
  await waiting;
  await one.wait(2_000_000);
  expect(rung).toBe(1);
  await one.wait(1_000_000, "background", stop.signal);
});
