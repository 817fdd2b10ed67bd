/** The order and the pages of a listing. Pure: the caller brings the sessions. */

import type { SessionInfo } from "../format/session-record.ts";

export interface Listing {
  readonly status: SessionInfo["status"] | "any";
  readonly order: "updated" | "created" | "key";
  readonly prefix: string;
  readonly limit: number;
  readonly after: string | undefined;
}

export function arrange(sessions: readonly SessionInfo[], listing: Listing): readonly SessionInfo[] {
  const chosen = sessions
    .filter(({ status }) => listing.status === "any" || status === listing.status)
    .filter(({ key }) => key.startsWith(listing.prefix))
    .sort(COMPARE[listing.order]);
  return chosen.slice(startOf(chosen, listing.after)).slice(0, listing.limit);
}

const byKey = (a: SessionInfo, b: SessionInfo): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
const newestFirst =
  (field: "updated" | "created") =>
  (a: SessionInfo, b: SessionInfo): number =>
    a[field] > b[field] ? -1 : a[field] < b[field] ? 1 : byKey(a, b);

const COMPARE: Readonly<Record<Listing["order"], (a: SessionInfo, b: SessionInfo) => number>> = {
  updated: newestFirst("updated"),
  created: newestFirst("created"),
  key: byKey,
};

/**
 * After a key that has several sessions comes what is behind all of them; its id tells one of them apart. What is not
 * there ends the listing: nobody can say what came after it.
 */
function startOf(sessions: readonly SessionInfo[], after: string | undefined): number {
  if (after === undefined) return 0;
  const byId = sessions.findIndex(({ id }) => id === after);
  const index = byId === -1 ? sessions.findLastIndex(({ key }) => key === after) : byId;
  return index === -1 ? sessions.length : index + 1;
}
