/** Commands that are printed to be pasted. They repeat where to look: without it they would act on another store. */

import { keyInCommand, shellQuote } from "./shell-quote.ts";

/** `toPaste("undo --to 6", key)` is `longhand undo --to 6 --sessions ./mine KEY`. */
export type ToPaste = (words: string, key?: string) => string;

interface GivenPlaces {
  readonly home?: string;
  readonly workspace?: string;
  readonly sessions?: string;
  readonly memory?: string;
}

const PLACES = ["home", "workspace", "sessions", "memory"] as const;

export function commandToPaste(given: GivenPlaces): ToPaste {
  const places = PLACES.flatMap((name) => {
    const path = given[name];
    return path === undefined ? [] : [`--${name} ${shellQuote(path)}`];
  });
  return (words, key) =>
    ["longhand", words, ...places, ...(key === undefined ? [] : [keyInCommand(key)])].join(" ");
}
