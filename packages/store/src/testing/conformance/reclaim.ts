/** Saves space and loses nothing, unless it is asked to drop. */

import assert from "node:assert/strict";
import type { Session } from "../../contract/types.ts";
import { collect, numbered, rejectsWith, say, seqOf } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

async function contents(session: Session): Promise<unknown> {
  const info = await session.state();
  return {
    info: info && { ...info, bytes: 0 },
    messages: await session.messages(),
    records: await collect(session.records()),
  };
}

export const reclaimCases: readonly ConformanceCase[] = [
  {
    title: "keeps every record, and writing goes on",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 5);
      await session.truncate({ keepLast: 2 });
      const before = await contents(session);
      const { bytesBefore, bytesAfter } = await store.reclaim();
      assert.ok(bytesBefore >= 0 && bytesAfter >= 0, `${bytesBefore} ${bytesAfter}`);
      assert.deepEqual(await contents(session), before);
      assert.deepEqual(await session.append(say("more")), { seq: 7 });
      await session.rewind({ to: 3 });
      assert.deepEqual(
        (await session.messages()).map(({ content }) => content),
        ["1", "2", "3"],
      );
    },
  },
  {
    title: "keys selects sessions; where there is none there is nothing to do",
    run: async ({ store }) => {
      await numbered(store.session("a"), 2);
      const before = await contents(store.session("a"));
      assert.deepEqual(await store.reclaim({ keys: ["nobody"] }), { bytesBefore: 0, bytesAfter: 0 });
      await store.reclaim({ keys: ["a"] });
      assert.deepEqual(await contents(store.session("a")), before);
      assert.equal(await store.session("nobody").exists(), false);
    },
  },
  {
    title: "a dry run changes nothing, whatever it would drop",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 5);
      const info = await session.state();
      const before = await contents(session);
      await store.reclaim({ dryRun: true });
      await store.reclaim({ dryRun: true, drop: { before: 6 } });
      await store.reclaim({ dryRun: true, drop: { before: new Date(8.64e15) } });
      assert.deepEqual(await contents(session), before);
      assert.deepEqual(await session.state(), info);
    },
  },
  {
    title: "what is dropped is the beginning, reading it says so, and the rest goes on",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 5);
      const before = await collect(session.records());
      await store.reclaim({ drop: { before: 1 } });
      assert.deepEqual(await collect(session.records()), before);
      await store.reclaim({ drop: { before: new Date(0) } });
      assert.deepEqual(await collect(session.records()), before);
      await store.reclaim({ drop: { before: 6 } });
      const seq = await seqOf(session);
      const kept = await collect(session.records());
      const first = kept[0]?.seq ?? seq + 1;
      assert.deepEqual(kept.slice(0, 6 - first), before.slice(first - 1));
      if (first > 1) await rejectsWith("RECORD_DROPPED", collect(session.records({ from: 1 })));
      assert.deepEqual(await session.append(say("more")), { seq: seq + 1 });
    },
  },
  {
    title: "a drop takes nothing that was never sealed, and nothing more when it is repeated",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 5);
      const before = await contents(session);
      for (let round = 0; round < 3; round++) await store.reclaim({ drop: { before: 1_000_000 } });
      assert.deepEqual(await contents(session), before);
    },
  },
  {
    title: "seal keeps every record, and a dry run of it changes nothing",
    run: async ({ store }) => {
      const session = store.session("s");
      await numbered(session, 5);
      await session.truncate({ keepLast: 2 });
      const info = await session.state();
      const before = await contents(session);
      await store.reclaim({ seal: true, dryRun: true });
      assert.deepEqual(await session.state(), info);
      await store.reclaim({ seal: true });
      await store.reclaim({ seal: true, keys: ["s"] });
      assert.deepEqual(await contents(session), before);
      assert.deepEqual(await session.append(say("more")), { seq: 7 });
    },
  },
  {
    title: "what was reclaimed is there after reopening",
    needs: ["durable"],
    run: async ({ store, reopen }) => {
      await numbered(store.session("s"), 5);
      await store.reclaim();
      const before = await contents(store.session("s"));
      const again = await reopen();
      assert.deepEqual(await contents(again.session("s")), before);
      assert.deepEqual(await again.session("s").append(say("more")), { seq: 6 });
    },
  },
  {
    title: "needs a store that may write",
    needs: ["readOnly"],
    run: async ({ store, reopen }) => {
      await numbered(store.session("s"), 1);
      const reader = await reopen({ readOnly: true });
      await rejectsWith("STORE_READ_ONLY", reader.reclaim());
    },
  },
  {
    title: "unknown and impossible options are errors that name them, and nothing is dropped",
    run: async ({ store }) => {
      await numbered(store.session("s"), 2);
      const attempts: readonly (readonly [name: string, options: unknown])[] = [
        ["keys", { keys: "s" }],
        ["onProgress", { onProgress: "often" }],
        ["dryRun", { dryRun: 1 }],
        ["seal", { seal: "yes" }],
        ["compress", { compress: true }],
        ["drop", { drop: true }],
        ["drop", { drop: null }],
        ["before", { drop: {} }],
        ["before", { drop: { before: undefined } }],
        ["before", { drop: { before: "2020-01-01" } }],
        ["before", { drop: { before: 1.5 } }],
        ["before", { drop: { before: -1 } }],
        ["before", { drop: { before: new Date(Number.NaN) } }],
        ["after", { drop: { before: 2, after: 1 } }],
      ];
      for (const [name, options] of attempts) {
        const error = await rejectsWith("OPTION_INVALID", store.reclaim(options as never));
        assert.ok(error.message.includes(name), `"${error.message}" does not name ${name}`);
      }
      await rejectsWith("KEY_INVALID", store.reclaim({ keys: ["nul\0"] }));
      assert.equal((await collect(store.session("s").records())).length, 2);
    },
  },
];
