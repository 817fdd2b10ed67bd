import type { DueSession } from "@longhand/store/memory";

/** Names a session and the scope it is consolidated into, as a key of a map. */
export function dueCode({ key, scope }: Pick<DueSession, "key" | "scope">): string {
  const { user, channel, agent } = scope;
  return JSON.stringify([key, user ?? null, channel ?? null, agent ?? null]);
}
