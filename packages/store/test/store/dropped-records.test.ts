/** What the front does where the first records of a session were dropped, and how little of a log it reads to cut it. */

import { describe, expect, test } from "vitest";
import { openStore } from "../../src/open-store.ts";
import type { Session } from "../../src/contract/types.ts";
import { collect, numbered, say, view } from "../../src/testing/case-language.ts";
import { droppedRecords, type Dropping } from "../support/dropped-records.ts";

/** Ten messages, of which the first four are dropped. */
async function begin(firstSeq = 5): Promise<{ dropping: Dropping; session: Session }> {
  const dropping = droppedRecords(1);
  const session = (await openStore(dropping.backend)).session("s");
  await numbered(session, 10);
  dropping.firstSeq = firstSeq;
  dropping.ranges.length = 0;
  return { dropping, session };
}

const seqs = async (records: AsyncIterable<{ readonly seq: number }>): Promise<number[]> =>
  (await collect(records)).map(({ seq }) => seq);

describe("reading", () => {
  test("without bounds begins with what is kept", async () => {
    const { session } = await begin();
    expect(await seqs(session.records())).toEqual([5, 6, 7, 8, 9, 10]);
    expect(await seqs(session.records({ reverse: true, last: 2 }))).toEqual([10, 9]);
    expect(await view(session)).toEqual(["5", "6", "7", "8", "9", "10"]);
    expect(await collect(session.iterate())).toHaveLength(6);
    expect(await seqs(session.records({ from: 0 }))).toHaveLength(6);
    expect(await session.messages({ last: 99 })).toHaveLength(6);
  });

  test("with a bound in what was dropped is RECORD_DROPPED, which says what is left and of whom", async () => {
    const { session } = await begin();
    const error = { code: "RECORD_DROPPED", detail: { key: "s", seq: 4, firstSeq: 5, lastSeq: 10 } };
    await expect(collect(session.records({ from: 4 }))).rejects.toMatchObject(error);
    await expect(collect(session.records({ from: 4 }))).rejects.toThrow(
      /"s".*record 4 .*5 to 10 are still there/,
    );
    await expect(session.messages({ from: 4 })).rejects.toMatchObject(error);
    await expect(collect(session.iterate({ from: 4 }))).rejects.toMatchObject(error);
    await expect(session.messages({ to: 4 })).rejects.toMatchObject(error);
    expect(await seqs(session.records({ from: 5, to: 6 }))).toEqual([5, 6]);
  });

  test("search looks through what is kept", async () => {
    const dropping = droppedRecords(1);
    const store = await openStore(dropping.backend);
    await store.session("s").append([say("needle one"), say("needle two")]);
    dropping.firstSeq = 2;
    expect((await store.search("needle")).map(({ seq }) => seq)).toEqual([2]);
  });
});

describe("rewind", () => {
  test("to a dropped record is RECORD_DROPPED, and nothing is written; to 0 is possible", async () => {
    const { session } = await begin();
    for (const to of [1, 4]) {
      await expect(session.rewind({ to })).rejects.toMatchObject({
        code: "RECORD_DROPPED",
        detail: { seq: to },
      });
    }
    await expect(session.rewind({ messages: 7 })).rejects.toMatchObject({ code: "RECORD_DROPPED" });
    expect((await session.state())?.seq).toBe(10);
    await session.rewind({ messages: 6 });
    expect(await view(session)).toEqual([]);
    await session.rewind({ to: 5 });
    expect(await view(session)).toEqual(["5"]);
    await session.rewind({ to: 0 });
    expect((await session.state())?.count).toBe(0);
  });

  test("reads what it cuts, and nothing before it", async () => {
    const { session, dropping } = await begin(1);
    await session.rewind({ to: 3 });
    expect(dropping.ranges).toEqual([{ from: 4, to: 10, reverse: true }]);
    expect(await view(session)).toEqual(["1", "2", "3"]);
  });
});

describe("truncate and compact", () => {
  const countOf = async (session: Session): Promise<number> => (await session.state())?.count ?? 0;

  test("keepLast reads back from the end, once", async () => {
    const { session, dropping } = await begin(1);
    await session.truncate({ keepLast: 2 });
    expect(dropping.ranges).toEqual([{ from: 1, to: 10, reverse: true }]);
    expect([await view(session), await countOf(session)]).toEqual([["9", "10"], 2]);
  });

  test.each([
    [3, { from: 1, to: 2, reverse: false }],
    [9, { from: 9, to: 10, reverse: false }],
  ])("keepFrom %i reads the shorter side", async (keepFrom, range) => {
    const { session, dropping } = await begin(1);
    await session.truncate({ keepFrom });
    expect(dropping.ranges).toEqual([range]);
    expect(await countOf(session)).toBe((await session.messages()).length);
    expect(await countOf(session)).toBe(11 - keepFrom);
  });

  test("cut what is kept of a log whose beginning is gone", async () => {
    const { session, dropping } = await begin();
    await session.compact({ summary: "s", keepFrom: 6 });
    expect(dropping.ranges).toEqual([{ from: 6, to: 10, reverse: false }]);
    expect([await view(session), await countOf(session)]).toEqual([["6", "7", "8", "9", "10"], 5]);
    await session.truncate({ keepLast: 1 });
    expect([await view(session), await countOf(session)]).toEqual([["10"], 1]);
  });
});
