/** Keeps other writers out of a session for as long as a command needs, and says so when that takes its time. */

import type { Session } from "@longhand/store";
import { escapeKey } from "../terminal/escape-controls.ts";
import type { StoreSurroundings } from "./with-store.ts";

const MILLISECONDS_UNTOLD = 1000;

/** Waits in line for `wait` seconds; then SESSION_LOCKED, which names the owner. */
export async function withLock<T>(
  session: Session,
  wait: number,
  { output, json }: Pick<StoreSurroundings, "output" | "json">,
  use: () => Promise<T>,
): Promise<T> {
  const timer = setTimeout(() => {
    if (!json)
      output.writeError(`longhand: waiting for another process to let go of ${escapeKey(session.key)} …\n`);
  }, MILLISECONDS_UNTOLD);
  let lock: AsyncDisposable;
  try {
    lock = await session.lock({ wait: wait * 1000 });
  } finally {
    clearTimeout(timer);
  }
  try {
    return await use();
  } finally {
    await lock[Symbol.asyncDispose]();
  }
}
