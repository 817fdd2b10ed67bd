/** A session that is put away is still its key's: it is read, listed and searched, and a write brings it back. */

import assert from "node:assert/strict";
import { collect, idOf, idsIn, rejectsWith, say, sayAll, twoSessions, view } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

export const archiveCases: readonly ConformanceCase[] = [
  {
    title: "an archived session is read by its key and listed as archived",
    needs: ["archive"],
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(sayAll("a", "b"));
      await session.setTitle("title");
      const before = await session.state();
      await session.archive();
      assert.deepEqual(await session.state(), { ...before, status: "archived" });
      assert.deepEqual(await view(session), ["a", "b"]);
      assert.equal(await session.exists(), true);
      assert.deepEqual(await idsIn(store, "active"), []);
      assert.deepEqual(await collect(store.list({ status: "archived" })), [await session.state()]);
      assert.equal((await collect(store.list({ status: "any" }))).length, 1);
    },
  },
  {
    title: "an archived session is searched",
    needs: ["archive"],
    run: async ({ store }) => {
      await store.session("s").append(say("needle"));
      await store.session("s").archive();
      assert.deepEqual(
        (await store.search("needle")).map(({ key, seq }) => [key, seq]),
        [["s", 1]],
      );
    },
  },
  {
    title: "a write to an archived key restores it first",
    needs: ["archive"],
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("a"), { id: "x" });
      const id = await idOf(session);
      await session.archive();
      assert.deepEqual(await session.append(say("b"), { expectedSeq: 1 }), { seq: 2 });
      const info = await session.state();
      assert.deepEqual([info?.id, info?.status], [id, "active"]);
      assert.deepEqual(await view(session), ["a", "b"]);
      assert.deepEqual(await idsIn(store, "archived"), []);
      assert.deepEqual(await session.append(say("a"), { id: "x" }), { seq: 1 });
    },
  },
  {
    title: "there must be an active session to archive",
    needs: ["archive"],
    run: async ({ store }) => {
      const session = store.session("s");
      await rejectsWith("SESSION_NOT_FOUND", session.archive());
      await session.append(say("a"));
      await session.archive();
      await rejectsWith("SESSION_NOT_FOUND", session.archive());
      assert.deepEqual(await view(session), ["a"]);
    },
  },
  {
    title: "several archived sessions of a key are kept apart",
    needs: ["archive"],
    run: async ({ store }) => {
      const session = store.session("s");
      const [first, second] = await twoSessions(session);
      await session.archive();
      await session.restore({ id: first });
      await session.archive();
      assert.deepEqual(await idsIn(store, "archived"), [first, second].sort());
      await session.restore({ id: second });
      assert.deepEqual(await view(session), ["second"]);
      await session.archive();
      await session.restore({ id: first });
      assert.deepEqual(await view(session), ["first"]);
    },
  },
  {
    title: "all of it keeps the order of the calls",
    needs: ["archive"],
    run: async ({ store }) => {
      const session = store.session("s");
      const steps = [
        session.append(say("deleted")),
        session.delete(),
        session.append(say("a")),
        session.archive(),
        session.append(say("b")),
        session.archive(),
        session.restore(),
        session.append(say("c")),
      ];
      await Promise.all(steps);
      assert.deepEqual(await view(session), ["a", "b", "c"]);
      assert.equal((await session.state())?.status, "active");
      assert.equal((await idsIn(store, "trashed")).length, 1);
    },
  },
  {
    title: "other sessions do not notice",
    needs: ["archive"],
    run: async ({ store }) => {
      const other = store.session("other");
      await other.append(say("stays"));
      const before = await other.state();
      await twoSessions(store.session("s"));
      await store.session("s").archive();
      await store.session("s").delete({ forever: true });
      assert.deepEqual(await other.state(), before);
      assert.deepEqual(await other.append(say("goes on")), { seq: 2 });
    },
  },
  {
    title: "what is put away is put away after reopening",
    needs: ["archive", "durable"],
    run: async ({ store, reopen }) => {
      await store.session("archived").append(sayAll("a", "b"));
      await store.session("archived").archive();
      await store.session("deleted").append(say("c"));
      await store.session("deleted").delete();
      await store.session("gone").append(say("d"));
      await store.session("gone").delete({ forever: true });
      const before = [await idsIn(store, "archived"), await idsIn(store, "trashed")];
      const again = await reopen();
      assert.deepEqual([await idsIn(again, "archived"), await idsIn(again, "trashed")], before);
      assert.deepEqual(await view(again.session("archived")), ["a", "b"]);
      assert.deepEqual(await again.session("archived").append(say("e")), { seq: 3 });
      await again.session("deleted").restore();
      const third = await reopen();
      assert.deepEqual(await view(third.session("archived")), ["a", "b", "e"]);
      assert.deepEqual(await view(third.session("deleted")), ["c"]);
      assert.equal(await third.session("gone").exists(), false);
    },
  },
  {
    title: "needs a store that may write",
    needs: ["archive", "readOnly"],
    run: async ({ store, reopen }) => {
      await store.session("s").append(say("a"));
      await store.session("s").archive();
      const session = (await reopen({ readOnly: true })).session("s");
      assert.deepEqual(await view(session), ["a"]);
      for (const attempt of [() => session.archive(), () => session.restore(), () => session.delete()]) {
        await rejectsWith("STORE_READ_ONLY", attempt());
      }
      assert.equal((await session.state())?.status, "archived");
    },
  },
  {
    title: "unknown and impossible options are errors that name them; closed is closed",
    needs: ["archive"],
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("a"));
      for (const attempt of [
        () => session.delete({ force: true } as never),
        () => session.delete({ forever: "yes" as never }),
        () => session.restore({ key: "other" } as never),
        () => session.restore({ id: 5 as never }),
      ]) {
        const error = await rejectsWith("OPTION_INVALID", attempt());
        assert.match(error.message, /force|forever|key|id/);
      }
      assert.deepEqual(await view(session), ["a"]);
      await store.close();
      for (const attempt of [() => session.archive(), () => session.restore(), () => session.delete()]) {
        await rejectsWith("STORE_CLOSED", attempt());
      }
    },
  },
  {
    title: "a backend that cannot says so",
    lacks: "archive",
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("a"));
      for (const attempt of [() => session.archive(), () => session.restore(), () => session.delete()]) {
        await rejectsWith("STORE_READ_ONLY", attempt());
      }
      assert.deepEqual(await view(session), ["a"]);
    },
  },
];
