/**
 * A prefix, always: wherever a file ends. Every crash state of short workloads is tried in crash/; here the session file
 * and the journal are cut after every single byte.
 */

import { describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type SessionRecord, type Store } from "../../src/index.ts";
import type { Host } from "../../src/host/host.ts";
import { fileNameOf } from "../../src/format/key.ts";
import type { Capture } from "../../src/testing/index.ts";
import { user } from "../support/conversation.ts";
import {
  closedStore,
  DIRECTORY,
  journalIn,
  readRecords,
  readSimulatedFile,
  unappliedStore,
  writeSimulatedFile,
} from "../support/simulated-store.ts";

const KEY = "a:1";
const PATH = `${DIRECTORY}/${fileNameOf(KEY)}`;
/** Where the journal's blocks begin; what lies before is the subject of promise 4. */
const HEAD_BYTES = 8192;
/** The seqs at which a write ended. */
const BOUNDARIES = [0, 1, 4, 5, 8];

async function write(store: Store): Promise<void> {
  const session = store.session(KEY);
  await session.append(user("one"));
  await session.append([user("two"), user("three"), user("four")]);
  await session.setSummary("so far 🙂");
  await session.replace([user("new"), user("newer")]);
}

async function whole(capture: Capture): Promise<readonly SessionRecord[]> {
  const { records } = await readRecords(capture.afterKill().startProcess(), KEY, false);
  expect(records.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  return records;
}

/** The seqs that the next one reads. */
async function appendAndRead(host: Host): Promise<number[]> {
  const store = await openStore(jsonlBackend(DIRECTORY, { host }));
  await store.session(KEY).append(user("next"));
  await store.close();
  const { records, damage } = await readRecords(host, KEY, true);
  expect(damage).toEqual([]);
  return records.map(({ seq }) => seq);
}

describe("promise 2: a prefix, always", () => {
  test("a session file that ends anywhere is read up to its last whole write; the rest is named", async () => {
    const capture = await closedStore(write);
    const truth = await whole(capture);
    const bytes = await readSimulatedFile(capture.afterKill().startProcess(), PATH);
    const headerBytes = bytes.indexOf("\n") + 1;
    const lengths = new Set<number>();
    for (let length = 0; length < bytes.length; length++) {
      for (const readOnly of [true, false]) {
        const host = capture.afterKill().startProcess();
        await writeSimulatedFile(host, PATH, bytes.subarray(0, length));
        const { records, damage, error } = await readRecords(host, KEY, readOnly);
        if (length < headerBytes - 1) {
          expect(error).toMatchObject({ code: "SESSION_DAMAGED", detail: { file: PATH } });
          continue;
        }
        expect([length, error]).toEqual([length, undefined]);
        expect(records).toEqual(truth.slice(0, records.length));
        expect(BOUNDARIES).toContain(records.length);
        lengths.add(records.length);
        // What is appended behind it is not glued to what was torn; every few lengths, for the time it takes.
        if (!readOnly && length % 7 === 0)
          expect(await appendAndRead(host)).toEqual([...records.map(({ seq }) => seq), records.length + 1]);
        // The writer cuts it and says so; a reader says so too, since nobody holds the session who could go on there.
        for (const { kind, offset, bytes: torn } of damage)
          expect([kind, offset + torn]).toEqual(["torn", length]);
      }
    }
    expect([...lengths].sort()).toEqual(BOUNDARIES);
  });

  test("a journal that ends anywhere is replayed up to its last whole block", async () => {
    const capture = await unappliedStore(write);
    const truth = await whole(capture);
    const host = capture.afterKill().startProcess();
    const journal = await journalIn(host);
    const bytes = await readSimulatedFile(host, journal);
    const lengths = new Set<number>();
    for (let length = HEAD_BYTES; length <= bytes.length; length++) {
      for (const readOnly of [true, false]) {
        const machine = capture.afterKill().startProcess();
        await writeSimulatedFile(machine, journal, bytes.subarray(0, length));
        const { records, damage, error } = await readRecords(machine, KEY, readOnly);
        expect([length, error, damage]).toEqual([length, undefined, []]);
        expect(records).toEqual(truth.slice(0, records.length));
        expect(BOUNDARIES).toContain(records.length);
        lengths.add(records.length);
      }
    }
    expect([...lengths].sort()).toEqual(BOUNDARIES);
  });

  test("control: a reader that takes each line that is whole finds halves of batches in the same files", async () => {
    const capture = await closedStore(write);
    const bytes = await readSimulatedFile(capture.afterKill().startProcess(), PATH);
    const lengths = new Set<number>();
    for (let length = bytes.indexOf("\n") + 1; length < bytes.length; length++) {
      lengths.add(bytes.toString("utf8", 0, length).split("\n").length - 2);
    }
    expect([...lengths].filter((length) => !BOUNDARIES.includes(length))).not.toEqual([]);
  });
});
