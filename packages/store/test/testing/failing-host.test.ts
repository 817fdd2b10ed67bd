import { promised } from "../../src/host/promised.ts";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Host } from "../../src/host/host.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { writeFully } from "../../src/host/write-fully.ts";
import { failingHost, type FailingHost } from "../../src/testing/failing-host.ts";
import { failForEver, failOnce, fillDisk, type Fault, type FaultPlan } from "../../src/testing/fault-plan.ts";
import type { FileCall } from "../../src/testing/file-operation.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { readText } from "./support/read-disk.ts";
import { readStates } from "./support/read-states.ts";

const EIO: Fault = { kind: "error", code: "EIO" };

/** Every call a host has, once, except those that `plan` makes fail. The names of the failed ones. */
async function callEverything(host: Host, root: string): Promise<string[]> {
  const failed: string[] = [];
  const attempt = async <T>(name: string, call: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await call();
    } catch (error) {
      failed.push(`${name} ${(error as { code: string }).code}`);
      return undefined;
    }
  };
  const { files } = host;
  const [directory, a, b, c] = [join(root, "d"), join(root, "d/a"), join(root, "d/b"), join(root, "d/c")];
  await attempt("makeDirectory", async () => await files.makeDirectory(directory));
  const file = await attempt("create", async () => await files.open(a, "create"));
  await attempt("write", async () => await file?.write(Buffer.from("hello"), 0));
  await attempt("read", async () => await file?.read(Buffer.alloc(5), 0));
  await attempt("truncate", async () => await file?.truncate(3));
  await attempt("sync", async () => await file?.sync());
  await attempt("stat", async () => await file?.stat());
  await attempt("close", async () => await file?.close());
  const reader = await attempt("open", async () => await files.open(a, "read"));
  await reader?.close();
  const writer = await attempt("openForWriting", async () => await files.open(a, "write"));
  await writer?.close();
  await attempt("link", async () => await files.link(a, b));
  await attempt("rename", async () => await files.rename(b, c));
  await attempt("unlink", async () => await files.unlink(c));
  await attempt("readDirectory", async () => await files.readDirectory(directory));
  await attempt("syncDirectory", async () => await files.syncDirectory(directory));
  await attempt("stat", async () => await files.stat(a));
  await attempt("resolve", async () => await files.resolve(a));
  const presence = await attempt("listen", () => host.processes.listen(join(root, "s")));
  await presence?.close();
  return failed;
}

async function onBothHosts(check: (host: Host, root: string) => Promise<void>): Promise<void> {
  await check(new SimulatedMachine().startProcess(), "/");
  const root = await mkdtemp(join(tmpdir(), "lh-"));
  try {
    await check(nodeHost, root);
  } finally {
    await rm(root, { recursive: true });
  }
}

const collect = (calls: FileCall[]): FaultPlan => {
  return (call) => {
    calls.push(call);
    return undefined;
  };
};

describe("a failing host", () => {
  test("without a fault does what the other does, and counts every call", async () => {
    await onBothHosts(async (inner, root) => {
      const calls: FileCall[] = [];
      const host = failingHost(inner, collect(calls));
      expect(await callEverything(host, root)).toEqual([]);
      expect({ calls: host.calls, faults: host.faults }).toEqual({ calls: 20, faults: 0 });
      expect(calls.map(({ number }) => number)).toEqual(calls.map((_, index) => index + 1));
      expect(calls.find(({ operation }) => operation === "write")?.path).toBe(join(root, "d/a"));
      expect(calls.find(({ operation }) => operation === "rename")?.to).toBe(join(root, "d/c"));
      expect(host.processes.self).toEqual(inner.processes.self);
      const { pid, startTime } = host.processes.self;
      expect(await host.processes.find(pid)).toEqual({ startTime });
    });
  });

  test("fails each call in its turn, with the code, and exactly that one first", async () => {
    const calls: FileCall[] = [];
    await callEverything(failingHost(new SimulatedMachine().startProcess(), collect(calls)), "/");
    for (const { number, operation } of calls) {
      const host = failingHost(new SimulatedMachine().startProcess(), failOnce(number, EIO));
      const [first] = await callEverything(host, "/").catch((error: unknown) => [String(error)]);
      expect(host.faults).toBe(1);
      // The second and third close are not caught by callEverything.
      expect(first).toMatch(operation === "close" ? /close.*EIO|EIO: close/ : `${operation} EIO`);
    }
  });

  test("does nothing of a call that fails", async () => {
    await onBothHosts(async (inner, root) => {
      const path = join(root, "a");
      const file = await inner.files.open(path, "create");
      await writeFully(file, Buffer.from("old"), 0);
      await file.close();
      const host = failingHost(inner, ({ operation }) => (operation.startsWith("open") ? undefined : EIO));
      const handle = await host.files.open(path, "write");
      await expect(handle.write(Buffer.from("new"), 0)).rejects.toMatchObject({ code: "EIO", path });
      await expect(handle.truncate(0)).rejects.toMatchObject({ code: "EIO" });
      await expect(host.files.unlink(path)).rejects.toMatchObject({ code: "EIO" });
      await expect(host.files.rename(path, join(root, "b"))).rejects.toMatchObject({ code: "EIO" });
      expect(await readText(inner.files, path)).toBe("old");
      await expect(handle.close()).rejects.toMatchObject({ code: "EIO" });
    });
  });

  test("closes, when a close fails", async () => {
    await onBothHosts(async (inner, root) => {
      const host = failingHost(inner, failOnce(2, EIO));
      const file = await host.files.open(join(root, "a"), "create");
      await expect(promised(() => file.close())).rejects.toMatchObject({ code: "EIO" });
      await expect(promised(() => file.stat())).rejects.toMatchObject({ code: "EBADF" });
    });
  });
});

describe("a short write", () => {
  test("puts in as many bytes as it says, without an error", async () => {
    await onBothHosts(async (inner, root) => {
      const host = failingHost(inner, failOnce(2, { kind: "short", bytes: 3 }));
      const file = await host.files.open(join(root, "a"), "create");
      expect(await file.write(Buffer.from("hello"), 0)).toBe(3);
      expect(await readText(inner.files, join(root, "a"))).toBe("hel");
      expect(await file.write(Buffer.from("lo"), 3)).toBe(2);
      await file.close();
    });
  });

  test.each([5, 6, 100])("of at most %i bytes is always shorter than what was asked", async (bytes) => {
    const host = failingHost(new SimulatedMachine().startProcess(), failOnce(2, { kind: "short", bytes }));
    const file = await host.files.open("/a", "create");
    expect(await file.write(Buffer.from("hello"), 0)).toBe(4);
  });

  test("is no fault of any other call", async () => {
    const host = failingHost(new SimulatedMachine().startProcess(), () => ({ kind: "short", bytes: 0 }));
    await (await host.files.open("/a", "create")).sync();
    expect(host.faults).toBe(0);
  });
});

describe("plans", () => {
  const failuresWith = async (plan: FaultPlan): Promise<string[]> =>
    await callEverything(failingHost(new SimulatedMachine().startProcess(), plan), "/");

  test("once: no other call", async () => {
    expect(await failuresWith(failOnce(3, EIO))).toEqual(["write EIO"]);
  });

  test("for ever: everything that can fail so, from there on", async () => {
    expect(await failuresWith(failForEver(3, { kind: "error", code: "ENOSPC" }))).toEqual([
      "write ENOSPC",
      "sync ENOSPC",
      "link ENOSPC",
      "rename ENOSPC",
      "unlink ENOENT",
      "syncDirectory ENOSPC",
      "listen ENOSPC",
    ]);
    expect(await failuresWith(failForEver(9, { kind: "error", code: "EMFILE" }))).toEqual([
      "open EMFILE",
      "openForWriting EMFILE",
      "readDirectory EMFILE",
      "syncDirectory EMFILE",
      "listen EMFILE",
    ]);
    const readOnly = await failuresWith(failForEver(9, { kind: "error", code: "EROFS" }));
    expect(readOnly).toContain("openForWriting EROFS");
    expect(readOnly).not.toContain("open EROFS");
    expect(await failuresWith(failOnce(4, { kind: "error", code: "ENOSPC" }))).toEqual([]);
  });

  async function writeOnFullDisk(lasting: boolean): Promise<{ outcomes: unknown[]; host: FailingHost }> {
    const host = failingHost(new SimulatedMachine().startProcess(), fillDisk(2, 3, lasting));
    const file = await host.files.open("/a", "create");
    const outcomes: unknown[] = [];
    for (let round = 0; round < 3; round += 1) {
      await file.read(Buffer.alloc(1), 0);
      try {
        outcomes.push(await file.write(Buffer.from("hello"), 0));
      } catch (error) {
        outcomes.push((error as { code: string }).code);
      }
    }
    return { outcomes, host };
  }

  test("a full disk: first a short count without an error, then ENOSPC, while reading goes on", async () => {
    const { outcomes, host } = await writeOnFullDisk(true);
    expect(outcomes).toEqual([3, "ENOSPC", "ENOSPC"]);
    await expect(host.files.open("/b", "create")).rejects.toMatchObject({ code: "ENOSPC" });
    expect(host.faults).toBe(4);
  });

  test("a full disk that is freed: one ENOSPC, then all is well", async () => {
    expect((await writeOnFullDisk(false)).outcomes).toEqual([3, "ENOSPC", 5]);
  });

  test("a full disk, written to by writeFully, ends in ENOSPC with the first bytes in the file", async () => {
    const machine = new SimulatedMachine();
    const host = failingHost(machine.startProcess(), fillDisk(1, 3, true));
    const file = await host.files.open("/a", "create");
    await expect(writeFully(file, Buffer.from("hello"), 0)).rejects.toMatchObject({ code: "ENOSPC" });
    expect(await readText(machine.startProcess().files, "/a")).toBe("hel");
  });
});

test("a sync that is ignored says yes and makes nothing durable", async () => {
  const machine = new SimulatedMachine();
  const host = failingHost(machine.startProcess(), () => ({ kind: "ignored" }));
  const file = await host.files.open("/a", "create");
  expect(await file.write(Buffer.from("hello"), 0)).toBe(5);
  await file.sync();
  await host.files.syncDirectory("/");
  expect(host.faults).toBe(2);
  expect(await readStates(machine)).toEqual(expect.arrayContaining([{ "/a": "hello" }, { "/a": "" }, {}]));
});

test("a failed sync is told to the disk through two failing hosts as well, and to those who watch it", async () => {
  const machine = new SimulatedMachine();
  const seen: string[] = [];
  machine.onOperation(({ operation, changedDisk }) => {
    if (changedDisk) seen.push(operation);
  });
  const inner = failingHost(machine.startProcess(), () => undefined);
  const host = failingHost(inner, ({ operation }) => (operation.startsWith("sync") ? EIO : undefined));
  const file = await host.files.open("/a", "create");
  await machine.startProcess().files.syncDirectory("/");
  await file.write(Buffer.from("hello"), 0);
  await expect(file.sync()).rejects.toMatchObject({ code: "EIO" });
  await host.files.unlink("/a");
  await expect(host.files.syncDirectory("/")).rejects.toMatchObject({ code: "EIO" });
  expect(seen).toEqual(["create", "syncDirectory", "write", "sync", "unlink", "syncDirectory"]);
  const [state, ...others] = machine.capture().afterPowerLoss();
  expect(others).toEqual([]);
  expect((await state?.startProcess().files.stat("/a"))?.size).toBe(0);
});
