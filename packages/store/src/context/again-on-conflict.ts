/** A write that was decided on what is there is decided anew if somebody else has written in the moment between. */

import { isLonghandError } from "../errors.ts";

const MAX_TRIES = 100;

/** `attempt` looks, decides, and writes with `expectedSeq`. Rejects with the last conflict where others never pause. */
export async function againOnConflict<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tries === MAX_TRIES || !isLonghandError(error, "SEQ_CONFLICT")) throw error;
    }
  }
}
