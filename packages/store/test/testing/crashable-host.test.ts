/** Machines and their processes: killing, capturing, clocks, chance, sockets. */

import { describe, expect, test } from "vitest";
import { ProcessKilled } from "../../src/testing/process-killed.ts";
import type { MachineOperation } from "../../src/testing/simulated-kernel.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { createText, readDisk, readText } from "./support/read-disk.ts";

describe("a killed process", () => {
  test("leaves everything that was seen, and nothing more durable than it was", async () => {
    const machine = new SimulatedMachine();
    const { files } = machine.startProcess();
    const file = await createText(files, "/a", "hello");
    await files.syncDirectory("/");
    const after = machine.capture().afterKill();
    expect(await readDisk(after)).toEqual({ "/a": "hello" });
    const states = [];
    for (const state of after.capture().afterPowerLoss()) states.push(await readDisk(state));
    expect(states).toContainEqual({ "/a": "" });
    await file.close();
  });

  test("can do nothing any more, neither by its host nor by its open files", async () => {
    const machine = new SimulatedMachine();
    const host = machine.startProcess();
    const file = await createText(host.files, "/a", "hello");
    host.kill();
    await expect(file.write(Buffer.from("x"), 0)).rejects.toThrow(ProcessKilled);
    await expect(host.files.unlink("/a")).rejects.toThrow(ProcessKilled);
    await expect(host.processes.listen("/s")).rejects.toThrow(ProcessKilled);
    await expect(host.processes.probe("/s")).rejects.toThrow(ProcessKilled);
    expect(host.now()).toBe(host.now());
    expect(await readDisk(machine)).toEqual({ "/a": "hello" });
  });

  test("killed after an operation has done it, but never learns so", async () => {
    const machine = new SimulatedMachine();
    const host = machine.startProcess();
    machine.onOperation(({ operation }) => {
      if (operation === "makeDirectory") host.kill();
    });
    await expect(host.files.makeDirectory("/d")).rejects.toThrow(ProcessKilled);
    expect(await readDisk(machine)).toEqual({ "/d": "directory" });
  });

  test("is gone for the others, whose own calls go on", async () => {
    const machine = new SimulatedMachine();
    const [one, other] = [machine.startProcess(), machine.startProcess()];
    const { pid, startTime } = one.processes.self;
    expect(await other.processes.find(pid)).toEqual({ startTime });
    one.kill();
    expect(await other.processes.find(pid)).toBe("none");
    expect(await other.processes.find(other.processes.self.pid)).not.toBe("none");
  });
});

describe("sockets", () => {
  test("listen until closed, refuse once the process is dead, and are absent otherwise", async () => {
    const machine = new SimulatedMachine();
    const [one, other] = [machine.startProcess(), machine.startProcess()];
    expect(await other.processes.probe("/s")).toBe("absent");
    const presence = await one.processes.listen("/s");
    expect(await other.processes.probe("/s")).toBe("listening");
    await presence?.close();
    expect(await other.processes.probe("/s")).toBe("absent");
    await one.processes.listen("/s");
    one.kill();
    expect(await other.processes.probe("/s")).toBe("refused");
    await expect(other.processes.listen("/s")).rejects.toMatchObject({ code: "EADDRINUSE" });
    await other.files.unlink("/s");
    await other.processes.listen("/s");
    expect(await other.processes.probe("/s")).toBe("listening");
  });

  test("refuse or are gone after a power loss; refuse after a kill", async () => {
    const machine = new SimulatedMachine();
    await machine.startProcess().processes.listen("/s");
    const probe = async (after: SimulatedMachine) => await after.startProcess().processes.probe("/s");
    const found = [];
    for (const state of machine.capture().afterPowerLoss()) found.push(await probe(state));
    expect(found).toEqual(["refused", "absent"]);
    expect(await probe(machine.capture().afterKill())).toBe("refused");
  });
});

describe("after a power loss", () => {
  test("the boot is another, so that a reused pid does not pass for the dead process", async () => {
    const machine = new SimulatedMachine();
    const dead = machine.startProcess().processes.self;
    const [state] = machine.capture().afterPowerLoss();
    const next = state?.startProcess().processes;
    expect(next?.self.pid).toBe(dead.pid);
    expect(next?.self.bootId).not.toBe(dead.bootId);
    expect(await next?.find(dead.pid)).toEqual({ startTime: next?.self.startTime });
  });
});

describe("a capture", () => {
  test("does not change with the machine, nor do machines made from it with each other", async () => {
    const machine = new SimulatedMachine();
    const { files } = machine.startProcess();
    const file = await createText(files, "/a", "before");
    const capture = machine.capture();
    await file.write(Buffer.from("AFTER!"), 0);
    await files.rename("/a", "/b");
    const [one, other] = [capture.afterKill(), capture.afterKill()];
    const change = await one.startProcess().files.open("/a", "write");
    await change.write(Buffer.from("one"), 0);
    expect(await readDisk(one)).toEqual({ "/a": "oneore" });
    expect(await readDisk(other)).toEqual({ "/a": "before" });
    expect(await readDisk(machine)).toEqual({ "/b": "AFTER!" });
    const states = [...capture.afterPowerLoss()];
    expect(await readDisk(states[0] ?? machine)).toEqual({ "/a": "before" });
  });

  test("can be taken after every operation of every process", async () => {
    const machine = new SimulatedMachine();
    const operations: MachineOperation[] = [];
    const disks: Promise<Record<string, string>>[] = [];
    machine.onOperation((operation) => {
      operations.push(operation);
      if (operation.changedDisk) disks.push(readDisk(machine.capture().afterKill()));
    });
    const [one, other] = [machine.startProcess(), machine.startProcess()];
    const file = await createText(one.files, "/a", "hello");
    await file.sync();
    await file.close();
    await readText(other.files, "/a");
    await expect(other.files.unlink("/b")).rejects.toMatchObject({ code: "ENOENT" });
    await other.files.rename("/a", "/b");
    await other.files.syncDirectory("/");
    expect(operations.map(({ number }) => number)).toEqual(operations.map((_, index) => index + 1));
    const told = operations.map(({ operation, pid, changedDisk }) => [
      operation,
      pid - one.processes.self.pid,
      changedDisk,
    ]);
    expect(told).toEqual([
      ["create", 0, true],
      ["write", 0, true],
      ["sync", 0, true],
      ["close", 0, false],
      ["open", 1, false],
      ["stat", 1, false],
      ["read", 1, false],
      ["close", 1, false],
      ["unlink", 1, false],
      ["rename", 1, true],
      ["syncDirectory", 1, true],
    ]);
    expect(operations.at(-2)).toMatchObject({ path: "/a", to: "/b" });
    const hello = { "/a": "hello" };
    expect(await Promise.all(disks)).toEqual([
      { "/a": "" },
      hello,
      hello,
      { "/b": "hello" },
      { "/b": "hello" },
    ]);
  });
});

describe("clock and chance", () => {
  test("are the same for the same seed, and go on after a crash instead of repeating", () => {
    const ids = (machine: SimulatedMachine): string[] =>
      [machine.startProcess(), machine.startProcess()].map((host) =>
        Buffer.from(host.randomBytes(16)).toString("hex"),
      );
    const machine = new SimulatedMachine(1);
    const first = ids(machine);
    expect(first).toEqual(ids(new SimulatedMachine(1)));
    expect(first).not.toEqual(ids(new SimulatedMachine(2)));
    const [state] = machine.capture().afterPowerLoss();
    const later = state === undefined ? [] : ids(state);
    expect(new Set([...first, ...later]).size).toBe(4);
  });

  test("time passes with each question, for all processes, and can be set", () => {
    const machine = new SimulatedMachine();
    const [one, other] = [machine.startProcess(), machine.startProcess()];
    const start = one.now();
    expect([other.now(), one.now()]).toEqual([start + 1, start + 2]);
    machine.setClock(0);
    expect(one.now()).toBe(1);
    expect(machine.capture().afterKill().startProcess().now()).toBe(2);
  });
});
