import type { Awaitable } from "./host.ts";

/** The answer of a host call as a promise, also if it fails at once: for callers that treat its failure by `catch`. */
export async function promised<T>(call: () => Awaitable<T>): Promise<T> {
  return await call();
}
