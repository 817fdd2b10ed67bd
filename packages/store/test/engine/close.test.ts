/** Closing waits for what was asked before it, and ends everything that comes after. */

import { appendFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isLonghandError, openStore, type Store } from "../../src/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { bytesIn, sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let directory: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});

afterEach(async () => {
  await removeDirectory(directory);
});

async function first(items: AsyncIterable<unknown>): Promise<unknown> {
  return await items[Symbol.asyncIterator]().next();
}

describe("close", () => {
  test("waits for writes that were begun before it, of new sessions too; all of them are in the files", async () => {
    const store = await openStore(directory);
    const writes = Array.from(
      { length: 60 },
      async (_, number) => await store.session(`k${number % 6}`).append(user(`message ${number}`)),
    );
    const cut = store.session("k0").truncate({ keepLast: 1 });
    await store.close();
    expect(await Promise.all(writes)).toHaveLength(60);
    expect(await cut).toEqual({ seq: 11 });
    const again = await openStore(directory);
    expect(await contentsOf(again.session("k0"))).toEqual(["message 54"]);
    for (let session = 1; session < 6; session++)
      expect(await again.session(`k${session}`).messages()).toHaveLength(10);
    await again.close();
  });

  test("twice, at once or later, is the same as once", async () => {
    const store = await openStore(directory);
    const write = store.session("a").append(user("one"));
    await Promise.all([store.close(), store.close()]);
    await store.close();
    expect(await write).toEqual({ seq: 1 });
  });

  const CALLS: readonly [string, (store: Store) => Promise<unknown>][] = [
    ["append", async (store) => await store.session("a").append(user("x"))],
    ["messages", async (store) => await store.session("a").messages()],
    ["state", async (store) => await store.session("a").state()],
    ["exists", async (store) => await store.session("a").exists()],
    ["truncate", async (store) => await store.session("a").truncate({ keepLast: 0 })],
    ["iterate", async (store) => await first(store.session("a").iterate())],
    ["records", async (store) => await first(store.session("a").records())],
    ["list", async (store) => await first(store.list())],
    ["search", async (store) => await store.search("x")],
  ];
  test.each(CALLS)(
    "after it, %s is refused with STORE_CLOSED, and the files stay as they are",
    async (_, call) => {
      const store = await openStore(directory);
      await store.session("a").append(user("one"));
      await store.close();
      const before = await bytesIn(directory);
      await expect(call(store)).rejects.toMatchObject({ code: "STORE_CLOSED", detail: { directory } });
      expect(await bytesIn(directory)).toEqual(before);
    },
  );

  test("a read that it overtakes is complete, or ends with a typed error; never cut short in silence", async () => {
    const writer = await openStore(directory);
    const contents = Array.from({ length: 1500 }, (_, number) => `${number} ${"word ".repeat(200)}`);
    await writer.session("a").append(contents.map(user));
    await writer.close();
    for (const steps of [0, 1, 3, 10, 300]) {
      const store = await openStore(directory);
      const read: unknown[] = [];
      let closing: Promise<void> | undefined;
      let failure: unknown;
      try {
        if (steps === 0) closing = store.close();
        for await (const { content } of store.session("a").iterate()) {
          read.push(content);
          if (read.length === steps) closing = store.close();
          // Time for the close to get on.
          if (closing !== undefined) await new Promise((resolve) => setImmediate(resolve));
        }
      } catch (error) {
        failure = error;
      }
      await closing;
      expect(read).toEqual(contents.slice(0, read.length));
      if (failure === undefined) expect(read).toHaveLength(contents.length);
      else expect(isLonghandError(failure, "STORE_CLOSED")).toBe(true);
    }
  });

  test("a read that begins before it and goes on after it cannot touch what the next writer owns", async () => {
    const first = await openStore(directory);
    await first.session("a").append(user("one"));
    const iterating = first.session("a").iterate()[Symbol.asyncIterator]();
    const closing = first.close();
    const reading = iterating.next().then(
      () => "read",
      (error: unknown) => (isLonghandError(error) ? "refused" : String(error)),
    );
    await closing;
    expect(["read", "refused"]).toContain(await reading);
    // Now the next one owns the file; half a line of it is being landed.
    const { store, damage } = await openCollecting(directory);
    await appendFile(sessionFile(directory, "a"), '{"seq":2,"at"');
    await iterating.next().catch(() => undefined);
    expect((await bytesIn(directory)).get("a.jsonl")).toContain('{"seq":2,"at"');
    expect(damage).toEqual([]);
    await store.close();
  });
});
