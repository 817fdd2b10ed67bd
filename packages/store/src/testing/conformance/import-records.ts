/** Beginning a session with the records of another one. */

import assert from "node:assert/strict";
import type { SessionRecord } from "../../format/session-record.ts";
import type { Session, Store } from "../../contract/types.ts";
import { collect, log, numbered, rejectsWith, say, sayAll, view } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

/** Every kind of record, with cuts that are undone, rewinds that undo a cut, and a replaced history. */
async function everything(session: Session): Promise<void> {
  await session.setTitle("A title");
  await session.append(sayAll("replaced 1", "replaced 2"));
  await session.replace(sayAll("1", "2", "3"), { summary: "before" });
  await session.note("usage", { tokens: [1, 2] });
  const { seq } = await session.compact({ summary: "new", keepFrom: 8 });
  await session.append(say("4"));
  await session.undoCut(seq);
  await session.rewind({ messages: 1 });
  await session.append(say("5"));
  await session.truncate({ keepLast: 3 });
  await session.append(say("6"));
  await session.rewind({ to: 8 });
  await session.append(sayAll("7", "8"));
  await session.setSummary("after");
  await session.setTags(["a", "b"]);
  await session.compact({ summary: "last", keepFrom: 8 });
}

async function importEverything(store: Store): Promise<void> {
  const from = store.session("from");
  await everything(from);
  const records = await collect(from.records());
  assert.deepEqual(await store.session("to").importRecords(records), { seq: records.length });
}

async function haveTheSame(one: Session, other: Session): Promise<void> {
  assert.deepEqual(await collect(other.records()), await collect(one.records()));
  assert.deepEqual(await view(other), await view(one));
  assert.notDeepEqual(await view(other), []);
  const [before, after] = [await one.state(), await other.state()];
  for (const field of ["seq", "count", "summary", "title", "tags", "updated"] as const)
    assert.deepEqual(after?.[field], before?.[field], field);
  assert.notEqual(after?.id, before?.id);
}

const at = "2026-01-02T03:04:05.000Z";
const message = (seq: number, content: string): SessionRecord => ({ seq, at, message: say(content) });

export const importRecordsCases: readonly ConformanceCase[] = [
  {
    title: "gives the same records, view, summary, title and tags",
    run: async ({ store }) => {
      await importEverything(store);
      await haveTheSame(store.session("from"), store.session("to"));
    },
  },
  {
    title: "is the same after closing, and goes on",
    needs: ["durable"],
    run: async ({ store, reopen }) => {
      await importEverything(store);
      const reopened = await reopen();
      const session = reopened.session("to");
      await haveTheSame(reopened.session("from"), session);
      await session.append(say("goes on"));
      assert.deepEqual((await view(session)).at(-1), "goes on");
    },
  },
  {
    title: "keeps the times of the records",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.importRecords([message(1, "old")]);
      assert.deepEqual((await collect(session.records()))[0]?.at, at);
      assert.deepEqual((await session.state())?.updated, at);
    },
  },
  {
    title: "gives seqs without gaps, to which cuts and rewinds refer",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.importRecords([
        ...[message(11, "a"), message(13, "b"), message(20, "c"), message(21, "d")],
        { seq: 30, at, op: "rewind", to: 20 },
        { seq: 31, at, op: "truncate", keepFrom: 12 },
      ]);
      assert.deepEqual(await view(session), ["b", "c"]);
      const records = await collect(session.records());
      assert.deepEqual(
        records.map(({ seq }) => seq),
        [1, 2, 3, 4, 5, 6],
      );
      assert.deepEqual(records.slice(4), [
        { seq: 5, at, op: "rewind", to: 3 },
        { seq: 6, at, op: "truncate", keepFrom: 2 },
      ]);
    },
  },
  {
    title: "is SESSION_EXISTS where the key has a session, which stays as it is",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 2);
      await rejectsWith("SESSION_EXISTS", session.importRecords([message(1, "x")]));
      assert.deepEqual(await log(session), ["1", "2"]);
    },
  },
  {
    title:
      "is SESSION_EXISTS where the key has an archived session, and begins anew where it is in the trash",
    needs: ["archive"],
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 2);
      await session.archive();
      await rejectsWith("SESSION_EXISTS", session.importRecords([message(1, "x")]));
      assert.equal((await session.state())?.status, "archived");
      await session.delete();
      await session.importRecords([message(1, "x")]);
      assert.deepEqual(await log(session), ["x"]);
    },
  },
  {
    title: "refuses what is not a record, and writes nothing",
    run: async ({ store }) => {
      const wrong: readonly (readonly unknown[])[] = [
        [],
        [null],
        [{ ...message(0, "x") }],
        [message(2, "x"), message(2, "y")],
        [{ seq: 1, message: say("x") }],
        [{ seq: 1, at: "soon", message: say("x") }],
        [message(1, "x"), { seq: 2, at, op: "rewind", to: 2 }],
        [message(1, "x"), { seq: 2, at, op: "truncate", keepFrom: "1" }],
        [message(1, "x"), { seq: 2, at, op: "meta", tags: [1] }],
        [message(1, "x"), { seq: 2, at, op: "summary" }],
        [message(1, "x"), { seq: 2, at, op: "odd" }],
        [message(1, "x"), { seq: 2, at, op: "unknown", raw: "{}" }],
      ];
      const session = store.session("s");
      for (const records of wrong) {
        await rejectsWith("OPTION_INVALID", session.importRecords(records as readonly SessionRecord[]));
      }
      const notMessage = [message(1, "x"), { seq: 2, at, message: { role: "boss", content: "" } }];
      const error = await rejectsWith(
        "MESSAGE_INVALID",
        session.importRecords(notMessage as unknown as readonly SessionRecord[]),
      );
      assert.ok(error.message.includes("record 2"), error.message);
      assert.equal(await session.exists(), false);
    },
  },
];
