/**
 * Forgetting: a scope's log is written anew without the entry, as its next generation, and the old one is removed for
 * good. One record, the mark behind the copy, decides which of the two counts; removeLitter (generations.ts) finishes what a
 * crash has cut short.
 */

import { join } from "node:path";
import type { Host } from "../host/host.ts";
import { namesIn } from "../host/names-in.ts";
import { removeIfThere } from "../host/small-files.ts";
import { fileNameOf } from "../format/key.ts";
import type { SessionRecord } from "../format/session-record.ts";
import type { Session } from "../contract/types.ts";
import { generationOf, markComplete, setGeneration, type MemoryStore } from "./generations.ts";
import { FORGOTTEN, readStoredEntry, type ForgottenNote, type MemoryMessage } from "./stored-entry.ts";
import type { Scope } from "./types.ts";

/** Of messages that are copied at a time. */
const BATCH = 256;

/** The caller has seen, in this generation, that the entry is in it. */
export interface Rewriting {
  readonly scope: Scope;
  readonly generation: number;
  /** The entry to leave out, and when. */
  readonly id: string;
  readonly at: string;
  /** Throws if something could not be read: called before the copy counts, and before it is made. */
  readonly check: () => Promise<void>;
}

/** Under the lock of the head, which the caller holds. */
export async function rewriteScope(
  store: MemoryStore,
  { scope, generation, id, at, check }: Rewriting,
  remove: (session: Session<MemoryMessage>) => Promise<void>,
): Promise<void> {
  const old = generationOf(store, scope, generation);
  const next = generationOf(store, scope, generation + 1);
  // What others append meanwhile waits in line, and finds that the session it was meant for is gone.
  const lock = await old.lock();
  try {
    await check();
    await next.delete({ forever: true });
    await copyWithout(old, next, id, at);
    await check().catch(async (error: unknown) => {
      await remove(next);
      throw error;
    });
    await markComplete(next);
    await setGeneration(store, scope, generation + 1);
    await remove(old);
  } finally {
    await lock[Symbol.asyncDispose]();
  }
}

/** For good, and with the damaged bytes that were kept aside of it in `damaged`: an entry could be read in them. */
export async function removeForGood(
  { files }: Host,
  damaged: string,
  session: Session<MemoryMessage>,
): Promise<void> {
  const id = (await session.state())?.id;
  await session.delete({ forever: true });
  const kept = (await namesIn(files, damaged)).filter(
    (name) => name.startsWith(fileNameOf(session.key)) || (id !== undefined && name.includes(id)),
  );
  for (const name of kept) await removeIfThere(files, join(damaged, name));
  if (kept.length > 0) await files.syncDirectory(damaged);
}

async function copyWithout(
  from: Session<MemoryMessage>,
  to: Session<MemoryMessage>,
  id: string,
  at: string,
): Promise<void> {
  let batch: MemoryMessage[] = [];
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await to.append(batch);
    batch = [];
  };
  for await (const record of from.records()) {
    const audit = auditOf(record, id, at);
    if (audit === undefined && record.op === undefined) {
      batch.push(record.message);
      if (batch.length >= BATCH) await flush();
      continue;
    }
    await flush();
    if (audit !== undefined) await to.note(FORGOTTEN, audit);
    else if (record.op === "note") await to.note(record.kind, record.data);
  }
  await flush();
}

/** What takes the place of the entry. */
function auditOf(record: SessionRecord<MemoryMessage>, id: string, at: string): ForgottenNote | undefined {
  const stored = record.op === undefined ? readStoredEntry(record.message.memory) : undefined;
  if (stored?.id !== id) return undefined;
  const { supersedes, progress } = stored;
  return progress === undefined ? { id, at, supersedes } : { id, at, supersedes, progress };
}
