/** What was said in conversations that the memory has not taken in: the present one above all. */

import type { Store } from "@longhand/store";
import type { Recollection } from "@longhand/store/memory";
import type { ToolContext } from "./tool.ts";

export interface SearchedConversations {
  readonly store: Store;
  /** Whose conversations a call may look into is for the program to say: one person's must never reach another. */
  readonly keysOf: (context: ToolContext) => Promise<readonly string[]>;
}

type Said = Extract<Recollection, { from: "session" }>;

/** What people and the agent have said, before the question that is being answered. */
export async function recallConversations(
  conversations: SearchedConversations | undefined,
  query: string,
  limit: number,
  context: ToolContext,
): Promise<readonly Said[]> {
  if (conversations === undefined) return [];
  const { store, keysOf } = conversations;
  const keys = await keysOf(context);
  if (keys.length === 0) return [];
  const asked = await seqOfQuestion(store, context.key);
  const hits = await store.search(query, { keys, limit: limit * 4 });
  return hits
    .filter(({ key, seq }) => key !== context.key || seq < asked)
    .filter(
      ({ message }) => message.role === "user" || (message.role === "assistant" && message.content !== ""),
    )
    .slice(0, limit)
    .map(({ key, seq, snippet, score }) => ({ from: "session", key, seq, snippet, score }));
}

/** Of the newest message of the user in view; 0: there is none. */
export async function seqOfQuestion(store: Store, key: string): Promise<number> {
  for await (const record of store.session(key).records({ live: true, reverse: true })) {
    if (record.op === undefined && record.message.role === "user") return record.seq;
  }
  return 0;
}
