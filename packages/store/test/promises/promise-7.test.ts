/**
 * Flat costs: what an operation asks of the disk does not depend on how long the session is, nor what opening asks on how
 * many sessions there are. Counted in calls and bytes, never in time.
 */

import { readdir, rm, utimes } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type Session, type Store } from "../../src/index.ts";
import { countingHost, type DiskCounts } from "../support/counting-host.ts";
import { user } from "../support/conversation.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";
import { writeManySessions } from "../support/write-many-sessions.ts";

const FEW = 100;
const MANY = 40_000;
/** Checkpoints lie a quarter of a MiB apart; finding one and reading on from it may take a few such pieces. */
const A_FEW_PIECES = 4 * 1024 * 1024;

let directory: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});

afterEach(async () => {
  await removeDirectory(directory);
});

async function writeSession(key: string, messages: number, segmentBytes?: number): Promise<void> {
  const options = segmentBytes === undefined ? {} : { segmentBytes };
  const store = await openStore(jsonlBackend(directory, options));
  const text = "so many words that a message is about as long as people write them ".repeat(3);
  for (let done = 0; done < messages; done += 100) {
    await store
      .session(key)
      .append(Array.from({ length: 100 }, (_, index) => user(`${done + index} ${text}`)));
  }
  await store.close();
}

/** What the task asks of the disk until the store is closed: records are applied after the answer. */
async function costOf(task: (store: Store) => Promise<unknown>): Promise<DiskCounts> {
  const { host, counts } = countingHost();
  const store = await openStore(jsonlBackend(directory, { host }));
  const before = { ...counts };
  await task(store);
  await store.close();
  return {
    writes: counts.writes - before.writes,
    bytesWritten: counts.bytesWritten - before.bytesWritten,
    reads: counts.reads - before.reads,
    bytesRead: counts.bytesRead - before.bytesRead,
    syncs: counts.syncs - before.syncs,
  };
}

const OPERATIONS: readonly (readonly [string, (session: Session) => Promise<unknown>])[] = [
  ["append", async (session) => await session.append(user("one more"))],
  ["truncate", async (session) => await session.truncate({ keepLast: 20 })],
  ["rewind", async (session) => await session.rewind({ messages: 1 })],
  ["rewind behind a cut", async (session) => await session.rewind({ to: 60 })],
  ["opening the tail", async (session) => await session.messages({ last: 20 })],
  ["state", async (session) => await session.state()],
];

describe("promise 7: flat costs", () => {
  test.each([
    ["in one file", undefined],
    ["in many files", 2 * 1024 * 1024],
  ])(
    `at ${FEW} messages and at ${MANY}, %s`,
    async (_title, segmentBytes) => {
      await writeSession("short", FEW, segmentBytes);
      await writeSession("long", MANY, segmentBytes);
      for (const [name, run] of OPERATIONS) {
        const few = await costOf(async (store) => await run(store.session("short")));
        const many = await costOf(async (store) => await run(store.session("long")));
        expect(many.syncs, `syncs of ${name}`).toBeLessThanOrEqual(few.syncs);
        expect(many.bytesRead, `bytes read by ${name}`).toBeLessThan(A_FEW_PIECES);
        expect(many.bytesWritten, `bytes written by ${name}`).toBeLessThan(few.bytesWritten + 64 * 1024);
      }
      // Control: the same meter shows what does depend on the length.
      const everything = await costOf(async (store) => {
        for await (const { seq } of store.session("long").records()) expect(seq).toBeGreaterThan(0);
      });
      expect(everything.bytesRead).toBeGreaterThan(2 * A_FEW_PIECES);
    },
    240_000,
  );

  test("fork costs a link for each segment, and copies nothing", async () => {
    await writeSession("long", MANY, 2 * 1024 * 1024);
    const segments = await readdir(`${directory}/segments`);
    expect(segments).toHaveLength(1);
    const files = await readdir(`${directory}/segments/${segments[0] ?? ""}`);
    expect(files.length).toBeGreaterThan(3);
    const cost = await costOf(async (store) => await store.session("long").fork("child"));
    expect(cost.bytesRead).toBeLessThan(A_FEW_PIECES);
    expect(cost.bytesWritten).toBeLessThan(64 * 1024);
    // Control: what was forked is all there.
    const store = await openStore(directory);
    expect((await store.session("child").state())?.count).toBe(MANY);
    await store.close();
  }, 240_000);

  test("opening and using one session among many", async () => {
    const cost = async (): Promise<DiskCounts> => {
      const { host, counts } = countingHost();
      const store = await openStore(jsonlBackend(directory, { host }));
      await store.session("one").append(user("hello"));
      // What an opening does in the background is done then.
      await store.close();
      return { ...counts };
    };
    await cost();
    const few = await cost();
    const plain = Array.from({ length: 300 }, (_, index) => `plain-${index}`);
    const writer = await openStore(directory, { durability: "os" });
    for (const key of plain) await writer.session(key).append(user("hello"));
    await writer.close();
    writeManySessions(
      directory,
      Array.from({ length: 3000 }, (_, index) => `other:${index}`),
    );
    // The directory has changed: the first opening reads its names, and which of them are known. No session but its own.
    const first = await cost();
    expect(first.reads).toBeLessThanOrEqual(few.reads + 2);
    expect(first.bytesRead).toBeLessThanOrEqual(few.bytesRead + 4096 + plain.join(".jsonl,").length * 2);
    expect(first.syncs).toBeLessThanOrEqual(few.syncs);
    expect(first.writes).toBeLessThanOrEqual(few.writes + 2);
    const past = new Date(Date.now() - 60_000);
    await utimes(directory, past, past);
    await cost();
    const many = await cost();
    expect(many.reads).toBeLessThanOrEqual(few.reads + 2);
    expect(many.bytesRead).toBeLessThanOrEqual(few.bytesRead + 4096);
    expect(many.syncs).toBeLessThanOrEqual(few.syncs);
    expect(many.writes).toBeLessThanOrEqual(few.writes);
    // Control: the meter shows an opening that has to read what it does not know.
    await rm(`${directory}/.longhand/cache`, { recursive: true });
    expect((await cost()).reads).toBeGreaterThanOrEqual(plain.length);
  }, 240_000);
});
