import type { SessionInfo, Store } from "@longhand/store";

/** All of a key, newest activity first: the active one, and those put away. */
export async function sessionsOfKey(store: Store, key: string): Promise<SessionInfo[]> {
  const found: SessionInfo[] = [];
  for await (const session of store.list({ status: "any", prefix: key })) {
    if (session.key === key) found.push(session);
  }
  return found;
}
