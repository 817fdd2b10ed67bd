/** Seed faults 1, 22 and 27: lines that are torn, glued or ruined. */

import { appendFile, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../../src/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { damagedCopies, lineOffsets, sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const KEY = "telegram:123";
let directory: string;
let path: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  path = sessionFile(directory, KEY);
  const store = await openStore(directory);
  for (const content of ["one", "two", "three"]) await store.session(KEY).append(user(content));
  await store.close();
});

afterEach(async () => {
  await removeDirectory(directory);
});

/** Reopened, everything reads well: one object a line, nothing reported. */
async function expectSound(contents: readonly string[]): Promise<void> {
  const { store, damage } = await openCollecting(directory);
  expect(await contentsOf(store.session(KEY))).toEqual(contents);
  expect(damage).toEqual([]);
  await store.close();
  const text = await readFile(path, "utf8");
  const lines = text.split("\n").slice(0, -1);
  expect(lines).toHaveLength(contents.length + 1);
  for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
}

describe("seed fault 1: a torn line eats the next message", () => {
  const halves: readonly [string, string, string][] = [
    ["the seed's own torn line", '{"role":"assistant","cont', "not a whole record"],
    ["half a record of ours", '{"seq":4,"at":"2026-11-15T19:24:12.123Z","mess', "not a whole record"],
    ["NULs, as a power cut leaves them", "\0".repeat(30), "filled with NUL bytes"],
  ];
  test.each(halves)(
    "%s is cut off, kept aside and reported; the next append is read",
    async (_, torn, reason) => {
      const { size } = await stat(path);
      await appendFile(path, torn);
      const { store, damage } = await openCollecting(directory);
      const session = store.session(KEY);
      expect(await session.append(user("four"))).toEqual({ seq: 4 });
      expect(await contentsOf(session)).toEqual(["one", "two", "three", "four"]);
      const kept = join(directory, ".longhand", "damaged", `${basename(path)}.${size}`);
      expect(damage).toEqual([
        { file: path, key: KEY, offset: size, bytes: torn.length, kind: "torn", reason, kept },
      ]);
      expect(await damagedCopies(directory)).toEqual(new Map([[`${basename(path)}.${size}`, torn]]));
      await store.close();
      await expectSound(["one", "two", "three", "four"]);
    },
  );

  test("a second torn line at the same place does not overwrite the bytes of the first", async () => {
    const { size } = await stat(path);
    for (const torn of ["{first", "{second"]) {
      await appendFile(path, torn);
      const { store } = await openCollecting(directory);
      // Only who holds the session may call a tail torn; an empty batch writes nothing to it.
      await store.session(KEY).append([]);
      await store.close();
    }
    const name = `${basename(path)}.${size}`;
    expect(await damagedCopies(directory)).toEqual(
      new Map([
        [name, "{first"],
        [`${name}.2`, "{second"],
      ]),
    );
  });
});

describe("seed fault 22: one bad line makes the whole session unreadable", () => {
  const spoilers: readonly [string, (line: string) => string, string][] = [
    ["text that is no JSON", () => "what happened here", "not a whole record"],
    ["JSON without a checksum", () => '{"role":"user","content":"by hand"}', "not a whole record"],
    ["a changed word", (line) => line.replace("two", "2wo"), "checksum mismatch"],
    ["NULs", (line) => "\0".repeat(line.length), "filled with NUL bytes"],
    ["an empty line", () => "", "an empty line"],
    ["bytes that are no UTF-8", (line) => `\xff\xfe${line.slice(2)}`, "checksum mismatch"],
  ];
  test.each(spoilers)("%s in the middle: the rest is served, appends go on", async (_, spoil, reason) => {
    const bytes = await readFile(path);
    const lines = bytes.toString("latin1").split("\n");
    const spoiled = spoil(lines[2] ?? "");
    lines[2] = spoiled;
    await writeFile(path, lines.join("\n"), "latin1");
    const { store, damage } = await openCollecting(directory);
    const session = store.session(KEY);
    expect(await contentsOf(session)).toEqual(["one", "three"]);
    expect(await session.append(user("four"))).toEqual({ seq: 4 });
    expect(await contentsOf(session)).toEqual(["one", "three", "four"]);
    expect((await session.state())?.damaged).toBe(1);
    const offset = lineOffsets(bytes)[2];
    expect(damage).toEqual([
      { file: path, key: KEY, offset, bytes: spoiled.length + 1, kind: "corrupt", reason, seq: 2 },
    ]);
    await store.close();
    // The bad bytes are where they were: nobody has tidied them away.
    expect(await readFile(path, "latin1")).toContain(`\n${spoiled}\n`);
  });
});

describe("seed fault 27: a crash between the text and its newline glues the next message on", () => {
  test("the last record lacks only its newline: it counts, and the next one gets a line of its own", async () => {
    const whole = await readFile(path, "utf8");
    await truncate(path, whole.length - 1);
    const { store, damage } = await openCollecting(directory);
    const session = store.session(KEY);
    expect(await contentsOf(session)).toEqual(["one", "two", "three"]);
    expect(await session.append(user("four"))).toEqual({ seq: 4 });
    await store.close();
    expect(damage).toEqual([]);
    expect((await readFile(path, "utf8")).startsWith(`${whole}{"seq":4,`)).toBe(true);
    await expectSound(["one", "two", "three", "four"]);
  });

  test("a reader takes it as well, and changes nothing", async () => {
    const whole = await readFile(path, "utf8");
    await truncate(path, whole.length - 1);
    const { store, damage } = await openCollecting(directory, { readOnly: true });
    expect(await contentsOf(store.session(KEY))).toEqual(["one", "two", "three"]);
    expect(damage).toEqual([]);
    await store.close();
    expect(await readFile(path, "utf8")).toBe(whole.slice(0, -1));
  });
});
