/**
 * Acknowledged records that did not fit their session's file are kept aside until a repair puts them back (docs/repair.md). A
 * command that shows sessions says so: what it shows may lack them.
 */

import type { Damage, Store, VerifyReport } from "@longhand/store";
import { escapeKey } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { type StoreSurroundings, warner } from "./with-store.ts";

/** Paths by session id. */
export type KeptFiles = ReadonlyMap<string, readonly string[]>;

export interface SettledFile {
  readonly file: string;
  readonly key: string;
}

const SHOWN = 5;

/** By the names of the files: no session is read. */
export async function findKeptFiles(given: StoreSurroundings): Promise<KeptFiles> {
  const { findKeptAside, isLonghandError } = await import("@longhand/store");
  try {
    const found = await findKeptAside(given.places.sessions.path);
    return new Map(found.map(({ sessionId, files }) => [sessionId, files]));
  } catch (error) {
    if (!isLonghandError(error)) throw error;
    // The sessions themselves can still be shown.
    const remedy = given.toPaste("doctor");
    warner(given)(error.code, `${error.message}; what to do: ${remedy}`, { remedy });
    return new Map();
  }
}

/** For commands on all sessions. They do not read what is kept, so they do not know whether a session lacks it. */
export async function tellKeptFiles(
  store: Store,
  kept: KeptFiles,
  given: StoreSurroundings & { markFailed(): void },
): Promise<void> {
  if (kept.size === 0) return;
  given.markFailed();
  const keys = await keysOf(store, kept);
  const warn = warner(given);
  const { toPaste } = given;
  for (const [id, files] of [...kept].slice(0, SHOWN)) {
    const key = keys.get(id);
    const [whose, question] =
      key === undefined
        ? [`a session that is not listed (id ${id})`, "what they are"]
        : [escapeKey(key), "whether it lacks them"];
    const remedy = toPaste("verify", key);
    const message = `records of ${whose} that did not fit its file are kept aside (${countOf(files.length, "file")}); ${question}, and what to do: ${remedy}`;
    warn("RECORDS_KEPT", message, { ...(key === undefined ? {} : { key }), id, files, remedy });
  }
  const more = kept.size - SHOWN;
  if (more > 0) {
    const remedy = toPaste("verify");
    const message = `records of ${countOf(more, "more session")} are kept aside; which, and what to do: ${remedy}`;
    warn("RECORDS_KEPT", message, { remedy });
  }
}

async function keysOf(store: Store, kept: KeptFiles): Promise<ReadonlyMap<string, string>> {
  const keys = new Map<string, string>();
  if (kept.size === 0) return keys;
  for await (const { id, key } of store.list({ status: "any" })) if (kept.has(id)) keys.set(id, key);
  return keys;
}

/** Kept files that a report is silent about, since their sessions have what they hold. `keys`: only of these. */
export async function findSettledFiles(
  store: Store,
  { damage }: Pick<VerifyReport, "damage">,
  given: StoreSurroundings,
  keys?: readonly string[],
): Promise<readonly SettledFile[]> {
  const kept = await findKeptFiles(given);
  const reported = new Set(damage.map(({ file }) => file));
  return [...(await keysOf(store, kept))]
    .filter(([, key]) => keys?.includes(key) ?? true)
    .flatMap(([id, key]) => (kept.get(id) ?? []).map((file) => ({ file, key })))
    .filter(({ file }) => !reported.has(file));
}

/** Of one session, which is read through if there is anything: what it lacks, exactly. */
export async function findLacking(
  { key, id }: { readonly key: string; readonly id: string },
  given: StoreSurroundings,
): Promise<readonly Damage[]> {
  const files = (await findKeptFiles(given)).get(id);
  if (files === undefined) return [];
  const { openStore } = await import("@longhand/store");
  const quiet = { onDamage: () => undefined, onError: () => undefined, onForeign: () => undefined };
  const store = await openStore(given.places.sessions.path, { readOnly: true, ...quiet });
  try {
    const { damage } = await store.verify({ keys: [key] });
    return damage.filter(({ file }) => files.includes(file));
  } finally {
    await store.close();
  }
}
