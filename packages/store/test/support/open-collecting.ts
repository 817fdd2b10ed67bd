import {
  openStore,
  type Backend,
  type Damage,
  type LonghandError,
  type Store,
  type StoreOptions,
} from "../../src/index.ts";

export interface CollectingStore {
  readonly store: Store;
  readonly damage: readonly Damage[];
  readonly errors: readonly LonghandError[];
}

/** A store with everything that it reports. */
export async function openCollecting(
  where: string | Backend,
  options: StoreOptions = {},
): Promise<CollectingStore> {
  const damage: Damage[] = [];
  const errors: LonghandError[] = [];
  const store = await openStore(where, {
    ...options,
    onDamage: (found) => damage.push(found),
    onError: (error) => errors.push(error),
  });
  return { store, damage, errors };
}
