import { expect } from "vitest";
import type { Store } from "../../src/index.ts";
import { rejectsWith } from "../../src/testing/case-language.ts";
import { contentsOf, user } from "./conversation.ts";
import { openCollecting } from "./open-collecting.ts";

/** One after another or at once, through either path: one order, no seq twice. */
export async function areOneStore(directory: string, one: Store, other: Store): Promise<void> {
  const held = await one.session("a").lock();
  await rejectsWith("SESSION_LOCKED", other.session("a").lock({ wait: 100 }));
  await held[Symbol.asyncDispose]();
  const writes = Array.from({ length: 20 }, async (_, index) => {
    const store = index % 2 === 0 ? one : other;
    return (await store.session("a").append(user(String(index)))).seq;
  });
  const seqs = (await Promise.all(writes)).sort((first, second) => first - second);
  expect(seqs).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  await one.close();
  await other.close();
  const { store, damage } = await openCollecting(directory);
  expect((await contentsOf(store.session("a"))).map(Number).sort((first, second) => first - second)).toEqual(
    Array.from({ length: 20 }, (_, index) => index),
  );
  expect((await store.verify()).damage).toEqual([]);
  expect(damage).toEqual([]);
  await store.close();
}
