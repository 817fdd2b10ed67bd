/** Decides a write again if another process has written between the decision and the write. */

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
