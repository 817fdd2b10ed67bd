/** What counts as proof of death, for every pair of environments two processes of one machine may see. */

import { describe, expect, test } from "vitest";
import { layoutOf } from "../../src/format/layout.ts";
import { livenessOf } from "../../src/lease/liveness.ts";
import type { Liveness } from "../../src/lease/liveness-rule.ts";
import { findOwners, jsonlBackend, openStore, type Store } from "../../src/index.ts";
import type { Host, ProcessIdentity } from "../../src/host/host.ts";
import { toId } from "../../src/format/session-id.ts";
import { SimulatedMachine } from "../../src/testing/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { seenFrom } from "../support/seen-from.ts";

async function open(host: Host, directory = "/store"): Promise<Store> {
  return await openStore(jsonlBackend(directory, { host, lockWait: 0 }), { onError: () => undefined });
}

const HIDDEN: Readonly<Record<string, Partial<ProcessIdentity>>> = {
  "the boot id": { bootId: undefined },
  "the start time": { startTime: undefined },
  "the pid namespace": { pidNamespace: undefined },
  "all of /proc": { bootId: undefined, startTime: undefined, pidNamespace: undefined },
};

describe.each(Object.entries(HIDDEN))("%s is hidden", (_, identity) => {
  test.each(["from the holder", "from the one who asks", "from both"])(
    "%s: a living holder is not replaced, a dead one is",
    async (side) => {
      const machine = new SimulatedMachine(1);
      const process = machine.startProcess();
      const asking = machine.startProcess();
      const holder = await open(side === "from the one who asks" ? process : seenFrom(process, { identity }));
      const other = await open(side === "from the holder" ? asking : seenFrom(asking, { identity }));
      await holder.session("a").append(user("1"));
      await expect(other.session("a").append(user("x"))).rejects.toMatchObject({ code: "SESSION_LOCKED" });
      expect(await holder.session("a").append(user("2"))).toEqual({ seq: 2 });
      process.kill();
      expect(await other.session("a").append(user("3"))).toEqual({ seq: 3 });
      expect(await contentsOf(other.session("a"))).toEqual(["1", "2", "3"]);
    },
  );
});

test("another boot id proves no death while the socket answers", async () => {
  const machine = new SimulatedMachine(1);
  const holder = await open(
    seenFrom(machine.startProcess(), { identity: { bootId: "given by a container" } }),
  );
  await holder.session("a").append(user("1"));
  const other = await open(machine.startProcess());
  await expect(other.session("a").append(user("x"))).rejects.toMatchObject({
    code: "SESSION_LOCKED",
    detail: { liveness: "alive" },
  });
  expect(await holder.session("a").append(user("2"))).toEqual({ seq: 2 });
});

describe("a refused connection", () => {
  /** A process that lives elsewhere: the socket refuses here all the same. */
  const elsewhere = { refuses: true, findsNoProcess: true } as const;

  test.each([
    ["another machine of the same name, through a shared file system", { bootId: "b" }, "nfs", "nfs"],
    ["another machine that shares the disk of this one", { bootId: "b" }, "nfs", "ext4"],
    ["a machine that this one shares the disk of", { bootId: "b" }, "ext4", "nfs"],
    ["a machine that does not say which boot it is", { bootId: undefined }, "nfs", "nfs"],
    ["this machine, where it sees the directory through another file system", {}, "fuse", "ext4"],
  ])("proves nothing about %s", async (_, identity, there, here) => {
    const machine = new SimulatedMachine(1);
    const foreign = { pidNamespace: "pid:[2]", ...identity };
    const holder = await open(seenFrom(machine.startProcess(), { identity: foreign, fileSystem: there }));
    await holder.session("a").append(user("1"));
    const other = await open(seenFrom(machine.startProcess(), { ...elsewhere, fileSystem: here }));
    await expect(other.session("a").append(user("x"))).rejects.toMatchObject({
      code: "SESSION_LOCKED",
      message: expect.stringMatching(/process \d+ on simulated .*longhand doctor/) as string,
      detail: { liveness: "unproven", host: "simulated" },
    });
    expect(await holder.session("a").append(user("2"))).toEqual({ seq: 2 });
  });

  test.each([
    ["on the same boot, on any file system", {}, "nfs"],
    ["on a file system that only one kernel can have, whatever the boot", { bootId: "b" }, "ext4"],
    ["there where nobody knows the boot", { bootId: undefined, pidNamespace: undefined }, "ext4"],
    ["on a Mac", { bootId: undefined, startTime: undefined, pidNamespace: "darwin" }, "none"],
  ])("proves death %s", async (_, identity, fileSystem) => {
    const machine = new SimulatedMachine(1);
    const process = machine.startProcess();
    const holder = await open(seenFrom(process, { identity, fileSystem }));
    await holder.session("a").append(user("1"));
    process.kill();
    const isMac = fileSystem === "none";
    const here = isMac ? { identity, fileSystem } : { fileSystem };
    const other = await open(seenFrom(machine.startProcess(), here));
    expect(await other.session("a").append(user("2"))).toEqual({ seq: 2 });
  });

  test("proves nothing about a Mac of another name", async () => {
    const machine = new SimulatedMachine(1);
    const mac = { bootId: undefined, startTime: undefined, pidNamespace: "darwin" };
    const there = { identity: { ...mac, host: "one.local" }, fileSystem: "none" };
    const holder = await open(seenFrom(machine.startProcess(), there));
    await holder.session("a").append(user("1"));
    const here = { ...elsewhere, identity: { ...mac, host: "two.local" }, fileSystem: "none" };
    const other = await open(seenFrom(machine.startProcess(), here));
    await expect(other.session("a").append(user("x"))).rejects.toMatchObject({
      code: "SESSION_LOCKED",
      detail: { liveness: "unproven", host: "one.local" },
    });
  });
});

describe("an instance without a socket", () => {
  const LONG = `/${"x".repeat(100)}`;
  const START = Date.UTC(2026, 0, 2);

  test("is judged by pid and start time; a reused pid is another process", async () => {
    const machine = new SimulatedMachine(1);
    const process = machine.startProcess();
    const holder = await open(process, LONG);
    await holder.session("a").append(user("1"));
    const other = await open(machine.startProcess(), LONG);
    await expect(other.session("a").append(user("x"))).rejects.toMatchObject({
      detail: { liveness: "alive" },
    });
    process.kill();
    expect(await other.session("a").append(user("2"))).toEqual({ seq: 2 });
  });

  describe("after a restart that gave the asker its pid and start time", () => {
    async function restarted(): Promise<{ samePid: Host; otherPid: Host }> {
      const machine = new SimulatedMachine(1);
      machine.setClock(START);
      await (await open(machine.startProcess(), LONG)).session("a").append(user("1"));
      const [after] = machine.capture().afterPowerLoss({ limit: 1 });
      if (after === undefined) throw new Error("no state after the power loss");
      after.setClock(START);
      return { samePid: after.startProcess(), otherPid: after.startProcess() };
    }

    test("counts as dead: no other process can be it, and the asker is of another boot", async () => {
      const { samePid } = await restarted();
      const store = await open(samePid, LONG);
      expect(await store.session("a").append(user("2"))).toEqual({ seq: 2 });
    });

    test.each([
      ["another process has them", "otherPid", {}],
      ["the boot id of the asker is hidden", "samePid", { bootId: undefined }],
      ["the pid namespace is another", "samePid", { pidNamespace: "pid:[2]" }],
      ["the pid namespace is hidden", "samePid", { pidNamespace: undefined }],
    ] as const)("is unproven where %s", async (_, process, identity) => {
      const host = seenFrom((await restarted())[process], { identity });
      expect((await findOwners(LONG, host)).map(({ liveness }) => liveness)).toEqual(["unproven"]);
    });

    test("is unproven where it may be on another kernel", async () => {
      const host = seenFrom((await restarted()).samePid, { fileSystem: "nfs" });
      expect((await findOwners(LONG, host)).map(({ liveness }) => liveness)).toEqual(["unproven"]);
    });
  });

  test.each([
    ["the pid namespace is hidden from both", { pidNamespace: undefined }, { pidNamespace: undefined }],
    ["the pid namespace is another", { pidNamespace: "pid:[2]" }, {}],
  ])("is not judged by its pid where %s", async (_, there, here) => {
    const machine = new SimulatedMachine(1);
    const holder = await open(seenFrom(machine.startProcess(), { identity: there }), LONG);
    await holder.session("a").append(user("1"));
    const other = await open(
      seenFrom(machine.startProcess(), { identity: here, findsNoProcess: true }),
      LONG,
    );
    await expect(other.session("a").append(user("x"))).rejects.toMatchObject({
      code: "SESSION_LOCKED",
      detail: { liveness: "unproven" },
    });
    expect(await holder.session("a").append(user("2"))).toEqual({ seq: 2 });
  });
});

describe("an instance whose journal does not say who it is", () => {
  const INSTANCE = toId("01M7GANKT8040G2081040G2081");
  const layout = layoutOf("/store");

  async function answering(
    answer: "refused" | "absent" | "listening",
    fileSystem: string,
  ): Promise<Liveness> {
    const seen = seenFrom(new SimulatedMachine(1).startProcess(), { fileSystem });
    const processes = { ...seen.processes, self: seen.processes.self, probe: () => Promise.resolve(answer) };
    return await livenessOf({ ...seen, processes }, layout, INSTANCE, undefined);
  }

  test.each([
    ["refused", "ext4", "dead"],
    ["refused", "nfs", "unproven"],
    ["absent", "ext4", "unproven"],
    ["listening", "ext4", "alive"],
  ] as const)("socket %s on %s: %s", async (answer, fileSystem, expected) => {
    expect(await answering(answer, fileSystem)).toBe(expected);
  });
});
