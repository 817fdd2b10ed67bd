/** Who has a store open is told to whoever asks, without changing anything; only who cannot be judged is given up by hand. */

import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { declareDead, findOwnerOf, findOwners } from "../../src/engine/owners.ts";
import type { Host } from "../../src/host/host.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { jsonlBackend, openStore } from "../../src/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { bytesIn, namesIn } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let directory: string;

beforeEach(async () => {
  directory = join(await makeTemporaryDirectory(), "s");
});

afterEach(async () => {
  await removeDirectory(join(directory, ".."));
});

/** As seen from another machine that shares the directory: nothing can be proven about the processes of this one. */
const { processes } = nodeHost;
const elsewhere: Host = {
  ...nodeHost,
  processes: {
    self: { ...processes.self, host: "elsewhere", bootId: "another", pidNamespace: "another" },
    listen: (path, onMessage) => processes.listen(path, onMessage),
    probe: () => Promise.resolve("unknown"),
    tell: () => Promise.resolve("unknown"),
    find: () => Promise.resolve({ startTime: undefined }),
  },
};

async function everything(): Promise<unknown> {
  return { names: await namesIn(directory), bytes: await bytesIn(directory) };
}

describe("owners", () => {
  test("none, where there is no store, or nobody has it open", async () => {
    expect(await findOwners(directory)).toEqual([]);
    const store = await openStore(directory);
    await store.session("k").append(user("x"));
    await store.close();
    expect(await findOwners(directory)).toEqual([]);
    expect(await findOwnerOf(directory, "k")).toBeUndefined();
  });

  test("each opening with what it holds; looking changes nothing", async () => {
    const one = await openStore(directory);
    const other = await openStore(directory);
    await one.session("Key of one").append(user("x"));
    const lock = await other.session("not there yet").lock();
    const before = await everything();
    const owners = await findOwners(directory);
    expect(await everything()).toEqual(before);
    expect(owners).toHaveLength(2);
    expect(owners).toMatchObject(
      owners.map(() => ({
        pid: process.pid,
        liveness: "alive",
        holds: [{ since: expect.any(String) as string }],
      })),
    );
    const ofOne = await findOwnerOf(directory, "Key of one");
    const ofOther = await findOwnerOf(directory, "not there yet");
    expect(ofOne?.holds).toMatchObject([{ key: "Key of one" }]);
    expect(ofOther?.holds).toMatchObject([{ key: undefined }]);
    expect(ofOne?.instance).not.toBe(ofOther?.instance);
    expect(await findOwnerOf(directory, "another")).toBeUndefined();
    await lock[Symbol.asyncDispose]();
    await one.close();
    await other.close();
  });
});

describe("declared dead by a person", () => {
  test("is never one that is proven to live", async () => {
    const store = await openStore(directory);
    await store.session("k").append(user("x"));
    const owner = await findOwnerOf(directory, "k");
    await expect(declareDead(directory, owner?.instance ?? "")).rejects.toMatchObject({
      code: "SESSION_LOCKED",
      detail: { pid: process.pid, liveness: "alive" },
    });
    expect(await store.session("k").append(user("y"))).toEqual({ seq: 2 });
    await store.close();
  });

  test("is followed with all it acknowledged, and answers nobody any more", async () => {
    const slow = await openStore(directory, { onError: () => undefined });
    await slow.session("k").append(user("one"));
    const lock = await slow.session("k").lock();
    const next = await openStore(jsonlBackend(directory, { host: elsewhere }));
    // Or nothing would be shown by what follows.
    await expect(next.session("k").lock({ wait: 50 })).rejects.toMatchObject({
      code: "SESSION_LOCKED",
      detail: { key: "k", pid: process.pid, liveness: "unproven" },
    });
    const owner = await findOwnerOf(directory, "k", elsewhere);
    expect(owner).toMatchObject({ liveness: "unproven", pid: process.pid });
    await declareDead(directory, owner?.instance ?? "", elsewhere);
    expect(await next.session("k").append(user("two"))).toEqual({ seq: 2 });
    await expect(slow.session("k").append(user("lost"))).rejects.toMatchObject({ code: "STORE_FAILED" });
    expect(await contentsOf(next.session("k"))).toEqual(["one", "two"]);
    // It has failed, and may say so again.
    await Promise.allSettled([lock[Symbol.asyncDispose](), slow.close()]);
    await next.close();
  });
});
