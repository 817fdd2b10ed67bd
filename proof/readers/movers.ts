/** What another process does to the sessions of a store while one reads it, and what may come of that for the reader. */

import type { Session, Store } from "@longhand/store";

export type Move = (store: Store) => Promise<unknown>;

export interface Mover {
  /** After the sessions of `scene.ts` were written. */
  readonly prepare: Move;
  /** Each is done by itself, and the reader comes in between. */
  readonly moves: readonly Move[];
  /** So many sessions may come to be. */
  readonly forks?: number;
  /** Records of session `a` may be dropped. */
  readonly drops?: true;
  /** Session `a` may be in the trash, where it is neither searched nor read by its key. */
  readonly trashes?: true;
  /** The key `a` may read another session than the one of the scene. */
  readonly exchanges?: true;
  /** Session `a` may be gone for good. */
  readonly removes?: true;
}

const a = (store: Store): Session => store.session("a");
const archive: Move = async (store) => await a(store).archive();
const restore: Move = async (store) => await a(store).restore();
const remove: Move = async (store) => await a(store).delete();
const nothing: Move = async () => await Promise.resolve();

/** Brings back the session of `a` that is not the newest. */
const restoreOlder: Move = async (store) => {
  let older: string | undefined;
  for await (const { key, id } of store.list({ status: "archived", order: "created" }))
    if (key === "a") older = id;
  if (older !== undefined) await a(store).restore({ id: older });
};

/** The session of the scene is the newer one of two; both are archived. */
const withOlder: Move = async (store) => {
  const newer = (await a(store).state())?.id;
  await remove(store);
  await a(store).append({ role: "user", content: "other" });
  await archive(store);
  await a(store).restore({ id: newer ?? "" });
  await a(store).setTitle("newer");
  await archive(store);
};

export const MOVERS: Readonly<Record<string, Mover>> = {
  "archive and restore": { prepare: nothing, moves: [archive, restore, archive, restore] },
  "restore and archive": { prepare: archive, moves: [restore, archive, restore] },
  "write to an archived one": {
    prepare: archive,
    moves: [async (store) => await a(store).setTitle("back"), archive],
  },
  "delete and restore": { prepare: nothing, moves: [remove, restore, remove, restore], trashes: true },
  "restore and delete": { prepare: remove, moves: [restore, remove, restore], trashes: true },
  "delete an archived one": { prepare: archive, moves: [remove, restore], trashes: true },
  "newer of two": { prepare: withOlder, moves: [restore, archive, restore, archive] },
  "two of one key": {
    prepare: withOlder,
    moves: [restore, archive, restoreOlder, archive, restore],
    exchanges: true,
  },
  fork: {
    prepare: nothing,
    moves: [async (store) => await a(store).fork("c"), async (store) => await a(store).fork("d", { at: 3 })],
    forks: 2,
  },
  seal: {
    prepare: nothing,
    moves: [
      async (store) => await store.reclaim({ seal: true }),
      async (store) => await a(store).setTitle("sealed"),
      async (store) => await store.reclaim({ seal: true }),
    ],
  },
  compress: { prepare: nothing, moves: [async (store) => await store.reclaim()] },
  drop: {
    prepare: nothing,
    moves: [
      async (store) => await store.reclaim({ keys: ["a"], drop: { before: 6 } }),
      async (store) => await store.reclaim({ keys: ["a"], seal: true, drop: { before: 11 } }),
    ],
    drops: true,
  },
  "delete for good": {
    prepare: nothing,
    moves: [remove, async (store) => await store.purge()],
    trashes: true,
    removes: true,
  },
};
