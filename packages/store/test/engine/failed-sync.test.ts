/** A sync of the journal that fails is final: the outcome is unknown, and says so; reopening and retrying is safe. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { jsonlBackend, openStore, type Store } from "../../src/index.ts";
import type { Host } from "../../src/host/host.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { failingHost, SimulatedMachine } from "../../src/testing/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { observedHost } from "../support/observed-host.ts";
import { bytesIn } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let directory: string;
let isBroken: boolean;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  isBroken = false;
});

afterEach(async () => {
  await removeDirectory(directory);
});

/** Every sync of a journal fails while `isBroken`. */
function breakable(host: Host): Host {
  return failingHost(host, ({ operation, path }) =>
    isBroken && operation === "sync" && path.endsWith(".journal")
      ? { kind: "error", code: "EIO" }
      : undefined,
  );
}

async function fail(where: string, host: Host): Promise<Store> {
  const store = await openStore(jsonlBackend(where, { host: breakable(host) }));
  await store.session("a").append(user("before"));
  isBroken = true;
  await expect(store.session("a").append(user("unknown"), { id: "retry me" })).rejects.toMatchObject({
    code: "STORE_FAILED",
    message: expect.stringMatching(/unknown.*[Rr]eopen.*retry with an id/s) as string,
    cause: { code: "EIO" },
  });
  isBroken = false;
  return store;
}

describe("after a sync of the journal has failed", () => {
  test("everything is refused with STORE_FAILED, although the disk is well again, and nothing more is written", async () => {
    const store = await fail(directory, nodeHost);
    // It declares itself dead after it has answered: its mark is the last that it leaves.
    const before = await vi.waitFor(
      async () => {
        const files = await bytesIn(directory);
        expect([...files.keys()].filter((path) => path.endsWith(".fence"))).toHaveLength(1);
        return files;
      },
      { timeout: 60_000 },
    );
    const refused = { code: "STORE_FAILED", message: expect.stringContaining("reopen") as string };
    await expect(store.session("a").append(user("x"))).rejects.toMatchObject(refused);
    await expect(store.session("new").append(user("x"))).rejects.toMatchObject(refused);
    await expect(store.session("a").rewind({ messages: 1 })).rejects.toMatchObject(refused);
    await expect(store.session("a").messages()).rejects.toMatchObject(refused);
    await store.close();
    expect(await bytesIn(directory)).toEqual(before);
  });

  test("closing it closes every file that it has opened", async () => {
    const open = new Map<string, number>();
    const host = observedHost(nodeHost, ({ operation, path }) => {
      const change = operation === "open" || operation === "create" ? 1 : operation === "close" ? -1 : 0;
      open.set(path, (open.get(path) ?? 0) + change);
    });
    const store = await fail(directory, host);
    await store.close();
    const left = [...open].flatMap(([path, count]) =>
      count === 0 ? [] : [path.replace(/[0-9A-Z]{26}/, "ID")],
    );
    expect(left).toEqual([]);
  });

  test("those who waited with it fail as well, none is answered", async () => {
    const store = await openStore(jsonlBackend(directory, { host: breakable(nodeHost) }));
    await store.session("a").append(user("before"));
    isBroken = true;
    const waiting = Array.from(
      { length: 20 },
      async (_, number) =>
        await store.session(number % 2 === 0 ? "a" : "b").append(user(`message ${number}`)),
    );
    for (const outcome of await Promise.allSettled(waiting))
      expect(outcome).toMatchObject({ status: "rejected", reason: { code: "STORE_FAILED" } });
    isBroken = false;
    await store.close();
  });

  test.each([
    ["closed", true],
    ["not closed", false],
  ])(
    "the same process can reopen it (the failed one %s); a retry with its id is there once",
    async (_, isClosed) => {
      const failed = await fail(directory, nodeHost);
      if (isClosed) await failed.close();
      const store = await openStore(directory);
      const session = store.session("a");
      expect(await session.append(user("unknown"), { id: "retry me" })).toEqual({ seq: 2 });
      expect(await session.append(user("unknown"), { id: "retry me" })).toEqual({ seq: 2 });
      expect(await session.append(user("after"))).toEqual({ seq: 3 });
      if (!isClosed) await failed.close();
      expect(await contentsOf(session)).toEqual(["before", "unknown", "after"]);
      await store.close();
      const again = await openStore(directory);
      expect(await contentsOf(again.session("a"))).toEqual(["before", "unknown", "after"]);
      await again.close();
    },
  );

  test("whatever the disk has kept of it, after a power cut too, a retry is there once", async () => {
    const machine = new SimulatedMachine(6);
    await fail("/store", machine.startProcess());
    const crashed = [machine.capture().afterKill(), ...machine.capture().afterPowerLoss({ limit: 100 })];
    expect(crashed.length).toBeGreaterThan(2);
    for (const each of crashed) {
      const host = each.startProcess();
      const store = await openStore(jsonlBackend("/store", { host }));
      await store.session("a").append(user("unknown"), { id: "retry me" });
      expect(await contentsOf(store.session("a"))).toEqual(["before", "unknown"]);
      await store.close();
    }
  });
});
