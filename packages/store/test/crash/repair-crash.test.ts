/**
 * A repair, crashed after every operation: what a reader gets is what it got before, or what it gets afterwards, never
 * less; the damaged bytes are somewhere; and another repair leads to the same end.
 */

import { expect, test } from "vitest";
import { segmentPath } from "../../src/session/segment-path.ts";
import type { Host } from "../../src/host/host.ts";
import type { Entry } from "../../src/format/entry.ts";
import type { Capture, SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import {
  appendOne,
  buildSession,
  filesUnder,
  LAYOUT,
  machineWith,
  readBack,
  repair,
  verify,
} from "../support/built-store.ts";
import { message } from "../support/sample-log.ts";
import { withoutSync } from "./forgetful-host.ts";
import { toId } from "../../src/format/session-id.ts";

const ID = toId("01JCW0000000000000000000AB");
const SESSION = buildSession("a", ID, [
  message("one"),
  message("two"),
  "seal",
  message("three"),
  message("four"),
  "seal",
  message("five"),
  message("six"),
  message("seven"),
]);

interface Case {
  readonly files: ReadonlyMap<string, Buffer>;
  /** Seqs a reader gets: before, in between where segments are mended after the active file, and at the end. */
  readonly allowed: readonly (readonly number[])[];
  /** Bytes that must not vanish. */
  readonly spoiled: readonly Buffer[];
}

function spoiledActive(): Case {
  const bytes = Buffer.from(SESSION.files.get(SESSION.path) ?? Buffer.alloc(0));
  const record = bytes.subarray(bytes.indexOf('{"seq":5'), bytes.indexOf('{"seq":6'));
  record[30] = 0;
  // The newline between six and seven is hit: both come back.
  bytes[bytes.indexOf('{"seq":7') - 1] = 0x0b;
  const files = new Map([...SESSION.files, [SESSION.path, bytes]]);
  return {
    files,
    allowed: [
      [1, 2, 3, 4],
      [1, 2, 3, 4, 6, 7],
    ],
    spoiled: [Buffer.from(record)],
  };
}

function spoiledSegments(): Case {
  const path = segmentPath(LAYOUT.segments, ID, 1);
  const bytes = Buffer.from(SESSION.files.get(path) ?? Buffer.alloc(0));
  bytes[bytes.indexOf("four")] = 0;
  const files = new Map([...SESSION.files, [path, bytes]]);
  files.delete(segmentPath(LAYOUT.segments, ID, 0));
  return { files, allowed: [[3, 5, 6, 7]], spoiled: [bytes] };
}

function spoiledBoth(): Case {
  const [active, segments] = [spoiledActive(), spoiledSegments()];
  const files = new Map([
    ...segments.files,
    [SESSION.path, active.files.get(SESSION.path) ?? Buffer.alloc(0)],
  ]);
  return { files, allowed: [[3], [3, 6, 7]], spoiled: [...active.spoiled, ...segments.spoiled] };
}

const seqsOf = (entries: readonly Entry[]): string => entries.map(({ seq }) => seq).join();

async function run(files: Case["files"], spoil: (host: Host) => Host = (host) => host): Promise<Capture[]> {
  const machine = await machineWith(files);
  const captures = [machine.capture()];
  machine.onOperation(({ changedDisk }) => {
    if (changedDisk) captures.push(machine.capture());
  });
  await repair(spoil(machine.startProcess()));
  return captures;
}

async function findViolation(
  machine: SimulatedMachine,
  { allowed, spoiled }: Case,
): Promise<string | undefined> {
  const host = machine.startProcess();
  const before = await readBack(host, SESSION);
  if (!allowed.some((seqs) => seqs.join() === seqsOf(before.entries)))
    return `a reader gets ${seqsOf(before.entries)}`;
  if (
    before.entries.some((entry) => JSON.stringify(entry) !== JSON.stringify(SESSION.entries[entry.seq - 1]))
  )
    return "a reader gets something that nobody wrote";
  await repair(host);
  const { damage } = await verify(host);
  if (damage.length > 0) return `a second repair leaves ${JSON.stringify(damage)}`;
  const after = await readBack(host, SESSION);
  if (seqsOf(after.entries) !== allowed.at(-1)?.join())
    return `a second repair leads to ${seqsOf(after.entries)}`;
  const kept = Buffer.concat([...(await filesUnder(host, LAYOUT.damaged)).values()]);
  if (!spoiled.every((bytes) => kept.includes(bytes))) return "damaged bytes were not kept";
  const seq = await appendOne(host, SESSION);
  return seq === SESSION.state.seq + 1 ? undefined : `the next record gets seq ${seq}`;
}

async function firstViolation(
  captures: readonly Capture[],
  spoiled: Case,
): Promise<{ states: number; violation: string | undefined }> {
  let states = 0;
  for (const capture of captures) {
    for (const machine of [capture.afterKill(), ...capture.afterPowerLoss({ limit: 20 })]) {
      states += 1;
      const story = machine.describe();
      const violation = await findViolation(machine, spoiled).catch((error: unknown) => String(error));
      if (violation !== undefined) return { states, violation: `${violation}\n${story}` };
    }
  }
  return { states, violation: undefined };
}

test.each([
  ["the active file", spoiledActive()],
  ["segments, one of them missing", spoiledSegments()],
  ["both", spoiledBoth()],
])("crashed while mending %s", async (_name, spoiled) => {
  const { states, violation } = await firstViolation(await run(spoiled.files), spoiled);
  expect(violation).toBeUndefined();
  expect(states).toBeGreaterThan(30);
});

test("control: without syncing the new files, records are lost", async () => {
  const spoiled = spoiledBoth();
  const captures = await run(spoiled.files, (host) => withoutSync(host, "session file"));
  expect((await firstViolation(captures, spoiled)).violation).toMatch(/an empty file|a reader gets/);
});

test("control: without syncing names, a segment that the chain names is gone", async () => {
  const spoiled = spoiledSegments();
  const captures = await run(spoiled.files, (host) => withoutSync(host, "session directory"));
  expect((await firstViolation(captures, spoiled)).violation).toMatch(/a reader gets/);
});
