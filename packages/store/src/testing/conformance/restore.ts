/** Brings back what was archived or deleted, onto a key that has no active session. */

import assert from "node:assert/strict";
import { idOf, idsIn, rejectsWith, say, sayAll, twoSessions, view } from "../case-language.ts";
import type { ConformanceCase } from "../conformance-case.ts";

export const restoreCases: readonly ConformanceCase[] = [
  {
    title: "makes an archived session active again",
    needs: ["archive"],
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(say("a"));
      const before = await session.state();
      await session.archive();
      await session.restore();
      assert.deepEqual(await session.state(), before);
      assert.deepEqual(await idsIn(store, "archived"), []);
    },
  },
  {
    title: "brings a deleted session back",
    needs: ["archive"],
    run: async ({ store }) => {
      const session = store.session("s");
      await session.append(sayAll("a", "b"));
      const before = await session.state();
      await session.delete();
      await session.restore();
      assert.deepEqual(await session.state(), before);
      assert.deepEqual(await session.append(say("c")), { seq: 3 });
      assert.deepEqual(await idsIn(store, "trashed"), []);
    },
  },
  {
    title: "onto an active session is SESSION_EXISTS and changes nothing",
    needs: ["archive"],
    run: async ({ store }) => {
      const session = store.session("s");
      const [first, second] = await twoSessions(session);
      await rejectsWith("SESSION_EXISTS", session.restore());
      await rejectsWith("SESSION_EXISTS", session.restore({ id: first }));
      assert.equal(await idOf(session), second);
      assert.deepEqual(await idsIn(store, "trashed"), [first]);
    },
  },
  {
    title: "takes the archived before the deleted, or the one with the id",
    needs: ["archive"],
    run: async ({ store }) => {
      const session = store.session("s");
      const [first, second] = await twoSessions(session);
      await session.archive();
      await session.restore();
      assert.equal(await idOf(session), second);
      await session.archive();
      await session.restore({ id: first });
      assert.equal(await idOf(session), first);
      assert.deepEqual(await view(session), ["first"]);
      assert.deepEqual(await idsIn(store, "archived"), [second]);
    },
  },
  {
    title: "without anything to restore is SESSION_NOT_FOUND",
    needs: ["archive"],
    run: async ({ store }) => {
      const session = store.session("s");
      await rejectsWith("SESSION_NOT_FOUND", session.restore());
      await session.append(say("a"));
      await session.archive();
      await rejectsWith("SESSION_NOT_FOUND", session.restore({ id: "nobody" }));
      await rejectsWith("SESSION_NOT_FOUND", store.session("other").restore());
      assert.equal(await store.session("other").exists(), false);
    },
  },
];
