/**
 * A store with many mutated files, read once, and for a share written to and repaired. Only typed errors, a bounded number
 * of calls, no room made for what is not there. Where no checksum was forged, nothing is invented and nothing altered; what
 * was not mutated is read as it was written.
 */

import { jsonlBackend, LonghandError, openStore, type SessionRecord, type Store } from "@longhand/store";
import type { Capture, Host } from "@longhand/store/testing";
import { judgeSeen } from "../damage/judge-seen.ts";
import type { OriginalSessions } from "../damage/original-sessions.ts";
import { attempt, readEverything, untyped, type SeenStore } from "../damage/read-everything.ts";
import { DIRECTORY, message } from "../damage/sample-store.ts";
import { putFile } from "../damage/simulated-files.ts";
import { guardHost } from "./guarded-host.ts";
import type { MutatedFile } from "./mutate-file.ts";

export interface FuzzedStore {
  readonly capture: Capture;
  readonly files: readonly MutatedFile[];
  readonly originals: OriginalSessions;
  readonly idOf: ReadonlyMap<string, string>;
  /** Checksums fit what was changed: only the structure can be judged. */
  readonly isForged: boolean;
  /** Opened for writing, which also migrates what other programs left. */
  readonly isWritten: boolean;
  /** Read one by one, beside the listing, the search and the verification of all. */
  readonly keys: readonly string[];
}

/** A store of these sizes takes a tenth of it. */
const CALLS_FOR_EACH_FILE = 3_000;
const ROOM_BYTES = 1024 * 1024;

/** `undefined`: nothing is wrong. `spoil`: what is wrong with the reader, for controls. */
export async function judgeFuzzed(
  fuzzed: FuzzedStore,
  spoil: (host: Host) => Host = (host) => host,
): Promise<string | undefined> {
  const machine = fuzzed.capture.afterKill();
  const disk = machine.startProcess();
  for (const { path, bytes } of fuzzed.files) await putFile(disk, path, bytes);
  const limits = {
    calls: CALLS_FOR_EACH_FILE * (10 + fuzzed.files.length),
    bytes: ROOM_BYTES,
    directory: DIRECTORY,
  };
  const guarded = guardHost(machine.startProcess(), limits);
  const host = spoil(guarded.host);
  const wrong = fuzzed.isWritten ? await judgeWritten(host, fuzzed) : await judgeRead(host, fuzzed);
  guarded.check();
  return wrong;
}

async function open(host: Host, readOnly: boolean): Promise<Store | LonghandError> {
  const silent = { onDamage: () => undefined, onError: () => undefined, onForeign: () => undefined };
  const options = { readOnly, migrate: !readOnly, ...silent };
  return await openStore(jsonlBackend(DIRECTORY, { host, lockWait: 50 }), options).catch((error: unknown) => {
    if (error instanceof LonghandError) return error;
    throw untyped("opening", error);
  });
}

async function judgeRead(host: Host, fuzzed: FuzzedStore): Promise<string | undefined> {
  const store = await open(host, true);
  if (store instanceof LonghandError) return `it cannot be opened: ${store.message}`;
  const seen = await readEverything(store, fuzzed.keys, true);
  await store.close();
  return fuzzed.isForged ? judgeStructure(seen) : judgeSeen(seen, expectationOf(fuzzed));
}

function expectationOf({ originals, files, idOf }: FuzzedStore): Parameters<typeof judgeSeen>[1] {
  return { originals, idOf, touched: new Set(files.flatMap(({ owners }) => [...owners])), isShuffled: true };
}

/** A writer may refuse a damaged session or a journal of a newer version; what it takes is read back. */
async function judgeWritten(host: Host, fuzzed: FuzzedStore): Promise<string | undefined> {
  const store = await open(host, false);
  if (store instanceof LonghandError) return undefined;
  const failures: LonghandError[] = [];
  const words = "after the fuzz";
  for (const key of fuzzed.keys) {
    let wrong: string | undefined;
    await attempt(failures, `append to ${key}`, async () => {
      const { seq } = await store.session(key).append(message(words));
      // From the end: where somebody has moved a whole line of the tail to before a checkpoint, its seq is there twice.
      const found: SessionRecord[] = [];
      for await (const record of store.session(key).records({ last: 1 })) found.push(record);
      if (!found.some((record) => record.seq === seq && JSON.stringify(record).includes(words))) {
        wrong = `${key}: what was appended as seq ${seq} is not read back: ${JSON.stringify(found).slice(0, 300)}`;
      }
    });
    if (wrong !== undefined) return wrong;
  }
  await attempt(failures, "repair", async () => {
    await store.repair();
  });
  await attempt(failures, "close", async () => await store.close());
  return await judgeAgain(host, fuzzed, words);
}

/** What the writer has added is known by its words, and taken out before the rest is compared. */
async function judgeAgain(host: Host, fuzzed: FuzzedStore, words: string): Promise<string | undefined> {
  const store = await open(host, true);
  if (store instanceof LonghandError) return fuzzed.isForged ? undefined : store.message;
  const seen = await readEverything(store, fuzzed.keys, true);
  await store.close();
  if (fuzzed.isForged) return judgeStructure(seen);
  const isTheirs = (value: unknown): boolean => JSON.stringify(value).includes(words);
  const sessions = new Map(
    [...seen.sessions].map(([key, session]) => [
      key,
      { ...session, otherwise: undefined, records: session.records.filter((record) => !isTheirs(record)) },
    ]),
  );
  const hits = seen.hits.filter((hit) => !isTheirs(hit));
  const isNew = new Set(fuzzed.keys);
  // A session that its key no longer leads to may have been begun anew.
  const infos = seen.infos.filter(({ id, key }) => fuzzed.originals.has(id) || !isNew.has(key));
  const wrong = judgeSeen(
    { ...seen, infos, hits, sessions: withoutNew(sessions, fuzzed) },
    expectationOf(fuzzed),
  );
  return wrong === undefined ? undefined : `after a writer and a repair: ${wrong}`;
}

function withoutNew(sessions: SeenStore["sessions"], { originals }: FuzzedStore): SeenStore["sessions"] {
  return new Map([...sessions].filter(([, { info }]) => info === undefined || originals.has(info.id)));
}

/** Whatever the files say: seqs go up. */
function judgeStructure({ sessions }: SeenStore): string | undefined {
  for (const [key, { records, failure }] of sessions) {
    const isRising = records.every(({ seq }, index) => seq > (records[index - 1]?.seq ?? 0));
    if (failure === undefined && !isRising) return `${key}: seqs ${records.map(({ seq }) => seq).join()}`;
  }
  return undefined;
}
