/** The micro-kernel's verbs, over each backend. */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  jsonBackend,
  jsonlBackend,
  kernelStore,
  memoryBackend,
  openStore,
  type Backend,
  type Message,
} from "../../src/index.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let parent: string;
let directory: string;

beforeEach(async () => {
  parent = await makeTemporaryDirectory();
  directory = join(parent, "store", "sessions");
});

afterEach(async () => {
  await removeDirectory(parent);
});

const BACKENDS: readonly (readonly [string, () => Backend, () => string | undefined])[] = [
  ["memory", () => memoryBackend(), () => undefined],
  ["json", () => jsonBackend(directory), () => directory],
  ["jsonl", () => jsonlBackend(directory), () => directory],
];

const user = (content: string): Message => ({ role: "user", content });

describe.each(BACKENDS)("over %s", (_name, backend, expectedDirectory) => {
  test("save appends, load gives the messages, list and exists tell what there is", async () => {
    const store = await openStore(backend());
    const kernel = kernelStore(store);
    expect(await kernel.list()).toEqual([]);
    expect(await kernel.exists("sess-1")).toBe(false);
    expect(await kernel.save("sess-1", user("one"))).toEqual({ seq: 1 });
    expect(await kernel.save("sess-1", user("two"))).toEqual({ seq: 2 });
    await kernel.save("sess-0", user("other"));
    expect(await kernel.load("sess-1")).toEqual([user("one"), user("two")]);
    expect(await kernel.list()).toEqual(["sess-0", "sess-1"]);
    expect(await kernel.exists("sess-1")).toBe(true);
    expect(kernel.storageDir()).toBe(expectedDirectory());
    await store.close();
  });

  test("load of a session that is not there is SESSION_NOT_FOUND; of an empty one, nothing", async () => {
    const store = await openStore(backend());
    const kernel = kernelStore(store);
    await expect(kernel.load("nobody")).rejects.toMatchObject({
      code: "SESSION_NOT_FOUND",
      detail: { key: "nobody" },
    });
    await store.session("cleared").replace([]);
    expect(await kernel.load("cleared")).toEqual([]);
    await store.close();
  });

  test("failures reject", async () => {
    const store = await openStore(backend());
    const kernel = kernelStore(store);
    await expect(kernel.save("", user("x"))).rejects.toMatchObject({ code: "KEY_INVALID" });
    await expect(kernel.save("s", { role: "user" } as Message)).rejects.toMatchObject({
      code: "MESSAGE_INVALID",
    });
    await store.close();
    await expect(kernel.load("s")).rejects.toMatchObject({ code: "STORE_CLOSED" });
  });
});

test.each(BACKENDS.slice(1))(
  "seed fault 21: over %s, the id ../../x stays in the directory",
  async (_name, backend) => {
    const store = await openStore(backend());
    const kernel = kernelStore(store);
    await kernel.save("../../x", user("contained"));
    expect(await kernel.load("../../x")).toEqual([user("contained")]);
    await store.close();
    expect(await readdir(parent)).toEqual(["store"]);
    expect(await readdir(join(parent, "store"))).toEqual(["sessions"]);
    const again = await openStore(backend());
    expect(await kernelStore(again).list()).toEqual(["../../x"]);
    await again.close();
  },
);

test.each([
  ["memory", () => memoryBackend()],
  ["jsonl", () => jsonlBackend(directory)],
] as const)(
  "%s: delete moves to the trash, and with forever leaves nothing there",
  async (_name, backend) => {
    const store = await openStore(backend());
    const kernel = kernelStore(store);
    const trashed = async (): Promise<string[]> => {
      const keys: string[] = [];
      for await (const { key } of store.list({ status: "trashed" })) keys.push(key);
      return keys;
    };
    await kernel.save("a", { role: "user", content: "one" });
    await kernel.archive("a");
    await kernel.save("b", { role: "user", content: "two" });
    await kernel.delete("a");
    await kernel.delete("b");
    expect((await trashed()).sort()).toEqual(["a", "b"]);
    await kernel.delete("b", { forever: true });
    expect(await trashed()).toEqual(["a"]);
    await kernel.save("c", { role: "user", content: "three" });
    await kernel.delete("c", { forever: true });
    expect(await kernel.exists("c")).toBe(false);
    expect(await trashed()).toEqual(["a"]);
    await store.close();
  },
);
