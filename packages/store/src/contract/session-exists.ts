import { LonghandError } from "../errors.ts";

/** For whoever would give the key a second active session. `otherwise`: what else he can do. */
export function sessionExists(key: string, otherwise = ""): LonghandError {
  const message = `${JSON.stringify(key)} has an active session; archive or delete that one first${otherwise}`;
  return new LonghandError("SESSION_EXISTS", message, { key });
}

/** For a fork. */
export const OR_ANOTHER_KEY = ", or choose another key";
