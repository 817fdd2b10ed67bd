/**
 * Who goes on with a store that has a spoiled file: a writer, who appends to every session and reads it back, or a repair.
 * Whatever they do, what is read afterwards is what was written, and theirs.
 */

import { LonghandError, type Damage, type Store } from "@longhand/store";
import type { Host } from "@longhand/store/testing";
import { judgeSeen } from "../damage/judge-seen.ts";
import { attempt, readSession, untyped } from "../damage/read-everything.ts";
import { message } from "../damage/sample-store.ts";
import { machineWith } from "../damage/simulated-files.ts";
import { expectationOf, openCollecting, readBy, type Spoiled } from "./read-spoiled.ts";

export interface Successor {
  readonly who: "a writer" | "a repair";
  /** The seqs of damaged records are never given again. */
  readonly keepsSeqs: boolean;
  /** After a repair nothing is left to tell; otherwise it may have named what it left. */
  readonly mendsAll: boolean;
}

const WORDS = "after the damage";
/** The second where it is the number of the format that was hit. */
const REFUSALS: ReadonlySet<string> = new Set(["SESSION_DAMAGED", "FORMAT_TOO_NEW"]);

/** `undefined`: nothing is wrong. */
export async function judgeWriting(spoiled: Spoiled, successor: Successor): Promise<string | undefined> {
  const { store, file, bytes } = spoiled;
  const host = (await machineWith(store.capture, file.path, bytes)).startProcess();
  const damage: Damage[] = [];
  const writer = await openCollecting(host, damage, false).catch((error: unknown) => {
    if (error instanceof LonghandError) return error;
    throw untyped("opening for writing", error);
  });
  if (writer instanceof LonghandError) return `it cannot be opened for writing: ${writer.message}`;
  const wrong =
    successor.who === "a writer"
      ? await judgeAppends(writer, spoiled, successor.keepsSeqs)
      : await judgeRepair(writer, successor.mendsAll);
  await writer.close();
  return wrong ?? (await judgeAfter(host, spoiled));
}

async function judgeAppends(
  writer: Store,
  spoiled: Spoiled,
  keepsSeqs: boolean,
): Promise<string | undefined> {
  const { store, file } = spoiled;
  for (const [key, id] of store.idOf) {
    const isTouched = file.owners.has(id) || file.owners.has(key);
    const { failure, seq } = await appendTo(writer, key, isTouched);
    if (failure !== undefined) {
      if (isTouched && mayRefuse(spoiled) && REFUSALS.has(failure.code)) continue;
      return `${key} takes no append: ${failure.message}`;
    }
    const before = store.originals.get(id)?.seq ?? 0;
    if (keepsSeqs && seq <= before) return `${key}: seq ${seq} is given again; ${before} was given before`;
    const last = (await readSession(writer, key, undefined)).records.at(-1);
    if (last?.seq !== seq || !isTheirs(last)) {
      return `${key}: what was appended as seq ${seq} is not read back: ${JSON.stringify(last)}`;
    }
  }
  return undefined;
}

/** Records that were kept aside are waited for: a repair puts them back, and then the session takes an append. */
async function appendTo(
  writer: Store,
  key: string,
  mayHaveKept: boolean,
): Promise<{ readonly seq: number; readonly failure: LonghandError | undefined }> {
  const failures: LonghandError[] = [];
  let seq = 0;
  const append = async (): Promise<void> => {
    ({ seq } = await writer.session(key).append(message(WORDS)));
  };
  await attempt(failures, `append to ${key}`, append);
  if (mayHaveKept && failures[0]?.code === "SESSION_CHANGED") {
    failures.length = 0;
    await attempt(failures, `repair of ${key}`, async () => {
      await writer.repair();
    });
    await attempt(failures, `append to ${key} after a repair`, append);
  }
  return { seq, failure: failures[0] };
}

/** Whose file it is can no longer be told: to write to it could mix up two sessions. */
function mayRefuse({ file, bytes }: Spoiled): boolean {
  if (file.path.includes("/aliases/")) return true;
  if (file.path.includes("/segments/") || !file.path.endsWith(".jsonl")) return false;
  const header = file.bytes.subarray(0, file.bytes.indexOf("\n"));
  const newline = bytes[header.length];
  const isGlued = newline !== undefined && newline !== 0x0a;
  return isGlued || !bytes.subarray(0, header.length).equals(header);
}

async function judgeRepair(writer: Store, mendsAll: boolean): Promise<string | undefined> {
  const failures: LonghandError[] = [];
  let left: string | undefined;
  await attempt(failures, "repair", async () => {
    const named = new Set((await writer.repair()).damage.map(({ file }) => file));
    const { damage } = await writer.verify();
    const unmended = damage.find(({ file }) => mendsAll || !named.has(file));
    if (unmended !== undefined) left = `${unmended.file}: ${unmended.reason}`;
  });
  if (failures[0] !== undefined) return `it fails: ${failures[0].message}`;
  return left === undefined ? undefined : `it leaves ${left}`;
}

/** What was appended meanwhile is taken out before the rest is compared with the originals. */
async function judgeAfter(host: Host, { store, file }: Spoiled): Promise<string | undefined> {
  const { seen } = await readBy(host, store, false);
  const sessions = new Map(
    [...seen.sessions].map(([key, session]) => {
      const records = session.records.filter((record) => !isTheirs(record));
      return [key, { ...session, records, otherwise: undefined }];
    }),
  );
  const wrong = judgeSeen({ ...seen, sessions }, expectationOf({ store, file }));
  return wrong === undefined ? undefined : `afterwards ${wrong}`;
}

function isTheirs(record: unknown): boolean {
  return JSON.stringify(record).includes(WORDS);
}
