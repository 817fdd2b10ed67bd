/**
 * A sync of the journal fails once (of its first block, of a later one, of the head of its next generation), or one of the
 * session's file. A later sync that succeeds proves nothing, since the kernel may have dropped the pages. The writer goes
 * on, then another process opens the store and goes on; the power fails after each change of the disk from the failure on.
 * What was acknowledged is there.
 */

import { jsonlBackend, openStore, type Store } from "@longhand/store";
import {
  failingHost,
  SimulatedMachine,
  type Capture,
  type FaultPlan,
  type Host,
} from "@longhand/store/testing";
import { Violation } from "../part.ts";
import { DIRECTORY, openQuietly, ToldWrites } from "./told-writes.ts";

/** The larger holds all that is written here; the smaller begins a generation again and again. */
const JOURNAL_BYTES = [100_000, 500];
const WRITES = ["one", "two", "three", "four", "five"];
const LATER = ["six", "seven", "eight"];
const STATES = 4;

/** By the paths under which they are opened: a session's file has its temporary name when it is made. */
const FILES: Readonly<Record<SyncedFile, RegExp>> = {
  journal: /\.journal$/,
  session: /\.jsonl$|\/\.longhand\/new\//,
};

type SyncedFile = "journal" | "session";

/** `spoil`: what is wrong with the writer's host. Answers with how many moments there were. */
export async function searchFailedSyncs(
  file: SyncedFile,
  spoil: (host: Host) => Host = (host) => host,
): Promise<number> {
  const judged = new Set<string>();
  let moments = 0;
  for (const journalBytes of JOURNAL_BYTES) {
    for (let number = 1; ; number++) {
      const fault = new FailingSync(number, FILES[file]);
      const met = await failSync(fault, journalBytes, spoil);
      if (met === undefined) break;
      const story = `Sync ${number} of the ${file} failed once (a journal of ${journalBytes} bytes)`;
      for (const moment of met) await judge(moment, story, judged);
      moments += met.length;
    }
  }
  return moments;
}

interface Moment {
  readonly capture: Capture;
  readonly told: ToldWrites;
  readonly after: string;
}

/** Every change of the disk from the failure on. `undefined`: there are not so many syncs. */
async function failSync(
  fault: FailingSync,
  journalBytes: number,
  spoil: (host: Host) => Host,
): Promise<readonly Moment[] | undefined> {
  const machine = new SimulatedMachine(1);
  const host = spoil(failingHost(machine.startProcess(), fault.plan));
  const store = await openStore(jsonlBackend(DIRECTORY, { host, journalBytes }), {
    onError: () => undefined,
  });
  const told = new ToldWrites();
  const moments: Moment[] = [];
  const keep = (after: string): void => {
    moments.push({ capture: machine.capture(), told: told.copy(), after });
  };
  machine.onOperation(({ operation, path, changedDisk }) => {
    if (fault.isMet && changedDisk) keep(`${operation} ${path}`);
  });
  for (const text of WRITES) {
    await told.append(store, text);
    if (fault.isMet) keep(`the answer to "${text}"`);
  }
  if (!fault.isMet) return undefined;
  await closeIfPossible(store);
  const next = await openQuietly(machine.startProcess());
  for (const text of LATER) {
    await told.append(next, text);
    keep(`the answer to "${text}"`);
  }
  return moments;
}

/** The nth sync of these files fails. */
class FailingSync {
  isMet = false;
  readonly #number: number;
  readonly #isIn: RegExp;
  #syncs = 0;

  constructor(number: number, isIn: RegExp) {
    this.#number = number;
    this.#isIn = isIn;
  }

  readonly plan: FaultPlan = ({ operation, path }) => {
    if (operation !== "sync" || !this.#isIn.test(path)) return undefined;
    if (++this.#syncs !== this.#number) return undefined;
    this.isMet = true;
    return { kind: "error", code: "EIO" };
  };
}

/** A store that has failed may say so when it is closed; what it was told before is judged all the same. */
async function closeIfPossible(store: Store): Promise<void> {
  await store.close().catch(() => undefined);
}

async function judge({ capture, told, after }: Moment, story: string, judged: Set<string>): Promise<void> {
  for (const state of [capture.afterKill(), ...capture.afterPowerLoss({ limit: STATES })]) {
    const end = `${state.fingerprint()} ${told.answers()}`;
    if (judged.has(end)) continue;
    judged.add(end);
    const wrong = await told.judge(state);
    if (wrong === undefined) continue;
    throw new Violation(
      `${wrong}\n${story}; the crash came after ${after}.\n${told.answers()}\n${state.describe()}`,
    );
  }
}
