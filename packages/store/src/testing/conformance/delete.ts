/** To the trash, from where it can be restored; the key begins anew. */

import assert from "node:assert/strict";
import { collect, idOf, idsIn, log, rejectsWith, say, sayAll, twoSessions } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

export const deleteCases: readonly ConformanceCase[] = [
  {
    title: "a deleted session is gone for its key and kept in the trash",
    needs: ["archive"],
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("a"));
      const id = (await idOf(session)) ?? "";
      await session.delete();
      assert.equal(await session.exists(), false);
      assert.equal(await session.state(), undefined);
      assert.deepEqual(await session.messages(), []);
      assert.deepEqual(await collect(session.records()), []);
      assert.deepEqual(await idsIn(store, "active"), []);
      assert.deepEqual(await idsIn(store, "trashed"), [id]);
    },
  },
  {
    title: "a write to a deleted key begins a new session that knows nothing of the old one",
    needs: ["archive"],
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(sayAll("old", "older"), { id: "x" });
      await session.setTitle("old title");
      const old = (await idOf(session)) ?? "";
      await session.delete();
      assert.deepEqual(await session.append(say("new"), { id: "x", expectedSeq: 0 }), { seq: 1 });
      assert.notEqual(await idOf(session), old);
      assert.deepEqual(await log(session), ["new"]);
      assert.equal((await session.state())?.title, undefined);
      assert.deepEqual(await idsIn(store, "trashed"), [old]);
    },
  },
  {
    title: "takes the archived ones along; of nothing it is nothing",
    needs: ["archive"],
    run: async ({ store }) => {
      const session = store.session("s");
      await session.delete();
      const [first, second] = await twoSessions(session);
      await session.archive();
      await session.delete();
      assert.equal(await session.exists(), false);
      assert.deepEqual(await idsIn(store, "archived"), []);
      assert.deepEqual(await idsIn(store, "trashed"), [first, second].sort());
    },
  },
  {
    title: "forever leaves nothing of the key, in the trash neither",
    needs: ["archive"],
    run: async ({ store }) => {
      const session = store.session("s");
      await store.session("other").append(say("stays"));
      await store.session("other").delete();
      await twoSessions(session);
      await session.delete({ forever: true });
      assert.deepEqual(
        (await collect(store.list({ status: "any" }))).map(({ key }) => key),
        ["other"],
      );
      await rejectsWith("SESSION_NOT_FOUND", session.restore());
      assert.deepEqual(await session.append(say("new")), { seq: 1 });
    },
  },
];
