/** Files that the json backend cannot read or that another program has changed: reported, and never written over. */

import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jsonBackend } from "../../src/backends/json/json-backend.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { openStore } from "../../src/open-store.ts";
import { failingHost } from "../../src/testing/index.ts";
import type { Message } from "../../src/format/message.ts";
import { withChecksum } from "../../src/format/line-checksum.ts";
import type { Damage } from "../../src/format/session-record.ts";
import type { Store, StoreOptions } from "../../src/contract/types.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let directory: string;
let damage: Damage[];

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  damage = [];
});

afterEach(async () => {
  await removeDirectory(directory);
});

const open = async (options: StoreOptions = {}): Promise<Store> =>
  await openStore(jsonBackend(directory), { onDamage: (each) => damage.push(each), ...options });

const user = (content: string): Message => ({ role: "user", content });

async function contentsIn(store: Store, key: string): Promise<unknown[]> {
  return (await store.session(key).messages()).map(({ content }) => content);
}

async function keysIn(store: Store): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list()) keys.push(key);
  return keys;
}

async function parsed(name: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(directory, name), "utf8")) as Record<string, unknown>;
}

describe("a file that cannot be read", () => {
  const TIMES = '"created":"2026-01-02T03:04:05Z","updated":"2026-01-02T03:04:05Z"';
  const good = '{"role":"user","content":"x"}';
  const BAD: readonly (readonly [string, string | Buffer, RegExp])[] = [
    ["empty", "", /not valid JSON/],
    ["cut short", '{"key":"bad","messages":[{"role":"us', /not valid JSON/],
    ["not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), /not valid UTF-8/],
    ["no session", "{}", /no messages/],
    ["no object", "[]", /no object/],
    [
      "a message that is none",
      `{"key":"bad",${TIMES},"messages":[${good},{"role":"robot","content":"x"}]}`,
      /message 2.*role/,
    ],
    ["a message that is null", `{"key":"bad",${TIMES},"messages":[null]}`, /message 1/],
    [
      "a number too long to keep",
      `{"key":"bad",${TIMES},"messages":[{"role":"user","content":"","n":12345678901234567890}]}`,
      /digits/,
    ],
    ["a log without an id", `{"key":"bad","messages":[${good}],"log":[]}`, /its id is damaged/],
  ];

  test.each(BAD)(
    "%s: reported, never overwritten, its key SESSION_DAMAGED",
    async (_name, content, reason) => {
      const file = join(directory, "bad.json");
      await writeFile(file, content);
      const store = await open();
      expect(damage).toEqual([
        expect.objectContaining({
          file,
          offset: 0,
          bytes: content.length,
          kind: "corrupt",
          reason: expect.stringMatching(reason) as unknown,
        }),
      ]);
      expect(await keysIn(store)).toEqual([]);
      await expect(store.session("bad").append(user("x"))).rejects.toMatchObject({
        code: "SESSION_DAMAGED",
        detail: { file },
      });
      await expect(store.session("bad").messages()).rejects.toMatchObject({ code: "SESSION_DAMAGED" });
      await store.session("other").append(user("goes on"));
      await store.close();
      expect(await readFile(file)).toEqual(Buffer.from(content));
    },
  );

  test("a key that cannot be is reported, and its file left", async () => {
    const text =
      '{"key":"\\u0000","messages":[],"created":"2026-01-02T03:04:05Z","updated":"2026-01-02T03:04:05Z"}';
    await writeFile(join(directory, "nul.json"), text);
    const store = await open();
    expect(damage.map(({ reason }) => reason)).toEqual([expect.stringMatching(/NUL/)]);
    await store.session("nul").append(user("not that one's"));
    await store.close();
    expect(await readFile(join(directory, "nul.json"), "utf8")).toBe(text);
    expect(await readdir(directory)).toHaveLength(2);
  });

  test("a directory and a link are reported and left", async () => {
    await mkdir(join(directory, "folder.json"));
    await symlink("/etc/hostname", join(directory, "link.json"));
    const store = await open();
    // In the words of the JSONL backend.
    const reason = "it is not a regular file";
    expect(damage).toMatchObject([{ reason }, { reason }]);
    expect((await store.verify()).damage).toMatchObject([{ reason }, { reason }]);
    await expect(store.session("link").append(user("x"))).rejects.toMatchObject({ code: "SESSION_DAMAGED" });
    await store.close();
  });

  test("a link is never followed: neither to another session's file, nor out of the store, when it is opened or later", async () => {
    const outside = join(directory, "..", `${basename(directory)}-outside.json`);
    try {
      const before = await open();
      for (const key of ["s", "t"]) await before.session(key).append(user(key));
      await before.close();
      const text = await readFile(join(directory, "s.json"), "utf8");
      await writeFile(outside, text);
      await symlink("s.json", join(directory, "twin.json"));
      await symlink(outside, join(directory, "out.json"));
      const store = await open();
      expect((await keysIn(store)).sort()).toEqual(["s", "t"]);
      for (const key of ["twin", "out"])
        await expect(store.session(key).append(user("x"))).rejects.toMatchObject({ code: "SESSION_DAMAGED" });
      // In the place of a file that was read before.
      await rm(join(directory, "t.json"));
      await symlink(outside, join(directory, "t.json"));
      await expect(store.session("t").append(user("x"))).rejects.toMatchObject({ code: "SESSION_LOCKED" });
      await store.repair();
      await store.close();
      expect(await readFile(outside, "utf8")).toBe(text);
      expect(await readFile(join(directory, "s.json"), "utf8")).toBe(text);
    } finally {
      await rm(outside, { force: true });
    }
  });

  test("one that this user may not read is not told to be damaged, and is left", async () => {
    const path = join(directory, "s.json");
    await writeFile(path, "{}");
    const host = failingHost(nodeHost, (call) =>
      call.path === path && call.operation === "open" ? { kind: "error", code: "EACCES" } : undefined,
    );
    const store = await openStore(jsonBackend(directory, { host }), {
      onDamage: (each) => damage.push(each),
    });
    const reason = "it may not be read by this user (EACCES)";
    expect(damage).toMatchObject([{ file: path, reason, notPermitted: true }]);
    const left = expect.stringContaining(`chmod u+rw ${path}`) as string;
    expect((await store.verify()).damage).toMatchObject([{ file: path, reason, notPermitted: true, left }]);
    await expect(store.session("s").append(user("x"))).rejects.toMatchObject({ code: "IO_FAILED" });
    await store.close();
  });

  test("a newer format is FORMAT_TOO_NEW and left", async () => {
    const file = join(directory, "s.json");
    const text = '{"key":"s","messages":[],"longhand":2,"id":"x","log":[]}';
    await writeFile(file, text);
    const store = await open();
    await expect(store.session("s").append(user("x"))).rejects.toMatchObject({ code: "FORMAT_TOO_NEW" });
    await store.close();
    expect(await readFile(file, "utf8")).toBe(text);
  });

  test("promise 4: no flipped bit in the log is read as a message", async () => {
    const store = await open();
    await store.session("s").append(user("hello"));
    await store.session("s").setSummary("sum");
    await store.close();
    const file = join(directory, "s.json");
    const bytes = await readFile(file);
    const logStart = bytes.indexOf('"log": [') + '"log": ['.length;
    const missed: string[] = [];
    expect(bytes.length - logStart).toBeGreaterThan(100);
    for (let at = logStart; at < bytes.length; at++) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      await writeFile(file, flipped);
      damage = [];
      const again = await open({ readOnly: true });
      const seen = await contentsIn(again, "s").catch(() => "refused");
      if (damage.length !== 1 || seen !== "refused") missed.push(`byte ${at}: ${String(seen)}`);
      await again.close();
    }
    expect(missed).toEqual([]);
  });

  test("messages that another program has changed beside the log are not passed over", async () => {
    const store = await open();
    await store.session("s").append(user("hello"));
    await store.close();
    const file = await parsed("s.json");
    (file["messages"] as unknown[]).push(user("by another program"));
    await writeFile(join(directory, "s.json"), JSON.stringify(file));
    await (await open()).close();
    expect(damage.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/messages and its log differ/),
    ]);
    delete file["log"];
    await writeFile(join(directory, "s.json"), JSON.stringify(file));
    const again = await open();
    expect(await contentsIn(again, "s")).toEqual(["hello", "by another program"]);
    await again.close();
  });

  test("a file that was changed by another program while it was open is not overwritten", async () => {
    const first = await open();
    await first.session("s").append(user("first"));
    const second = await open();
    await second.session("s").append(user("second"));
    await expect(first.session("s").append(user("lost?"))).rejects.toMatchObject({ code: "SESSION_LOCKED" });
    await expect(first.session("new").append(user("fine"))).resolves.toEqual({ seq: 1 });
    await expect(second.session("new").append(user("clash"))).rejects.toMatchObject({
      code: "SESSION_LOCKED",
    });
    await first.close();
    await second.close();
    const again = await open();
    expect(await contentsIn(again, "s")).toEqual(["first", "second"]);
    expect(await contentsIn(again, "new")).toEqual(["fine"]);
    await again.close();
  });

  test("a record of a kind from a newer version is kept through a write", async () => {
    const store = await open();
    await store.session("s").append(user("hello"));
    await store.close();
    const file = await parsed("s.json");
    const id = String(file["id"]);
    const pin = '{"seq":2,"at":"2030-01-01T00:00:00.000Z","op":"pin","of":1';
    const line = withChecksum(pin, id).toString().trim();
    (file["log"] as unknown[]).push(JSON.parse(line));
    await writeFile(join(directory, "s.json"), JSON.stringify(file));
    const again = await open();
    await again.session("s").append(user("more"));
    await again.close();
    expect(await readFile(join(directory, "s.json"), "utf8")).toContain(line);
    expect(damage).toEqual([]);
  });
});
