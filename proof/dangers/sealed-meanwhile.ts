/**
 * A file that is sealed while it is read. A reader is stopped before each of its calls in turn, and meanwhile somebody
 * seals the session's file, once or twice. The reader finds all that was acknowledged before it began, in order and once,
 * wherever that lies by then; what came since may follow; and nothing is called damage. A store that has the session itself
 * is also stopped before it lands what it was just answered for: until it has, nobody else gets the session.
 */

import { isLonghandError, jsonlBackend, openStore } from "@longhand/store";
import type { Session, SessionRecord, Store } from "@longhand/store";
import { SimulatedMachine, type Capture, type Host } from "@longhand/store/testing";
import { beginInstance } from "../begin-instance.ts";
import { toFound } from "../interleaved/act.ts";
import type { FoundMessage } from "../oracle/judge-history.ts";
import { Violation } from "../part.ts";
import { interruptedHost, type HostCall } from "./interrupted-host.ts";
import { nth, Stop } from "./stop.ts";
import { DIRECTORY, KEY } from "./told-writes.ts";

/** Whoever has this seals the file before each of his appends. */
const ALWAYS = 1;
/** Whoever has this seals nothing. */
const NEVER = 1_000_000;
const LOCK_WAIT = 500;
/** A watch that has not seen everything by then waits for ever. */
const MOST_WAITS = 100;

/** What the store does, or did, to which the reader belongs. */
const READERS = [
  "only reads",
  "has not written yet",
  "writes elsewhere",
  "had the session",
  "seals it itself",
] as const;
type Reader = (typeof READERS)[number];

/** `isLast`: whether a watch has seen all that there is. */
type Read = (session: Session, isLast: (seq: number) => boolean) => Promise<readonly FoundMessage[]>;

const WAYS: Readonly<Record<string, Read>> = {
  forwards: async (session) => await collect(session.records()),
  backwards: async (session) => (await collect(session.records({ reverse: true }))).reverse(),
  messages: async (session) =>
    (await session.messages()).map((message, index) => toFound({ seq: index + 1, at: "", message })),
  watch: async (session, isLast) => await collect(session.watch(), isLast),
};

interface Rendezvous {
  readonly reader: Reader;
  readonly way: string;
  readonly read: Read;
  /** While the reader is stopped. */
  readonly seals: number;
  /** Which of its calls it is stopped before, from 1. */
  readonly moment: number;
}

/** `spoil`: what is wrong with the reader's host. */
export async function searchSealedMeanwhile(spoil: (host: Host) => Host = (host) => host): Promise<number> {
  const begun = await beginSession();
  let moments = 0;
  for (const reader of READERS) {
    for (const [way, read] of Object.entries(WAYS)) {
      for (const seals of [1, 2]) {
        const meetAt = async (moment: number): Promise<boolean> =>
          await meet(begun, { reader, way, read, seals, moment }, spoil);
        for (let moment = 1; await meetAt(moment); moment++) moments += 1;
      }
    }
  }
  return moments;
}

interface Begun {
  readonly capture: Capture;
  readonly told: readonly string[];
}

/** A session with a sealed file and an active one, everything landed, and nobody who has it open. */
async function beginSession(): Promise<Begun> {
  const machine = new SimulatedMachine(1);
  const told: string[] = [];
  const store = await open(machine.startProcess(), ALWAYS);
  await append(told, store, "one");
  await append(told, store, "two", "three");
  await store.close();
  return { capture: machine.capture(), told };
}

/** False: the reader made no such call. */
async function meet(begun: Begun, rendezvous: Rendezvous, spoil: (host: Host) => Host): Promise<boolean> {
  const machine = begun.capture.afterKill();
  const told = [...begun.told];
  const problems: string[] = [];
  let isReading = false;
  let stoppedBefore: HostCall = { operation: "", path: "" };
  const stop = new Stop(nth(rendezvous.moment, (call) => isReading || isApply(call)));
  const limitWaits = waitLimit();
  const host = interruptedHost(spoil(machine.startProcess()), async (call) => {
    if (isReading) limitWaits(call);
    if (!stop.isMet) stoppedBefore = call;
    await stop.pass(call);
  });
  try {
    const { reader, sealer } = await openBoth(machine, host, rendezvous.reader, (problem) =>
      problems.push(problem),
    );
    if (rendezvous.reader === "writes elsewhere") await beginInstance(machine, reader, DIRECTORY);
    if (mayHold(rendezvous.reader)) await append(told, reader, "four");
    // What can land has landed then: of a session that others have a reader is promised no more.
    await machine.startProcess().wait(1);

    const known = told.length;
    isReading = true;
    const reading = rendezvous.read(reader.session(KEY), (seq) => seq >= told.length);
    await Promise.race([stop.reached, reading.catch(() => undefined)]);
    const seal = async (): Promise<void> => {
      for (let seals = 1; seals <= rendezvous.seals; seals++)
        await append(told, sealer, `after seal ${seals}`);
    };
    if (stop.isMet) {
      const isSealed = await unlessLocked(seal, () => isApply(stoppedBefore));
      stop.letGo();
      if (!isSealed) await seal();
    }
    problems.unshift(...judge(await reading, told, known));
  } catch (error) {
    problems.push(String(error));
  }
  if (problems.length === 0) return stop.isMet;
  throw new Violation(
    `${problems.join("\n")}\nThe session's file is sealed ${rendezvous.seals === 1 ? "once" : "twice"} while it is read ` +
      `(${rendezvous.way}) by a store that ${rendezvous.reader}, which is stopped before call ${rendezvous.moment}, ` +
      `${stoppedBefore.operation} ${stoppedBefore.path}.\n${machine.describe()}`,
  );
}

function mayHold(reader: Reader): boolean {
  return reader === "had the session" || reader === "seals it itself";
}

/** Of a file that was opened by its name: one that a store has just made is known by another. */
function isApply({ operation, path }: HostCall): boolean {
  return operation === "write" && path === `${DIRECTORY}/${KEY}.jsonl`;
}

function waitLimit(): (call: HostCall) => void {
  let waits = 0;
  return ({ operation }) => {
    if (operation === "wait" && ++waits > MOST_WAITS) throw new Error("the reader waits for ever");
  };
}

/** False: somebody else had the session all the time, as he may. */
async function unlessLocked(task: () => Promise<void>, mayBeLocked: () => boolean): Promise<boolean> {
  try {
    await task();
    return true;
  } catch (error) {
    if (mayBeLocked() && isLonghandError(error, "SESSION_LOCKED")) return false;
    throw error;
  }
}

async function openBoth(
  machine: SimulatedMachine,
  host: Host,
  which: Reader,
  onProblem: (problem: string) => unknown,
): Promise<{ readonly reader: Store; readonly sealer: Store }> {
  if (which === "seals it itself") {
    const both = await open(host, ALWAYS, onProblem);
    return { reader: both, sealer: both };
  }
  const reader = await open(host, NEVER, onProblem, which === "only reads");
  return { reader, sealer: await open(machine.startProcess(), ALWAYS, onProblem) };
}

async function open(
  host: Host,
  segmentBytes: number,
  onProblem: (problem: string) => unknown = () => undefined,
  readOnly = false,
): Promise<Store> {
  return await openStore(jsonlBackend(DIRECTORY, { host, segmentBytes, lockWait: LOCK_WAIT }), {
    readOnly,
    onDamage: (damage) => onProblem(`Damage is reported: ${JSON.stringify(damage)}`),
    onError: (error) => onProblem(`An error is reported: ${String(error)}`),
  });
}

/** Adds it to what was told, when it is acknowledged. Rejects if it was not put behind all of that. */
async function append(told: string[], store: Store, ...contents: readonly string[]): Promise<void> {
  const before = told.join(", ");
  const messages = contents.map((content) => ({ role: "user", content }) as const);
  const { seq } = await store.session(KEY).append(messages);
  told.push(...contents);
  if (seq === told.length) return;
  throw new Error(`${contents.join(", ")} was acknowledged with seq ${seq}, after these: ${before}`);
}

async function collect(
  records: AsyncIterable<SessionRecord>,
  isLast: (seq: number) => boolean = () => false,
): Promise<FoundMessage[]> {
  const found: FoundMessage[] = [];
  for await (const record of records) {
    found.push(toFound(record));
    if (isLast(record.seq)) break;
  }
  return found;
}

/** `told`: all that was acknowledged by now; the first `known` of them before the reader began. */
function judge(found: readonly FoundMessage[], told: readonly string[], known: number): string[] {
  const isBeginning = found.every(({ seq, content }, index) => seq === index + 1 && content === told[index]);
  if (isBeginning && found.length >= known) return [];
  const seen = found.map(({ seq, content }) => `${seq} ${content}`).join(", ");
  return [
    `The reader saw: ${seen}; acknowledged was: ${told.join(", ")}; ${known} of these before it began.`,
  ];
}
