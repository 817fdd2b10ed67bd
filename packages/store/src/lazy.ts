/**
 * Modules that most programs never use: each is loaded by its first use. A simulator loads all of them before it starts, since
 * simulated processes may wait for nothing but their host.
 */

const loaders = new Set<() => Promise<unknown>>();

/** Loads once; a load that failed is tried again by the next call. */
export function lazy<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  const loadOnce = async (): Promise<T> => {
    loaded ??= load();
    try {
      return await loaded;
    } catch (error) {
      loaded = undefined;
      throw error;
    }
  };
  loaders.add(loadOnce);
  return loadOnce;
}

/** Loads every lazy module, and those that the loaded ones declare. */
export async function loadLazyModules(): Promise<void> {
  for (const load of loaders) await load();
}
