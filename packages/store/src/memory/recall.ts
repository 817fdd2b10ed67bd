/** Finds what was remembered or said, for one scope: never more than its agent could be told, and always with its place. */

import { matchMessage, parseQuery } from "../index/search.ts";
import { checkOptions, count, oneOf, ANYTHING, checkValue, text } from "../store/check-options.ts";
import type { SearchHit, Store } from "../contract/types.ts";
import type { MemoryLog, ScopeView } from "./memory-log.ts";
import { visibleScopes } from "./scope.ts";
import type { RecallOptions, Recollection } from "./types.ts";

const USUAL_LIMIT = 10;

export async function recall(
  log: MemoryLog,
  sessions: Pick<Store, "search" | "session">,
  query: string,
  options: RecallOptions,
): Promise<readonly Recollection[]> {
  checkValue("recall", "query", query, text);
  checkOptions("recall", options, { scope: ANYTHING, limit: count, in: oneOf("memory", "sessions", "all") });
  const { limit = USUAL_LIMIT, in: where = "all" } = options;
  const views = await Promise.all(visibleScopes(options.scope).map(async (scope) => await log.read(scope)));
  const found: Recollection[] = [];
  if (where !== "sessions") {
    const words = parseQuery(query);
    for (const entry of views.flatMap(({ entries }) => entries)) {
      if (entry.status !== "current") continue;
      const match = matchMessage(words, { role: "system", content: entry.text });
      if (match !== undefined) found.push({ from: "memory", entry, ...match });
    }
  }
  if (where !== "memory" && limit > 0) {
    for (const { key, seq, snippet, score } of await searchSessions(sessions, query, views, limit))
      found.push({ from: "session", key, seq, snippet, score });
  }
  return found.sort((one, other) => other.score - one.score).slice(0, limit);
}

/**
 * Only what was consolidated into a scope that is visible: another user's conversations are not, nor is one that somebody has
 * begun anew under the same key.
 */
async function searchSessions(
  sessions: Pick<Store, "search" | "session">,
  query: string,
  views: readonly ScopeView[],
  limit: number,
): Promise<readonly SearchHit[]> {
  const ids = new Set(views.flatMap((view) => view.sessions.map(({ id }) => id)));
  const keys = new Set(views.flatMap((view) => view.sessions.map(({ key }) => key)));
  const known: string[] = [];
  for (const key of keys) {
    const state = await sessions.session(key).state();
    if (state !== undefined && ids.has(state.id)) known.push(key);
  }
  return known.length === 0 ? [] : await sessions.search(query, { keys: known, limit });
}
