/** Empties the trash, and only the trash. */

import assert from "node:assert/strict";
import type { Session } from "../../contract/types.ts";
import { idOf, idsIn, numbered, rejectsWith, say, untilTheClockMoves } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

async function deleted(session: Session): Promise<string> {
  await session.append(say("gone"));
  const id = (await idOf(session)) ?? "";
  await session.delete();
  return id;
}

/** A moment later than all before and earlier than all after, by more than clocks differ that files get times from. */
async function aMoment(clock: Session): Promise<Date> {
  for (let tick = 0; tick < 20; tick++) await untilTheClockMoves(clock);
  const moment = new Date((await clock.state())?.updated ?? "");
  for (let tick = 0; tick < 20; tick++) await untilTheClockMoves(clock);
  return moment;
}

export const purgeCases: readonly ConformanceCase[] = [
  {
    title: "removes what is in the trash for good, and names it",
    needs: ["archive"],
    run: async ({ store }) => {
      assert.deepEqual(await store.purge(), []);
      const session = store.session("s");
      const ids = [await deleted(session), await deleted(session), await deleted(store.session("t"))];
      const gone = await store.purge();
      assert.deepEqual(gone.map(({ id }) => id).sort(), ids.sort());
      for (const { status } of gone) assert.equal(status, "trashed");
      assert.deepEqual(gone.map(({ key }) => key).sort(), ["s", "s", "t"]);
      assert.deepEqual(await idsIn(store, "trashed"), []);
      await rejectsWith("SESSION_NOT_FOUND", session.restore());
      assert.deepEqual(await store.purge(), []);
    },
  },
  {
    title: "leaves active and archived sessions alone, of the same key too",
    needs: ["archive"],
    run: async ({ store }) => {
      const session = store.session("s");
      await deleted(session);
      await numbered(session, 3);
      await numbered(store.session("archived"), 2);
      await store.session("archived").archive();
      const before = [await session.state(), await store.session("archived").state()];
      assert.equal((await store.purge()).length, 1);
      assert.deepEqual([await session.state(), await store.session("archived").state()], before);
      assert.deepEqual(await session.append(say("4")), { seq: 4 });
    },
  },
  {
    title: "a dry run names the same and removes nothing",
    needs: ["archive"],
    run: async ({ store }) => {
      const id = await deleted(store.session("s"));
      const named = await store.purge({ dryRun: true });
      assert.deepEqual(
        named.map((info) => info.id),
        [id],
      );
      assert.deepEqual(await idsIn(store, "trashed"), [id]);
      assert.deepEqual(await store.purge(), named);
    },
  },
  {
    title: "before goes by the time of deletion, not of the last write",
    needs: ["archive"],
    run: async ({ store }) => {
      const [early, late] = [store.session("early"), store.session("late")];
      await late.append(say("written first, deleted last"));
      const lateId = (await idOf(late)) ?? "";
      const earlyId = await deleted(early);
      const moment = await aMoment(store.session("clock"));
      await late.delete();
      assert.deepEqual(await store.purge({ before: new Date(0) }), []);
      assert.deepEqual(
        (await store.purge({ before: moment, dryRun: true })).map(({ id }) => id),
        [earlyId],
      );
      assert.deepEqual(
        (await store.purge({ before: moment })).map(({ id }) => id),
        [earlyId],
      );
      assert.deepEqual(await idsIn(store, "trashed"), [lateId]);
      await late.restore();
      assert.equal(await idOf(late), lateId);
    },
  },
  {
    title: "what was purged is gone after reopening",
    needs: ["archive", "durable"],
    run: async ({ store, reopen }) => {
      await deleted(store.session("s"));
      await store.purge();
      const again = await reopen();
      assert.deepEqual(await idsIn(again, "trashed"), []);
      await rejectsWith("SESSION_NOT_FOUND", again.session("s").restore());
    },
  },
  {
    title: "needs a store that may write",
    needs: ["archive", "readOnly"],
    run: async ({ store, reopen }) => {
      const id = await deleted(store.session("s"));
      const reader = await reopen({ readOnly: true });
      await rejectsWith("STORE_READ_ONLY", reader.purge());
      assert.deepEqual(await idsIn(reader, "trashed"), [id]);
    },
  },
  {
    title: "unknown and impossible options are errors that name them",
    needs: ["archive"],
    run: async ({ store }) => {
      const id = await deleted(store.session("s"));
      const attempts: readonly (readonly [name: string, options: unknown])[] = [
        ["before", { before: 5 }],
        ["before", { before: "30d" }],
        ["before", { before: new Date(Number.NaN) }],
        ["dryRun", { dryRun: "yes" }],
        ["keys", { keys: ["s"] }],
      ];
      for (const [name, options] of attempts) {
        const error = await rejectsWith("OPTION_INVALID", store.purge(options as never));
        assert.ok(error.message.includes(name), `"${error.message}" does not name ${name}`);
      }
      assert.deepEqual(await idsIn(store, "trashed"), [id]);
    },
  },
  {
    title: "a backend that cannot says so",
    lacks: "archive",
    run: async ({ store }) => {
      await rejectsWith("STORE_READ_ONLY", store.purge());
    },
  },
];
