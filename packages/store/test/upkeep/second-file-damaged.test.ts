/** Two files with one session id of which one is damaged: verify names both, whichever is met first, and a repair hides neither. */

import { copyFile, mkdir, readFile, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jsonlBackend, type Damage } from "../../src/index.ts";
import { decodeHeader, encodeHeader } from "../../src/format/header.ts";
import { user } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { bytesIn, sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let root: string;
let directory: string;
let active: string;
let older: string;
let id: string;

beforeEach(async () => {
  root = await makeTemporaryDirectory();
  directory = join(root, "store");
  active = sessionFile(directory, "k");
  older = join(root, "older.jsonl");
  const first = await openCollecting(directory);
  await first.store.session("k").append(user("one"));
  id = (await first.store.session("k").state())?.id ?? "";
  await first.store.close();
  await copyFile(active, older);
  const { store } = await openCollecting(directory);
  for (const text of ["two", "three"]) await store.session("k").append(user(text));
  await store.close();
});

afterEach(async () => {
  await removeDirectory(root);
});

const awayIn = (place: "archive" | "trash"): string => join(directory, place, `k.${id}.jsonl`);

async function copy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await copyFile(from, to);
}

/** The same session under another key, as a script may make it. */
async function copyAs(key: string): Promise<void> {
  const text = await readFile(active, "utf8");
  const end = text.indexOf("\n");
  const decoded = decodeHeader(Buffer.from(text.slice(0, end)));
  if (decoded.kind !== "header") throw new Error("no header");
  const header = encodeHeader({ ...decoded.header, key }).toString();
  await writeFile(sessionFile(directory, key), header + text.slice(end + 1), { mode: 0o600 });
}

async function flipBit(path: string): Promise<void> {
  await writeFile(path, (await readFile(path, "utf8")).replace("longhand", "lOnghand"));
}

const wreckHeader = async (path: string): Promise<void> => {
  const bytes = await readFile(path);
  bytes.fill(0x78, 0, bytes.indexOf("\n"));
  await writeFile(path, bytes);
};

async function verify(): Promise<readonly Damage[]> {
  const { store } = await openCollecting(directory, { readOnly: true });
  const { damage } = await store.verify();
  await store.close();
  return damage;
}

const HEADER = /no header line|not a header/;
const namesHeader = (damage: readonly Damage[], path: string): boolean =>
  damage.some(({ file, reason }) => file === path && HEADER.test(reason));
/** Both are in one report: which one it is for depends on the order in which they are met. */
const namesBoth = (damage: readonly Damage[], one: string, other: string): boolean =>
  damage.some(
    ({ file, reason, left }) =>
      left !== undefined &&
      ((file === one && reason.includes(other)) || (file === other && reason.includes(one))),
  );

describe.each([
  ["one bit of its header flipped", flipBit],
  ["its header overwritten", wreckHeader],
])("%s", (_, damageHeader) => {
  test.each(["archive", "trash"] as const)("the active file, and a copy in %s", async (place) => {
    await copy(active, awayIn(place));
    await damageHeader(active);
    const damage = await verify();
    expect(namesHeader(damage, active)).toBe(true);
    if (damageHeader === flipBit) expect(namesBoth(damage, active, awayIn(place))).toBe(true);
  });

  test.each(["archive", "trash"] as const)("the file in %s, and an older one as active", async (place) => {
    await copy(active, awayIn(place));
    await copyFile(older, active);
    await damageHeader(awayIn(place));
    const damage = await verify();
    expect(namesHeader(damage, awayIn(place))).toBe(true);
    expect(namesBoth(damage, active, awayIn(place))).toBe(true);
  });

  test.each(["j", "z"])("the active file, and a copy with another key, %s", async (key) => {
    await copyAs(key);
    await damageHeader(active);
    const damage = await verify();
    expect(namesHeader(damage, active)).toBe(true);
    if (damageHeader === flipBit) expect(namesBoth(damage, active, sessionFile(directory, key))).toBe(true);
  });
});

test("a repair mends the header that is proven, and still names both files", async () => {
  await copy(active, awayIn("archive"));
  await copyFile(older, active);
  await flipBit(awayIn("archive"));
  const { store } = await openCollecting(directory);
  const report = await store.repair();
  expect(namesHeader(report.damage, awayIn("archive"))).toBe(true);
  const { damage } = await store.verify();
  expect(damage).toHaveLength(1);
  expect(namesBoth(damage, active, awayIn("archive"))).toBe(true);
  expect(await readFile(awayIn("archive"), "utf8")).toContain("three");
  await store.close();
});

test("a file that a repair has written anew is counted and named once", async () => {
  await copyAs("j");
  await flipBit(active);
  const { store } = await openCollecting(directory);
  const report = await store.repair();
  expect(report).toMatchObject({ sessions: 2, records: 6 });
  expect(report.damage.filter(({ file }) => file === active)).toHaveLength(2);
  await store.close();
});

test("a torn tail of an archived file is named beside an active file with its id", async () => {
  await copy(active, awayIn("archive"));
  await copyFile(older, active);
  await truncate(awayIn("archive"), (await readFile(awayIn("archive"))).length - 20);
  const damage = await verify();
  expect(damage).toContainEqual(expect.objectContaining({ file: awayIn("archive"), kind: "torn" }));
  expect(namesBoth(damage, active, awayIn("archive"))).toBe(true);
});

test("a repair leaves sealed files that a second file with the id names", async () => {
  const { store } = await openCollecting(jsonlBackend(directory, { segmentBytes: 200 }));
  for (const text of ["four", "five"]) await store.session("k").append(user(text));
  await store.session("k").archive();
  await store.close();
  await copyFile(older, active);
  await flipBit(awayIn("archive"));
  const sealed = async (): Promise<readonly string[]> =>
    [...(await bytesIn(directory)).keys()].filter((name) => name.startsWith("segments/"));
  const before = await sealed();
  expect(before.length).toBeGreaterThan(0);
  const writer = await openCollecting(directory);
  const { damage } = await writer.store.repair();
  expect(await sealed()).toEqual(before);
  const orphans = damage.filter(({ file }) => file.includes("/segments/"));
  expect(orphans.length).toBeGreaterThan(0);
  for (const { left } of orphans) expect(left).toContain(awayIn("archive"));
  await writer.store.close();
});
