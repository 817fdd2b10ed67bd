import type { Message, Store } from "../../src/index.ts";

/**
 * A store begins its instance with the first call that may change something. This is such a call, and changes nothing: for tests
 * of what a running instance does.
 */
export async function withInstance<M extends Message>(store: Store<M>): Promise<Store<M>> {
  await store.purge({ dryRun: true });
  return store;
}
