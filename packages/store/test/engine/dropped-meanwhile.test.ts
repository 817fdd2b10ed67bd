/**
 * Records are dropped while somebody reads them: the reader is told, and never jumps over records that were there when it
 * began. What was dropped before it began is no part of what it reads, unless it asks for it.
 */

import { describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type Session, type Store } from "../../src/index.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { user } from "../support/conversation.ts";

const MESSAGES = 30;

interface Scene {
  readonly writer: Store;
  readonly reader: Store;
  /** By the writer. */
  readonly drop: () => Promise<void>;
  readonly close: () => Promise<void>;
}

async function begin(isSameStore: boolean): Promise<Scene> {
  const machine = new SimulatedMachine(1);
  const open = async (readOnly: boolean): Promise<Store> =>
    await openStore(jsonlBackend("/store", { host: machine.startProcess(), segmentBytes: 600 }), {
      readOnly,
    });
  const writer = await open(false);
  for (let number = 1; number <= MESSAGES; number++) await writer.session("a").append(user(`word ${number}`));
  const reader = isSameStore ? writer : await open(true);
  return {
    writer,
    reader,
    drop: async () => {
      const { dropped } = await writer.reclaim({ drop: { before: 25 } });
      expect(dropped?.[0]?.last).toBeGreaterThan(15);
    },
    close: async () => {
      if (!isSameStore) await reader.close();
      await writer.close();
    },
  };
}

/** Reads two, lets the records be dropped, reads on. Answers with the seqs that came and the code it ended with. */
async function readOn(
  items: AsyncIterable<unknown>,
  drop: () => Promise<void>,
): Promise<{ came: unknown[]; code: unknown; seq: unknown }> {
  const came: unknown[] = [];
  try {
    for await (const item of items) {
      came.push(item);
      if (came.length === 2) await drop();
      // A watch does not end by itself.
      if ((item as { seq?: number }).seq === MESSAGES && came.length > 1) break;
    }
  } catch (error) {
    const { code, detail } = error as { code: unknown; detail: Record<string, unknown> };
    return { came, code, seq: detail["seq"] };
  }
  return { came, code: undefined, seq: undefined };
}

const READERS: Readonly<Record<string, (session: Session) => AsyncIterable<unknown>>> = {
  records: (session) => session.records(),
  "records with kept": (session) => session.records({ kept: true }),
  iterate: (session) => session.iterate(),
  watch: (session) => session.watch(),
  "watch from 1": (session) => session.watch({ from: 1 }),
};

describe.each([
  ["of another store", false],
  ["of the same store", true],
])("a reader %s", (_, isSameStore) => {
  test.each(Object.entries(READERS))("%s", async (_name, read) => {
    const { reader, drop, close } = await begin(isSameStore);
    const { came, code, seq } = await readOn(read(reader.session("a")), drop);
    expect(code).toBe("RECORD_DROPPED");
    // What it has in its hands it may finish: a file that is open stays readable.
    expect(came.length).toBeGreaterThanOrEqual(2);
    expect(seq).toBe(came.length + 1);
    await close();
  });

  test("backwards: everything that is kept comes first", async () => {
    const { reader, drop, close } = await begin(isSameStore);
    const { came, code } = await readOn(reader.session("a").records({ reverse: true }), drop);
    expect(code).toBe("RECORD_DROPPED");
    const seqs = came.map((record) => (record as { seq: number }).seq);
    expect(seqs).toEqual(seqs.map((__, index) => MESSAGES - index));
    const kept = await reader.session("a").state();
    expect(kept?.seq).toBeGreaterThan(MESSAGES);
    await close();
  });

  test("who reads what is kept only is not disturbed", async () => {
    const { reader, drop, close } = await begin(isSameStore);
    const { came, code } = await readOn(reader.session("a").records({ from: 26, to: 30 }), drop);
    expect(code).toBeUndefined();
    expect(came).toHaveLength(5);
    await close();
  });

  test("who begins afterwards reads what is kept, and is told if it asks for more", async () => {
    const { reader, drop, close } = await begin(isSameStore);
    await drop();
    const session = reader.session("a");
    const nothing = async (): Promise<void> => await Promise.resolve();
    expect(await readOn(session.iterate(), nothing)).toMatchObject({ code: undefined });
    expect(await readOn(session.records(), nothing)).toMatchObject({ code: undefined });
    for (const items of [
      session.records({ from: 3 }),
      session.iterate({ from: 3 }),
      session.watch({ from: 3 }),
      session.records({ to: 3 }),
    ])
      expect(await readOn(items, nothing)).toMatchObject({ came: [], code: "RECORD_DROPPED", seq: 3 });
    await close();
  });

  test("a search goes on with what is kept", async () => {
    const { reader, drop, close } = await begin(isSameStore);
    let isDropped = false;
    const dropping: Promise<void>[] = [];
    const hits = await reader.search("word", {
      limit: 100,
      onProgress: () => {
        if (!isDropped) dropping.push(drop());
        isDropped = true;
      },
    });
    await Promise.all(dropping);
    const seqs = hits.map(({ seq }) => seq).sort((one, other) => one - other);
    expect(seqs.at(-1)).toBe(MESSAGES);
    expect(seqs).toEqual(seqs.map((__, index) => MESSAGES - seqs.length + 1 + index));
    await close();
  });
});

test("a session that is deleted for good while it is read is not called damaged", async () => {
  const machine = new SimulatedMachine(1);
  const damage: unknown[] = [];
  const open = async (): Promise<Store> =>
    await openStore(jsonlBackend("/store", { host: machine.startProcess(), segmentBytes: 600 }), {
      onDamage: (each) => damage.push(each),
    });
  const writer = await open();
  for (let number = 1; number <= MESSAGES; number++) await writer.session("a").append(user(`word ${number}`));
  const reader = await open();
  const remove = async (): Promise<void> => await writer.session("a").delete({ forever: true });
  const { code } = await readOn(reader.session("a").records(), remove);
  expect(code).toBe("SESSION_NOT_FOUND");
  expect(damage).toEqual([]);
  await reader.close();
  await writer.close();
});
