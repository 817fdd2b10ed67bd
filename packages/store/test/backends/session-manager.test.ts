/** What SessionManager promises beyond the contract it shares (test/store/session-store.test.ts). */

import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SessionManager, type SessionManagerOptions } from "../../src/backends/json/session-manager.ts";
import type { LonghandError } from "../../src/errors.ts";
import type { Host } from "../../src/host/host.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import type { Damage } from "../../src/format/session-record.ts";
import { failingHost } from "../../src/testing/failing-host.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let directory: string;
let errors: LonghandError[];
let damage: Damage[];

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  errors = [];
  damage = [];
});

afterEach(async () => {
  await removeDirectory(directory);
});

function manage(options: SessionManagerOptions = {}, where: string = directory): SessionManager {
  return new SessionManager(where, {
    onError: (error) => errors.push(error),
    onDamage: (each) => damage.push(each),
    ...options,
  });
}

async function contentsOf(manager: SessionManager, key: string): Promise<unknown[]> {
  return (await manager.getHistory(key)).map(({ content }) => content);
}

function openable(): { readonly opened: Promise<void>; open(): void } {
  const state: { open: () => void } = { open: () => undefined };
  const opened = new Promise<void>((resolve) => (state.open = resolve));
  return { opened, open: () => state.open() };
}

describe("getOrCreate", () => {
  test("creates an empty session, and gives a copy of what is there", async () => {
    const manager = manage();
    const created = await manager.getOrCreate("s");
    expect(created).toEqual({
      key: "s",
      messages: [],
      summary: "",
      created: expect.stringMatching(/Z$/) as unknown,
      updated: created.created,
    });
    expect(await manager.listSessions()).toEqual(["s"]);
    await manager.addMessage("s", "user", "cut");
    await manager.addMessage("s", "user", "kept");
    await manager.truncateHistory("s", 1);
    await manager.setSummary("s", "sum");
    const session = await manager.getOrCreate("s");
    expect(session).toMatchObject({ key: "s", summary: "sum", created: created.created });
    expect(session.messages).toEqual([{ role: "user", content: "kept" }]);
    session.messages.push({ role: "user", content: "only in the copy" });
    expect(await contentsOf(manager, "s")).toEqual(["kept"]);
    await manager.close();
  });

  test("sees the writes called before it", async () => {
    const manager = manage();
    const write = manager.addMessage("s", "user", "not awaited");
    expect((await manager.getOrCreate("s")).messages).toHaveLength(1);
    await write;
  });

  test("rejects for a key that cannot be", async () => {
    await expect(manage().getOrCreate("")).rejects.toMatchObject({ code: "KEY_INVALID" });
  });

  test("an empty session is a session once it is saved", async () => {
    const manager = manage();
    await manager.getOrCreate("s");
    await manager.save("s");
    expect(await manage().listSessions()).toEqual(["s"]);
  });
});

describe("save", () => {
  test("writes nothing before it is called, and only its own session", async () => {
    const manager = manage();
    await manager.addMessage("a", "user", "1");
    await manager.addMessage("b", "user", "1");
    expect(await readdir(directory)).toEqual([]);
    await manager.save("a");
    expect(await readdir(directory)).toEqual(["a.json"]);
    expect((await stat(join(directory, "a.json"))).mode & 0o777).toBe(0o600);
    await manager.close();
    expect(await readdir(directory)).toEqual(["a.json"]);
  });

  test("snapshots at the call: writes go on meanwhile and are not in it", async () => {
    const gate = openable();
    const reached = openable();
    const host: Host = {
      ...nodeHost,
      files: {
        ...nodeHost.files,
        rename: async (from, to) => {
          reached.open();
          await gate.opened;
          await nodeHost.files.rename(from, to);
        },
      },
    };
    const manager = manage({ host });
    await manager.addMessage("s", "user", "before");
    const unawaited = manager.addMessage("s", "user", "called before");
    const saved = manager.save("s");
    const later = manager.addMessage("s", "user", "after");
    await reached.opened;
    await Promise.all([unawaited, later]);
    await manager.addMessage("s", "user", "while it is written");
    expect(await contentsOf(manager, "s")).toEqual([
      "before",
      "called before",
      "after",
      "while it is written",
    ]);
    gate.open();
    await saved;
    expect(await contentsOf(manage(), "s")).toEqual(["before", "called before"]);
    await manager.save("s");
    expect(await contentsOf(manage(), "s")).toHaveLength(4);
  });

  test("two at once do not undo each other", async () => {
    const manager = manage();
    const saves: Promise<void>[] = [];
    for (let index = 0; index < 10; index++) {
      void manager.addMessage("s", "user", String(index));
      saves.push(manager.save("s"));
    }
    await Promise.all(saves);
    expect(await contentsOf(manage(), "s")).toHaveLength(10);
  });

  test("writes what is good though a write has failed, and rejects with that failure", async () => {
    const manager = manage();
    await manager.addMessage("s", "user", "good");
    await manager.addMessage("s", "robot" as "user", "bad");
    await expect(manager.save("s")).rejects.toMatchObject({ code: "MESSAGE_INVALID" });
    expect(await contentsOf(manage(), "s")).toEqual(["good"]);
  });

  test("rejects when the disk fails, keeps what is in memory, and the next one writes it", async () => {
    let isFailing = true;
    const host = failingHost(nodeHost, ({ operation }) =>
      isFailing && operation === "sync" ? { kind: "error", code: "EIO" } : undefined,
    );
    const manager = manage({ host });
    await manager.addMessage("s", "user", "kept");
    await expect(manager.save("s")).rejects.toMatchObject({ code: "IO_FAILED" });
    expect(await readdir(directory)).toEqual([]);
    isFailing = false;
    expect(await contentsOf(manager, "s")).toEqual(["kept"]);
    await manager.save("s");
    expect(await contentsOf(manage(), "s")).toEqual(["kept"]);
  });

  test("a failure of the disk beside an earlier one is reported, not swallowed", async () => {
    const host = failingHost(nodeHost, ({ operation }) =>
      operation === "sync" ? { kind: "error", code: "EIO" } : undefined,
    );
    const manager = manage({ host });
    await manager.addMessage("s", "user", "good");
    await manager.addMessage("s", "robot" as "user", "bad");
    await expect(manager.save("s")).rejects.toMatchObject({ code: "MESSAGE_INVALID" });
    expect(errors.map(({ code }) => code)).toEqual(["MESSAGE_INVALID", "IO_FAILED"]);
  });
});

describe("loading", () => {
  test("every .json is loaded, an unreadable one is reported and never overwritten, byte for byte", async () => {
    const writer = manage();
    for (const key of ["a", "b:1"]) {
      await writer.addMessage(key, "user", `of ${key}`);
      await writer.save(key);
    }
    const torn = join(directory, "c.json");
    const bytes = (await readFile(join(directory, "a.json"))).subarray(0, 50);
    await writeFile(torn, bytes);
    const manager = manage();
    expect(await manager.listSessions()).toEqual(["a", "b:1"]);
    // The torn file began with the key of the first.
    expect(damage).toMatchObject([{ file: torn, kind: "corrupt", key: "a" }]);
    await manager.addMessage("a", "user", "more");
    await manager.addMessage("c", "user", "another");
    await manager.save("a");
    await manager.save("c");
    expect(await readFile(torn)).toEqual(bytes);
    const again = manage();
    expect(await contentsOf(again, "a")).toEqual(["of a", "more"]);
    expect(await contentsOf(again, "c")).toEqual(["another"]);
  });

  test("the session of an unreadable file goes on in memory; each save says so", async () => {
    const file = join(directory, "telegram_5.json");
    await writeFile(file, "");
    const manager = manage();
    await manager.addMessage("telegram:5", "user", "in memory");
    for (let time = 0; time < 2; time++) {
      await expect(manager.save("telegram:5")).rejects.toMatchObject({
        code: "SESSION_DAMAGED",
        message: expect.stringContaining(file) as unknown,
      });
    }
    expect(await contentsOf(manager, "telegram:5")).toEqual(["in memory"]);
    expect(await readFile(file, "utf8")).toBe("");
    expect(await readdir(directory)).toEqual(["telegram_5.json"]);
  });

  test("a directory that cannot be used is reported; writes, reads and saves tell of it too", async () => {
    await chmod(directory, 0o777);
    const manager = manage();
    await manager.addMessage("s", "user", "x");
    expect(await manager.getHistory("s")).toEqual([]);
    expect(await manager.listSessions()).toEqual([]);
    await expect(manager.save("s")).rejects.toMatchObject({ code: "DIRECTORY_UNSAFE" });
    await expect(manager.save("other")).rejects.toMatchObject({ code: "DIRECTORY_UNSAFE" });
    await expect(manager.getOrCreate("s")).rejects.toMatchObject({ code: "DIRECTORY_UNSAFE" });
    expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(["DIRECTORY_UNSAFE"]));
    await manager.close();
    await chmod(directory, 0o700);
    expect(await readdir(directory)).toEqual([]);
  });

  test("its failure is no unhandled rejection, also when no method is ever called", async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", listen);
    const host = failingHost(nodeHost, () => ({ kind: "error", code: "EIO" }));
    manage({ host });
    await expect.poll(() => errors.map(({ code }) => code)).toEqual(["IO_FAILED"]);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", listen);
    expect(unhandled).toEqual([]);
  });
});

test("an empty directory means memory only", async () => {
  const host = failingHost(nodeHost, () => ({ kind: "error", code: "EIO" }));
  const manager = manage({ host }, "");
  await manager.addMessage("s", "user", "x");
  await manager.save("s");
  expect(await contentsOf(manager, "s")).toEqual(["x"]);
  await manager.close();
  expect(host.calls).toBe(0);
  expect(errors).toEqual([]);
});

test("unknown options are named", () => {
  expect(() => new SessionManager("", { onErrors: () => undefined } as SessionManagerOptions)).toThrow(
    /onErrors/,
  );
  expect(() => new SessionManager(7 as unknown as string)).toThrow(/directory/);
});
