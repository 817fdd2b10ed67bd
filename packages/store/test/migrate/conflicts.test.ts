/** Several sources of one key, sessions that are there already, files in the way: nothing is merged, dropped or written over. */

import { link, mkdir, readFile, rename, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { nodeHost } from "../../src/host/node-host.ts";
import { planMigration } from "../../src/migrate/plan-migration.ts";
import { performMigration } from "../../src/migrate/perform-migration.ts";
import { bytesIn, namesIn } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";
import { migrate, put, readSessions, sessionOf } from "./support/migration-directory.ts";
import { placesOf } from "./support/migration-places.ts";

let directory: string;
beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});
afterEach(async () => {
  await removeDirectory(directory);
});

const document = (key: string, day: number, ...contents: string[]): string =>
  JSON.stringify({
    key,
    messages: contents.map((content) => ({ role: "user", content })),
    created: `2026-01-0${day}T00:00:00Z`,
    updated: `2026-01-0${day}T00:00:00Z`,
  });

/** [place, key, contents], sorted. */
async function inStore(): Promise<unknown[]> {
  const sessions = [...(await readSessions(directory))];
  return sessions
    .map(([name, { key, live }]) => [
      name.startsWith("archive/") ? "archive" : "active",
      key,
      live.map(({ content }) => content).join(),
    ])
    .sort();
}

describe("two sources of one key", () => {
  test("the newer is the active session, the other an archived one", async () => {
    await put(directory, "t_9.json", document("t:9", 1, "old"));
    await put(
      directory,
      "t_9.jsonl",
      '{"role":"user","content":"new","created_at":"2026-01-02T00:00:00Z"}\n',
    );
    await put(
      directory,
      "t_9.meta.json",
      '{"key":"t:9","created_at":"2026-01-02T00:00:00Z","updated_at":"2026-01-02T00:00:00Z","skip":0}',
    );
    const { report } = await migrate(directory);
    expect(await inStore()).toEqual([
      ["active", "t:9", "new"],
      ["archive", "t:9", "old"],
    ]);
    expect(report.migrated.map(({ putAside }) => putAside)).toEqual([
      undefined,
      "another session of its key is the active one",
    ]);
  });

  test("names that collide, keys that differ: two sessions", async () => {
    await put(directory, "a_b.json", document("a:b", 1, "colon"));
    await put(directory, "a_b.jsonl", '{"role":"user","content":"plain"}\n');
    await migrate(directory);
    expect(await inStore()).toEqual([
      ["active", "a:b", "colon"],
      ["active", "a_b", "plain"],
    ]);
  });
});

describe("a key that has a session", () => {
  test("a stray older file changes nothing and is named (seed fault 7)", async () => {
    await put(directory, "t_9.json", document("t:9", 5, "one", "two", "three"));
    await migrate(directory);
    const before = await bytesIn(directory);
    await put(directory, "t_9.json", document("t:9", 2, "older"));
    const { report, errors } = await migrate(directory);
    expect(report.migrated).toEqual([]);
    expect(report.leftAlone.find(({ name }) => name === "t_9.json")?.kind).toBe("newer-session");
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringContaining("t_9.json was not migrated"),
    ]);
    const after = await bytesIn(directory);
    after.delete("t_9.json");
    expect([...after].filter(([name]) => !name.includes("cache/"))).toEqual(
      [...before].filter(([name]) => !name.includes("cache/")),
    );
  });

  test("a newer file becomes an archived session; the active one stays; its original gets a number", async () => {
    await put(directory, "t_9.json", document("t:9", 2, "first"));
    await migrate(directory);
    await put(directory, "t_9.json", document("t:9", 5, "later"));
    await migrate(directory);
    expect(await inStore()).toEqual([
      ["active", "t:9", "first"],
      ["archive", "t:9", "later"],
    ]);
    expect(await namesIn(directory)).toEqual(
      expect.arrayContaining(["t_9.json.migrated", "t_9.json.migrated.2"]),
    );
  });

  test("the same file again was migrated before, also if its session was put away since", async () => {
    await put(directory, "t.json", document("t", 2, "once"));
    await migrate(directory);
    const [[name = "", session] = []] = await readSessions(directory);
    for (const place of [".", "trash", ".longhand/removed"]) {
      await mkdir(join(directory, place), { recursive: true });
      const target = join(directory, place, `t.${session?.id ?? ""}.jsonl`);
      if (place !== ".") await link(join(directory, name), target);
      if (place !== ".") await rename(target, target);
      await put(directory, "t.json", document("t", 2, "once"));
      const { report } = await migrate(directory);
      expect(report.leftAlone.find((each) => each.name === "t.json")?.kind).toBe("already-migrated");
    }
  });
});

describe("things in the way", () => {
  test("a directory, a link, a file that is no session: left alone and named; the rest is migrated", async () => {
    await mkdir(join(directory, "x.json"));
    await mkdir(join(directory, "y.jsonl"));
    await put(directory, "real.txt", document("l", 1, "linked"));
    await symlink(join(directory, "real.txt"), join(directory, "l.json"));
    await put(directory, "log.jsonl", '{"level":"info"}\n');
    await put(directory, ".jsonl", '{"role":"user","content":"no key"}\n');
    await put(directory, "good.json", document("good", 1, "good"));
    await put(directory, "taken.json", document("log", 1, "wants the name of log.jsonl"));
    const { report } = await migrate(directory);
    expect(await inStore()).toEqual([["active", "good", "good"]]);
    expect(Object.fromEntries(report.leftAlone.map(({ name, kind }) => [name, kind]))).toEqual({
      "x.json": "not-a-session",
      "y.jsonl": "not-a-session",
      "l.json": "not-a-session",
      "log.jsonl": "not-a-session",
      ".jsonl": "not-a-session",
      "taken.json": "place-taken",
    });
  });

  test("a session of ours whose header is damaged is not taken for another program's", async () => {
    await put(directory, "a.jsonl", '{"role":"user","content":"mine"}\n');
    await migrate(directory);
    const bytes = await readFile(join(directory, "a.jsonl"));
    bytes[3] = 0x00;
    await put(directory, "a.jsonl", bytes);
    const { report } = await migrate(directory);
    expect(report.migrated).toEqual([]);
    expect(await readFile(join(directory, "a.jsonl"))).toEqual(bytes);
  });

  test("one of ours that was cut and glued in its header line is not mined for messages either", async () => {
    const glued =
      '{"longhand"6-01-01T00:00:00.120Z","id":"x","message":{"role":"user","content":"hello"},:1,"key":"a"\n';
    await put(directory, "a.jsonl", glued);
    const { report } = await migrate(directory);
    expect(report.migrated).toEqual([]);
    expect(await readFile(join(directory, "a.jsonl"), "utf8")).toBe(glued);
  });

  test("nor one of which every other sign is spoiled", async () => {
    const spoiled =
      '{"longhane";1,"jey":"a"}\n{"seq":1,2at":"2026-01-01T00:00:00.098Z","message":{"role":"user","convent":"hi"},"crc":"b873f2?0}\n';
    await put(directory, "a.jsonl", spoiled);
    const { report } = await migrate(directory);
    expect(report.migrated).toEqual([]);
    expect(await readFile(join(directory, "a.jsonl"), "utf8")).toBe(spoiled);
  });

  test("a sidecar beside a session of ours stays", async () => {
    await put(directory, "a.jsonl", '{"role":"user","content":"mine"}\n');
    await migrate(directory);
    await put(directory, "a.meta.json", '{"key":"a","skip":0}');
    const { report } = await migrate(directory);
    expect(report.leftAlone.find(({ name }) => name === "a.meta.json")?.kind).toBe("not-a-session");
  });
});

describe("a file that changes meanwhile", () => {
  const silent = {
    onDamage: () => undefined,
    onError: () => undefined,
    onProgress: () => undefined,
    withKey: async (_key: string, task: () => Promise<void>): Promise<void> => await task(),
  };

  test("between the plan and the migration: nothing is migrated", async () => {
    await put(directory, "a.jsonl", '{"role":"user","content":"one"}\n');
    await put(directory, "b.json", document("b", 1, "b"));
    const places = placesOf(directory);
    const plan = await planMigration(nodeHost.files, places);
    await writeFile(join(directory, "a.jsonl"), '{"role":"user","content":"two"}\n', { flag: "a" });
    await expect(performMigration(nodeHost, places, plan, silent)).rejects.toMatchObject({
      code: "IO_FAILED",
    });
    expect(await inStore()).toEqual([]);
    await migrate(directory);
    expect(await inStore()).toEqual([
      ["active", "a", "one,two"],
      ["active", "b", "b"],
    ]);
  });

  test("a dry run changes nothing at all", async () => {
    await put(directory, "a.jsonl", '{"role":"user","content":"one"}\n');
    const before = await bytesIn(directory);
    const plan = await planMigration(nodeHost.files, placesOf(directory));
    expect(plan.sessions).toMatchObject([
      { key: "a", format: "zeroclaw-jsonl", messages: 1, status: "active" },
    ]);
    expect(await bytesIn(directory)).toEqual(before);
  });
});

test("a moment of a file that no clock explains is still a time", async () => {
  await put(directory, "a.jsonl", '{"role":"user","content":"one"}\n');
  await utimes(join(directory, "a.jsonl"), 1.5, 1.5);
  await migrate(directory);
  expect((await sessionOf(directory, "a")).created).toBe("1970-01-01T00:00:01.500Z");
});
