/** Looks at what a store holds, and who writes to it, for `longhand doctor`. */

import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Damage, SessionInfo } from "@longhand/store";
import { describeOwner } from "./open-when-free.ts";
import { unreadableByDamage, unreadableByError, type UnreadableSession } from "./unreadable-session.ts";

export interface ContentFacts {
  /** Active ones that can be read. */
  readonly sessions: number;
  readonly archived: number;
  readonly trashed: number;
  /** Of the active sessions. */
  readonly messages: number;
  readonly messagesInView: number;
  /** Of all of them. */
  readonly bytes: number;
  readonly damage: readonly Damage[];
  readonly unreadable: readonly UnreadableSession[];
  /** What else failed, in the store's own words. */
  readonly failures: readonly string[];
}

export interface WriterFacts {
  /** "untried": there is no store yet that could be opened. */
  readonly state: "free" | "held" | "failed" | "untried";
  readonly owner?: string;
  readonly reason?: string;
}

/** Reads every record, so that all damage is met. Takes no lock. */
export async function examineContent(
  directory: string,
  report: (key: string, sessions: number) => void,
): Promise<ContentFacts> {
  const { isLonghandError, openStore } = await import("@longhand/store");
  const damage = new Map<string, Damage>();
  const unreadable = new Map<string, UnreadableSession>();
  const failures = new Set<string>();
  const count = { active: 0, archived: 0, trashed: 0 } satisfies Record<SessionInfo["status"], number>;
  let [messages, messagesInView, bytes] = [0, 0, 0];
  const orFailure = async (attempt: () => Promise<void>): Promise<void> => {
    try {
      await attempt();
    } catch (error) {
      // Whatever it is, it is a finding: the doctor is asked just when things are not as foreseen.
      if (isLonghandError(error)) onError(error);
      else failures.add(String(error));
    }
  };
  const onError = (error: Parameters<typeof unreadableByError>[0]): void => {
    const session = unreadableByError(error);
    if (session === undefined) failures.add(error.message);
    else unreadable.set(session.file, session);
  };
  const onDamage = (found: Damage): void => {
    const session = unreadableByDamage(found);
    if (session === undefined) damage.set(`${found.file}\0${found.offset}`, found);
    else unreadable.set(session.file, session);
  };
  await orFailure(async () => {
    const store = await openStore(directory, { readOnly: true, onDamage, onError });
    try {
      for await (const info of store.list({ status: "any" })) {
        bytes += info.bytes;
        count[info.status]++;
        if (info.status !== "active") continue;
        report(info.key, count.active);
        messagesInView += info.count;
        await orFailure(async () => {
          // Up to where it was listed: so both numbers are of one moment, also while somebody writes.
          const records = store.session(info.key).records({ to: info.seq });
          for await (const record of records) if (record.op === undefined) messages++;
        });
      }
    } finally {
      await store.close();
    }
  });
  return {
    sessions: count.active,
    archived: count.archived,
    trashed: count.trashed,
    messages,
    messagesInView,
    bytes,
    damage: [...damage.values()],
    unreadable: [...unreadable.values()],
    failures: [...failures],
  };
}

/**
 * By trying: opens for writing and closes at once. Never makes a store out of a directory that is none. Where a writer
 * was killed this recovers what it left: what that finds damaged is told, since nobody will meet it again.
 */
export async function examineWriter(
  directory: string,
  onDamage: (damage: Damage) => void,
): Promise<WriterFacts> {
  const { isLonghandError, openStore } = await import("@longhand/store");
  try {
    await stat(join(directory, ".longhand"));
  } catch {
    return { state: "untried" };
  }
  try {
    const failures: string[] = [];
    const store = await openStore(directory, { onDamage, onError: ({ message }) => failures.push(message) });
    await store.close();
    const [reason] = failures;
    return reason === undefined ? { state: "free" } : { state: "failed", reason };
  } catch (error) {
    if (!isLonghandError(error)) return { state: "failed", reason: String(error) };
    if (error.code !== "SESSION_LOCKED") return { state: "failed", reason: error.message };
    const owner = describeOwner(error.detail);
    return { state: "held", ...(owner === undefined ? {} : { owner }) };
  }
}
