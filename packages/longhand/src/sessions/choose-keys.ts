/** The keys of the sessions that a command is to look at; none given means all. */

import type { Store } from "@longhand/store";
import { ANY_STATUS, type ChoiceOptions, chooseSession } from "./choose-session.ts";

/** As the store takes it: without `keys` it is everything in the store. */
export async function chooseKeys(
  store: Store,
  wanted: readonly string[],
  options: Omit<ChoiceOptions, "among">,
): Promise<{ readonly keys?: readonly string[] }> {
  if (wanted.length === 0) return {};
  const keys = new Set<string>();
  for (const each of wanted)
    keys.add((await chooseSession(store, each, { ...options, among: ANY_STATUS })).key);
  return { keys: [...keys] };
}
