/**
 * One flipped bit at every byte of a small session, active file and segments: verify finds it where it is, a reader gets
 * nothing wrong, and repair costs at most the record that was hit.
 */

import { describe, expect, test } from "vitest";
import { segmentPath } from "../../src/session/segment-path.ts";
import { isLonghandError } from "../../src/errors.ts";
import type { Entry } from "../../src/format/entry.ts";
import type { Host } from "../../src/host/host.ts";
import {
  appendOne,
  buildSession,
  LAYOUT,
  machineWith,
  readBack,
  repair,
  verify,
  type BuiltSession,
} from "../support/built-store.ts";
import { message } from "../support/sample-log.ts";
import { toId } from "../../src/format/session-id.ts";

const ID = toId("01JCW0000000000000000000AB");
const SESSION = buildSession("user:é", ID, [
  message("one"),
  [message("two"), message("three")],
  "checkpoint",
  { op: "compact", summary: "so far", keepFrom: 2, count: 2 },
  "seal",
  message("five"),
  message("six"),
]);

const NEWLINE = 0x0a;

/** Which record has this byte; `undefined`: a header, a checkpoint or a newline. */
function recordAt(bytes: Buffer, at: number): number | undefined {
  if (bytes[at] === NEWLINE) return undefined;
  const start = bytes.lastIndexOf(NEWLINE, at) + 1;
  const seq = /^\{"seq":([0-9]+)/.exec(bytes.toString("latin1", start, start + 20))?.[1];
  return seq === undefined ? undefined : Number(seq);
}

async function entriesOf(host: Host, session: BuiltSession): Promise<readonly Entry[] | undefined> {
  try {
    return (await readBack(host, session)).entries;
  } catch (error) {
    if (isLonghandError(error, "SESSION_DAMAGED")) return undefined;
    throw error;
  }
}

/** What is wrong with how this damage was handled; `undefined`: nothing. */
async function judge(path: string, at: number, flip: number): Promise<string | undefined> {
  const good = SESSION.files.get(path) ?? Buffer.alloc(0);
  const bytes = Buffer.from(good);
  bytes[at] = (bytes[at] ?? 0) ^ flip;
  const machine = await machineWith(new Map([...SESSION.files, [path, bytes]]));
  const host = machine.startProcess();
  const found = await verify(host);
  const isElsewhere = found.damage.some(({ file }) => file !== path);
  const isNamed = found.damage.some(({ offset, bytes: length }) => at >= offset && at < offset + length);
  if (isElsewhere || !isNamed) return `verify: ${JSON.stringify(found.damage)}`;
  const wrong = (entries: readonly Entry[]): boolean =>
    entries.some((entry) => JSON.stringify(entry) !== JSON.stringify(SESSION.entries[entry.seq - 1]));
  const served = await entriesOf(host, SESSION);
  if (served !== undefined && wrong(served)) return "a reader got something that nobody wrote";
  await repair(host);
  const left = (await verify(host)).damage;
  if (left.length > 0) return `after repair: ${JSON.stringify(left)}`;
  const hit = recordAt(good, at);
  const { entries, info, damage } = await readBack(host, SESSION);
  const expected = SESSION.entries.filter(({ seq }) => seq !== hit);
  if (JSON.stringify(entries) !== JSON.stringify(expected))
    return `records ${entries.map(({ seq }) => seq).join()}`;
  if (damage.length > 0 || info.damaged > 0) return "a reader still reports damage";
  // The last record, cut in two by a new newline, may have been two: a seq too many is safe, one given twice is not.
  const isCutInTwo = hit === SESSION.state.seq && bytes[at] === NEWLINE;
  const seq = SESSION.state.seq + (isCutInTwo ? 1 : 0);
  if (info.seq !== seq || (await appendOne(host, SESSION)) !== seq + 1) return `seq ${info.seq}`;
  return undefined;
}

describe.each([...SESSION.files.keys()])("%s", (path) => {
  test("a flipped bit at every byte", async () => {
    const bytes = SESSION.files.get(path) ?? Buffer.alloc(0);
    const wrong: string[] = [];
    for (let at = 0; at < bytes.length; at++) {
      const flips = bytes[at] === NEWLINE ? [1, 2, 4, 8, 16, 32, 64, 128] : [1 << (at % 8)];
      for (const flip of flips) {
        const problem = await judge(path, at, flip);
        if (problem !== undefined) wrong.push(`byte ${at}, bit ${flip}: ${problem}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("a byte that becomes a newline", async () => {
    const bytes = SESSION.files.get(path) ?? Buffer.alloc(0);
    const wrong: string[] = [];
    for (let at = 0; at < bytes.length; at++) {
      const flip = (bytes[at] ?? 0) ^ NEWLINE;
      // Only where one bit makes it one.
      if (flip === 0 || (flip & (flip - 1)) !== 0) continue;
      const problem = await judge(path, at, flip);
      if (problem !== undefined) wrong.push(`byte ${at}: ${problem}`);
    }
    expect(wrong).toEqual([]);
  });
});

test("control: the judge sees damage that nobody repaired", async () => {
  const path = segmentPath(LAYOUT.segments, ID, 0);
  const bytes = Buffer.from(SESSION.files.get(path) ?? Buffer.alloc(0));
  bytes[bytes.indexOf("two")] = 0;
  const host = (await machineWith(new Map([...SESSION.files, [path, bytes]]))).startProcess();
  expect((await readBack(host, SESSION)).entries).not.toEqual(SESSION.entries);
  expect((await verify(host)).damage).not.toEqual([]);
});
