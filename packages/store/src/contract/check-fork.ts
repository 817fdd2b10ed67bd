/** What every backend says about a fork that cannot be, and in which order it looks. */

import { LonghandError } from "../errors.ts";
import { OR_ANOTHER_KEY, sessionExists } from "./session-exists.ts";

export interface Fork {
  readonly key: string;
  /** Where the parent is; 0: there is none. */
  readonly seq: number;
  readonly newKey: string;
  readonly isNewKeyTaken: boolean;
  readonly at: number | undefined;
}

/** The last record that the child begins with. */
export function checkFork({ key, seq, newKey, isNewKeyTaken, at = seq }: Fork): number {
  if (seq === 0) {
    const message = `there is no session ${JSON.stringify(key)} to fork`;
    throw new LonghandError("SESSION_NOT_FOUND", message, { key });
  }
  if (isNewKeyTaken) throw sessionExists(newKey, OR_ANOTHER_KEY);
  if (at <= seq) return at;
  throw new LonghandError(
    "OPTION_INVALID",
    `at of fork must be a seq of ${JSON.stringify(key)}, from 1 to ${seq} here, not ${at}`,
    { option: "at", value: at, key, least: 1, most: seq },
  );
}
