/** A session that is given up ends with a checkpoint, so that the next reader has little to decode; and nothing else changes. */

import { describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type Store } from "../../src/index.ts";
import { CHECKPOINT_START, encodeCheckpoint } from "../../src/format/checkpoint.ts";
import { encodeEntry } from "../../src/format/encode.ts";
import { EMPTY_STATE } from "../../src/format/fold.ts";
import { fileNameOf } from "../../src/format/key.ts";
import { lastSum } from "../../src/format/last-sum.ts";
import { NO_SUM } from "../../src/format/line-checksum.ts";
import { holdRecords, linesOf } from "../../src/engine/files/kept-record-files.ts";
import { failingHost, SimulatedMachine, type Capture, type Host } from "../../src/testing/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { message, SESSION_ID } from "../support/sample-log.ts";
import { DIRECTORY, readSimulatedFile } from "../support/simulated-store.ts";

const PATH = `${DIRECTORY}/a.jsonl`;
/** More than a reader reads of the end in any case, and less than what is between two checkpoints. */
const MANY = Array.from({ length: 50 }, (_, index) => `${index} ${"x".repeat(2000)}`);

async function open(host: Host): Promise<Store> {
  return await openStore(jsonlBackend(DIRECTORY, { host }));
}

async function appendAll(store: Store, contents: readonly string[]): Promise<void> {
  for (const content of contents) await store.session("a").append(user(content));
}

async function journalOf(host: Host): Promise<Buffer> {
  const names = await host.files.readDirectory(`${DIRECTORY}/.longhand/journal`);
  const journals = names.filter((name) => name.endsWith(".journal"));
  const read = journals.map(
    async (name) => await readSimulatedFile(host, `${DIRECTORY}/.longhand/journal/${name}`),
  );
  return Buffer.concat(await Promise.all(read));
}

async function checkpointsIn(host: Host): Promise<{ readonly seqs: number[]; readonly isLast: boolean }> {
  const lines = (await readSimulatedFile(host, PATH)).toString().trimEnd().split("\n");
  const found = lines.filter((line) => line.startsWith(CHECKPOINT_START));
  const seqs = found.map((line) => (JSON.parse(line) as { checkpoint: { seq: number } }).checkpoint.seq);
  return { seqs, isLast: lines.at(-1) === found.at(-1) };
}

describe("a checkpoint behind the last record", () => {
  test("is written when the store is closed, once, and read from", async () => {
    const host = new SimulatedMachine(1).startProcess();
    const store = await open(host);
    await appendAll(store, MANY);
    expect((await checkpointsIn(host)).seqs).toEqual([]);
    await store.close();
    expect(await checkpointsIn(host)).toEqual({ seqs: [50], isLast: true });
    const again = await openCollecting(jsonlBackend(DIRECTORY, { host }));
    expect(await contentsOf(again.store.session("a"))).toEqual(MANY);
    expect(await again.store.session("a").append(user("more"))).toEqual({ seq: 51 });
    expect(await again.store.session("a").messages({ last: 2 })).toMatchObject([
      { content: MANY.at(-1) },
      { content: "more" },
    ]);
    expect((await again.store.verify()).damage).toEqual([]);
    await again.store.close();
    expect((await checkpointsIn(host)).seqs).toEqual([50]);
    expect(again.damage).toEqual([]);
  });

  test("is written before another store may write", async () => {
    const host = new SimulatedMachine(2).startProcess();
    const [one, other] = [await open(host), await open(host)];
    await appendAll(one, MANY);
    expect(await other.session("a").append(user("of the other"))).toEqual({ seq: 51 });
    await Promise.all([one.close(), other.close()]);
    expect(await checkpointsIn(host)).toEqual({ seqs: [50], isLast: false });
    const again = await openCollecting(jsonlBackend(DIRECTORY, { host }));
    expect(await contentsOf(again.store.session("a"))).toEqual([...MANY, "of the other"]);
    expect([(await again.store.verify()).damage, again.damage]).toEqual([[], []]);
  });

  test("is not written behind few bytes, nor by a store that has written nothing", async () => {
    const machine = new SimulatedMachine(3);
    const host = machine.startProcess();
    const store = await open(host);
    await appendAll(store, MANY.slice(0, 20));
    await store.close();
    expect((await checkpointsIn(host)).seqs).toEqual([]);
    await appendAll(await open(host), MANY.slice(20));
    const next = machine.capture().afterKill().startProcess();
    const again = await open(next);
    await expect(again.session("a").append(user("x"), { expectedSeq: 7 })).rejects.toThrow(/seq/);
    await again.close();
    expect((await checkpointsIn(next)).seqs).toEqual([]);
  });

  test("a full disk closes without it", async () => {
    const host = new SimulatedMachine(4).startProcess();
    let refused = 0;
    const full = failingHost(host, ({ operation, path }) =>
      operation === "write" && path.includes("/journal/") && refused-- > 0
        ? { kind: "error", code: "ENOSPC" }
        : undefined,
    );
    const { store, errors, damage } = await openCollecting(jsonlBackend(DIRECTORY, { host: full }));
    await appendAll(store, MANY);
    refused = 1;
    await store.close();
    expect([errors, damage]).toEqual([[], []]);
    expect((await checkpointsIn(host)).seqs).toEqual([]);
    expect(await contentsOf((await open(host)).session("a"))).toEqual(MANY);
  });

  /** Every state that a kill or a power cut may leave while a store closes. */
  async function closing(): Promise<Capture[]> {
    const machine = new SimulatedMachine(5);
    const store = await open(machine.startProcess());
    await appendAll(store, MANY);
    const captures: Capture[] = [machine.capture()];
    machine.onOperation(({ changedDisk }) => {
      if (changedDisk) captures.push(machine.capture());
    });
    await store.close();
    return captures;
  }

  test("a power cut while it is written loses nothing, and leaves no damage", async () => {
    let inJournalOnly = 0;
    for (const capture of await closing()) {
      for (const cut of [capture.afterKill(), ...capture.afterPowerLoss({ limit: 12 })]) {
        const host = cut.startProcess();
        const inFile = (await readSimulatedFile(host, PATH)).includes(CHECKPOINT_START);
        if (!inFile && (await journalOf(host)).includes(CHECKPOINT_START)) inJournalOnly += 1;
        const { store, damage } = await openCollecting(jsonlBackend(DIRECTORY, { host }));
        expect(await contentsOf(store.session("a"))).toEqual(MANY);
        expect(await store.session("a").append(user("more"))).toEqual({ seq: 51 });
        expect((await store.verify()).damage).toEqual([]);
        expect(damage).toEqual([]);
        await store.close();
      }
    }
    expect(inJournalOnly).toBeGreaterThan(0);
  });
});

describe("a journal's record that is a checkpoint alone", () => {
  const name = fileNameOf("a");
  const place = { session: SESSION_ID, file: 0, name };
  const entry = (seq: number): Buffer =>
    encodeEntry({ seq, at: "2026-11-15T19:24:12.123Z", body: message("x") }, SESSION_ID);
  const first = { ...place, offset: 100, bytes: entry(1), after: NO_SUM };
  const checkpoint = encodeCheckpoint({ state: { ...EMPTY_STATE, seq: 1 }, sum: NO_SUM }, SESSION_ID);
  const alone = { ...place, offset: 300, bytes: checkpoint, after: lastSum(first.bytes) };
  const next = { ...place, offset: 600, bytes: entry(2), after: lastSum(checkpoint) };

  test("is nothing that anyone misses", () => {
    expect(holdRecords([alone])).toBe(false);
    expect(holdRecords([alone, next])).toBe(true);
    expect(holdRecords([{ ...alone, bytes: Buffer.from("damaged\n") }])).toBe(true);
  });

  test("leads from the record before it to the one behind it", () => {
    const [before, behind] = linesOf([first, alone, next]);
    expect(before?.lastSumOfRecord).toBe(lastSum(checkpoint));
    expect(behind?.follows).toContain(lastSum(checkpoint));
  });
});
