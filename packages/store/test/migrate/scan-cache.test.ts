/** The look for files of other programs at an opening: it reads no file whose verdict is known, and never trusts the cache. */

import { mkdir, readdir, rm, symlink, unlink, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Host } from "../../src/host/host.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { jsonlBackend, openStore, undoMigration, type LonghandError } from "../../src/index.ts";
import { withChecksum } from "../../src/format/line-checksum.ts";
import { user } from "../support/conversation.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";
import { writeManySessions } from "../support/write-many-sessions.ts";

const FOREIGN = '{"role":"user","content":"hi"}\n';
const PLAIN = Array.from({ length: 60 }, (_, index) => `plain-${index}`);

let directory: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});
afterEach(async () => {
  await removeDirectory(directory);
});

interface Opening {
  /** Names of the files in the directory itself that were opened. */
  readonly read: readonly string[];
  readonly foreign: readonly string[];
}

/** Opens and closes the store. */
async function opening(readOnly = false): Promise<Opening> {
  const read: string[] = [];
  const foreign: string[] = [];
  const errors: LonghandError[] = [];
  const open: Host["files"]["open"] = async (path, mode) => {
    if (mode === "read" && join(directory, basename(path)) === path) read.push(basename(path));
    return await nodeHost.files.open(path, mode);
  };
  const host = { ...nodeHost, files: withOpen(nodeHost.files, open) };
  const store = await openStore(jsonlBackend(directory, { host }), {
    readOnly,
    onForeign: (paths) => foreign.push(...paths.map((path) => basename(path))),
    onError: (error) => errors.push(error),
  });
  await store.close();
  expect(errors).toEqual([]);
  return { read: read.sort(), foreign: foreign.sort() };
}

function withOpen(files: Host["files"], open: Host["files"]["open"]): Host["files"] {
  return new Proxy(files, {
    get: (target, name) => {
      if (name === "open") return open;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

/** Changes of the directory within the resolution of its time cannot be told apart: let that pass. */
async function settle(): Promise<void> {
  // Whole seconds: a file system may not keep less.
  const past = new Date(Math.floor(Date.now() / 1000 - 60) * 1000);
  await utimes(directory, past, past);
}

async function makeSessions(): Promise<void> {
  const store = await openStore(directory);
  for (const key of PLAIN) await store.session(key).append(user("hello"));
  await store.session(PLAIN[0] ?? "").fork("forked");
  await store.close();
}

const NOTHING: Opening = { read: [], foreign: [] };

test("sessions that the store has written are not read by an opening, the first one included", async () => {
  await makeSessions();
  expect(await opening()).toEqual(NOTHING);
  await settle();
  expect(await opening()).toEqual(NOTHING);
  expect(await opening(true)).toEqual(NOTHING);
});

test("session files that were copied in are read once; then only a name that is new is", async () => {
  writeManySessions(directory, PLAIN);
  expect((await opening()).read).toHaveLength(PLAIN.length);
  expect(await opening()).toEqual(NOTHING);
  await writeFile(join(directory, "zz-last.jsonl"), FOREIGN);
  expect(await opening()).toEqual({ read: ["zz-last.jsonl"], foreign: ["zz-last.jsonl"] });
  // Known, and reported at each opening as long as it is as it was.
  expect(await opening()).toEqual({ read: [], foreign: ["zz-last.jsonl"] });
  await settle();
  expect(await opening()).toEqual({ read: [], foreign: ["zz-last.jsonl"] });
  await writeFile(join(directory, "zz-last.jsonl"), '{"no":"session of any program, and longer"}\n');
  expect((await opening()).foreign).toEqual([]);
  await unlink(join(directory, "zz-last.jsonl"));
  expect(await opening()).toEqual(NOTHING);
});

test("every foreign file is found, however many names come before it", async () => {
  writeManySessions(directory, PLAIN);
  const names = PLAIN.map((name) => `z${name}.jsonl`);
  for (const name of names) await writeFile(join(directory, name), FOREIGN);
  expect((await opening(true)).foreign).toEqual(names.toSorted());
  expect((await opening()).foreign).toEqual(names.toSorted());
});

test("a change within the resolution of the directory's time is not missed", async () => {
  await makeSessions();
  const now = new Date();
  await utimes(directory, now, now);
  expect(await opening()).toEqual(NOTHING);
  await writeFile(join(directory, "new.jsonl"), FOREIGN);
  await utimes(directory, now, now);
  expect((await opening()).foreign).toEqual(["new.jsonl"]);
});

test("an opening for reading writes nothing, in a store or elsewhere", async () => {
  await writeFile(join(directory, "a.jsonl"), FOREIGN);
  expect((await opening(true)).foreign).toEqual(["a.jsonl"]);
  expect(await readdir(directory)).toEqual(["a.jsonl"]);
});

const cacheFile = (name: string): string => join(directory, ".longhand", "cache", name);
const SCAN = ["scan", "scan-names"] as const;

test("the cache may be deleted at any time", async () => {
  await makeSessions();
  await writeFile(join(directory, "a.jsonl"), FOREIGN);
  await opening();
  for (const name of SCAN) {
    await settle();
    await rm(cacheFile(name));
    expect((await opening()).foreign).toEqual(["a.jsonl"]);
  }
  await rm(join(directory, ".longhand", "cache"), { recursive: true });
  expect((await opening()).foreign).toEqual(["a.jsonl"]);
  expect(await opening()).toEqual({ read: [], foreign: ["a.jsonl"] });
});

test("a cache with anything in it neither fails the opening nor leads it out of the directory", async () => {
  await makeSessions();
  await writeFile(join(directory, "a.jsonl"), FOREIGN);
  await opening();
  await settle();
  const past = (await nodeHost.files.stat(directory))?.modified ?? 0;
  // In another directory, and looks like a session.
  await mkdir(join(directory, "beside"));
  await writeFile(join(directory, "beside", "outside.jsonl"), FOREIGN);
  const outside = { name: "beside/outside.jsonl", size: 1, modified: 1, isSimilar: true };
  const hostile: readonly unknown[] = [
    "",
    "no line of ours",
    { modified: past, foreign: [outside] },
    { modified: past, foreign: [{ ...outside, name: "a\u0000.jsonl" }] },
    { modified: past, foreign: [{ ...outside, name: 7 }] },
    { modified: past, foreign: "all" },
    { modified: past, foreign: [null], ours: [null] },
    { ours: ["../a", 7, { name: "a" }] },
    { ours: "all" },
    [],
    null,
  ];
  for (const each of hostile) {
    for (const name of SCAN) {
      const line =
        typeof each === "string"
          ? each
          : withChecksum(JSON.stringify(each).slice(0, -1), `longhand ${name}`).toString();
      await utimes(directory, past / 1000, past / 1000);
      expect((await nodeHost.files.stat(directory))?.modified).toBe(past);
      await writeFile(cacheFile(name), line);
      const { read, foreign } = await opening();
      expect(foreign, JSON.stringify(each)).toEqual(["a.jsonl"]);
      expect(read).not.toContain("outside.jsonl");
    }
  }
});

test("a link in the place of the cache is not followed", async () => {
  const outside = join(directory, "outside");
  await mkdir(outside);
  await mkdir(join(directory, ".longhand"), { mode: 0o700 });
  await symlink(outside, join(directory, ".longhand", "cache"));
  await makeSessions();
  expect(await readdir(outside)).toEqual([]);
});

test("a session that was migrated, and one that was brought back, are looked at again", async () => {
  const path = join(directory, "a.jsonl");
  await writeFile(path, '{"role":"user","content":"hi","timestamp":"2026-01-02T03:04:05Z"}\n');
  expect((await opening()).foreign).toEqual(["a.jsonl"]);
  await (await openStore(directory, { migrate: true })).close();
  expect((await opening()).foreign).toEqual([]);
  expect((await undoMigration(directory)).undone).toHaveLength(1);
  expect((await opening()).foreign).toEqual(["a.jsonl"]);
});

test.each([
  [1200, 0],
  [12, 1],
])("of a directory with %i sessions a later opening lists the names %i times", async (count, lists) => {
  // Their names tell that they are ours, so that nothing else need be remembered.
  writeManySessions(
    directory,
    Array.from({ length: count }, (_, index) => `session:${index}`),
  );
  await opening();
  await settle();
  await opening();
  let listed = 0;
  const readDirectory: Host["files"]["readDirectory"] = async (path) => {
    if (path === directory) listed += 1;
    return await nodeHost.files.readDirectory(path);
  };
  const host = { ...nodeHost, files: { ...nodeHost.files, readDirectory } };
  await (await openStore(jsonlBackend(directory, { host }), { onForeign: () => undefined })).close();
  expect(listed).toBe(lists);
});
