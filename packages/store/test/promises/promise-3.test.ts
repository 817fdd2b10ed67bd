/** No silent loss: whatever is wrong with a file is named, and everything else in it is served. */

import { appendFile, readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../../src/index.ts";
import { contentsOf, recordsOf, user } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { damagedCopies, lineOffsets, sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const KEY = "telegram:9";
const CONTENTS = ["one", "two", "three", "four", "five", "six"];
let directory: string;
let path: string;
/** Of the undamaged file; line n is the record with seq n. */
let offsets: number[];
let lines: string[];

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  path = sessionFile(directory, KEY);
  const store = await openStore(directory);
  for (const content of CONTENTS) await store.session(KEY).append(user(content));
  await store.session("unharmed").append(user("hello"));
  await store.close();
  const bytes = await readFile(path);
  offsets = lineOffsets(bytes);
  lines = bytes.toString("utf8").split("\n");
});

afterEach(async () => {
  await removeDirectory(directory);
});

const atLine = (seq: number): number => offsets[seq] ?? -1;
const lengthOf = (seq: number): number => (lines[seq]?.length ?? -1) + 1;

describe("promise 3: no silent loss", () => {
  test("each damaged place is named with file, offset, length and reason; what is good around it is served", async () => {
    lines[1] = (lines[1] ?? "").replace("one", "0ne");
    lines[4] = "#".repeat(lines[4]?.length ?? 0);
    lines[6] = (lines[6] ?? "").replace(/"crc":"\w{8}"/, '"crc":"00000000"');
    await writeFile(path, lines.join("\n"));
    const expected = [
      { offset: atLine(1), bytes: lengthOf(1), reason: "checksum mismatch", seq: 1 },
      { offset: atLine(4), bytes: lengthOf(4), reason: "not a whole record", seq: 4 },
      // Behind it nothing tells which record it was.
      { offset: atLine(6), bytes: lengthOf(6), reason: "checksum mismatch" },
    ].map((place) => ({ file: path, key: KEY, kind: "corrupt", ...place }));
    for (const readOnly of [true, false]) {
      const { store, damage } = await openCollecting(directory, { readOnly });
      const session = store.session(KEY);
      expect(await contentsOf(session)).toEqual(["two", "three", "five"]);
      expect((await recordsOf(session)).map(({ seq }) => seq)).toEqual([2, 3, 5]);
      expect(damage).toEqual(expected);
      // Once a place, however often it is read.
      await contentsOf(session);
      for await (const info of store.list({ prefix: KEY })) expect(info.damaged).toBe(3);
      expect(damage).toHaveLength(3);
      expect(await contentsOf(store.session("unharmed"))).toEqual(["hello"]);
      await store.close();
    }
  });

  test("appends go on behind the damage, and its seqs are not given away again", async () => {
    lines[6] = (lines[6] ?? "").replace("six", "s!x");
    await writeFile(path, lines.join("\n"));
    const { store } = await openCollecting(directory);
    expect(await store.session(KEY).append(user("seven"))).toEqual({ seq: 7 });
    await store.close();
    const again = await openCollecting(directory);
    const session = again.store.session(KEY);
    expect((await recordsOf(session)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 7]);
    expect(await session.state()).toMatchObject({ seq: 7, count: 6, damaged: 1 });
    expect(again.damage).toMatchObject([{ offset: atLine(6), kind: "corrupt" }]);
    await again.store.close();
    expect(await readFile(path, "utf8")).toContain("s!x");
  });

  test("a record that is gone without a trace is missed", async () => {
    lines.splice(3, 2);
    await writeFile(path, lines.join("\n"));
    const { store, damage } = await openCollecting(directory);
    expect(await contentsOf(store.session(KEY))).toEqual(["one", "two", "five", "six"]);
    expect(damage).toEqual([
      {
        file: path,
        key: KEY,
        offset: atLine(3),
        bytes: 0,
        kind: "corrupt",
        reason: "seq 3 to 4 are missing here",
      },
    ]);
    await store.close();
  });

  test("a record that is there twice is served once, and the second is named", async () => {
    lines.splice(4, 0, lines[2] ?? "");
    await writeFile(path, lines.join("\n"));
    const { store, damage } = await openCollecting(directory);
    expect(await contentsOf(store.session(KEY))).toEqual(CONTENTS);
    expect(damage).toMatchObject([
      {
        offset: atLine(4),
        bytes: lengthOf(2),
        kind: "corrupt",
        reason: "seq 2 after seq 3: a copy, or out of order",
      },
    ]);
    await store.close();
  });

  test("what is cut off is kept, byte for byte; nothing else is moved", async () => {
    const torn = `${(lines[6] ?? "").slice(0, 40)}\0\xff`;
    const whole = lines.join("\n");
    await appendFile(path, torn, "latin1");
    const { store, damage } = await openCollecting(directory);
    await store.session(KEY).append(user("seven"));
    await store.close();
    expect(damage).toMatchObject([{ file: path, offset: whole.length, bytes: torn.length, kind: "torn" }]);
    expect(await damagedCopies(directory)).toEqual(new Map([[`${basename(path)}.${whole.length}`, torn]]));
    expect((await readFile(path, "utf8")).startsWith(`${whole}{"seq":7,`)).toBe(true);
  });

  test("a file whose header is unreadable is named and left as it is; its key is not begun anew over it", async () => {
    lines[0] = (lines[0] ?? "").replace("longhand", "l0nghand");
    const spoiled = lines.join("\n");
    await writeFile(path, spoiled);
    const { store, damage } = await openCollecting(directory);
    const refusal = { code: "SESSION_DAMAGED", detail: { file: path, key: KEY } };
    await expect(store.session(KEY).messages()).rejects.toMatchObject(refusal);
    await expect(store.session(KEY).append(user("seven"))).rejects.toMatchObject(refusal);
    const listed: string[] = [];
    for await (const { key } of store.list()) listed.push(key);
    expect(listed).toEqual(["unharmed"]);
    expect(damage).toMatchObject([{ file: path, kind: "corrupt" }]);
    await store.close();
    expect(await readFile(path, "utf8")).toBe(spoiled);
  });

  test("nobody listens: it is a warning of the process, one a file", async () => {
    lines[2] = "#";
    lines[5] = "#";
    await writeFile(path, lines.join("\n"));
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    try {
      const store = await openStore(directory);
      await contentsOf(store.session(KEY));
      await store.close();
      // Warnings are emitted on a later tick.
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off("warning", onWarning);
    }
    expect(warnings.map(({ name, message }) => `${name}: ${message}`)).toEqual([
      `LonghandDamage: ${path}: corrupt at byte ${atLine(2)}: not a whole record`,
    ]);
  });
});
