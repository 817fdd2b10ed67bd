/** Lines far above the limit (F11), in processes of their own whose memory is measured. */

import { execFile } from "node:child_process";
import * as fs from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "../../src/index.ts";
import { user } from "../support/conversation.ts";
import { lineOffsets, sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const CONTENTS = ["one", "two", "three", "four", "five", "six"];
const GIBIBYTE = 2 ** 30;
let parent: string;
let directory: string;
let path: string;
/** Of the undamaged file, with their newlines; line n is the record with seq n. */
let lines: Buffer[];

beforeEach(async () => {
  parent = await makeTemporaryDirectory();
  directory = join(parent, "s");
  path = sessionFile(directory, "a");
  const store = await openStore(directory);
  for (const content of CONTENTS) await store.session("a").append(user(content));
  await store.close();
  const bytes = await fs.readFile(path);
  const offsets = lineOffsets(bytes);
  lines = offsets.map((offset, index) => bytes.subarray(offset, offsets[index + 1]));
});

afterEach(async () => {
  await removeDirectory(parent);
});

interface Measured {
  readonly contents?: readonly string[];
  readonly seq?: number;
  readonly error?: string;
  readonly damage: readonly object[];
  readonly peakMegabytes: number;
}

async function measure(mode: "read-only" | "write"): Promise<Measured> {
  const script = fileURLToPath(new URL("../support/measure-session.mjs", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, directory, "a", mode]);
  return JSON.parse(stdout) as Measured;
}

/** A hole in the file: it takes no room on the disk, and is read as NULs. */
async function spoilWithHole(before: Buffer, after: Buffer): Promise<void> {
  const file = await fs.open(path, "w");
  await file.write(before, 0, before.length, 0);
  await file.write(after, 0, after.length, before.length + GIBIBYTE);
  await file.close();
}

test("F11 a file of one line of 1 GiB is a typed error, in bounded memory", async () => {
  await spoilWithHole(Buffer.alloc(0), Buffer.from("\n"));
  for (const mode of ["read-only", "write"] as const) {
    const { error, peakMegabytes } = await measure(mode);
    expect(error).toBe("SESSION_DAMAGED");
    expect(peakMegabytes).toBeLessThan(512);
  }
  expect((await fs.stat(path)).size).toBe(GIBIBYTE + 1);
});

test("F11 a line of 1 GiB between good ones is named, the others served, in bounded memory", async () => {
  const before = Buffer.concat(lines.slice(0, 4));
  await spoilWithHole(before, Buffer.concat([Buffer.from("\n"), ...lines.slice(4)]));
  for (const [mode, seq] of [
    ["read-only", undefined],
    ["write", 7],
  ] as const) {
    const measured = await measure(mode);
    expect(measured).toMatchObject({ contents: CONTENTS, ...(seq === undefined ? {} : { seq }) });
    const place = { offset: before.length, bytes: GIBIBYTE + 1, kind: "corrupt" };
    expect(measured.damage).toMatchObject([place]);
    expect(measured.peakMegabytes).toBeLessThan(512);
  }
});
