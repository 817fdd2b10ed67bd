/**
 * An instance that is taken for dead while it lives, in the middle of a change of names: it has looked whether it was
 * taken over, and is stopped before the change itself. Its adopter takes over, and does things of its own to the session.
 * Then the victim goes on. Nothing that anybody was answered for may be gone, whichever change it was.
 */

import { isLonghandError, jsonlBackend, openStore, type Store } from "@longhand/store";
import { SimulatedMachine, type Capture, type Host } from "@longhand/store/testing";
import { beginInstance } from "../begin-instance.ts";
import { Violation } from "../part.ts";
import { interruptedHost, type HostCall } from "./interrupted-host.ts";
import { CHANGES, type Change } from "./late-change-list.ts";
import { mistakenAbout } from "./mistaken-host.ts";
import { nth, Stop } from "./stop.ts";
import { DIRECTORY, KEY } from "./told-writes.ts";

/** Power losses that are looked at. */
const STATES = 2;

/** What the adopter does to the session; what it was answered for goes to `told`. */
type Meanwhile = (store: Store, told: string[]) => Promise<void>;

/** Whoever has this seals the file before each of his appends; the adopter does so in every second meeting. */
const ALWAYS = 1;
const NEVER = 1_000_000;

const MEANWHILE: Readonly<Record<string, Meanwhile>> = {
  appends: async (store, told) => {
    for (const text of ["second", "third", "fourth"]) await append(store, told, text);
  },
  "archives it": async (store, told) => {
    await append(store, told, "second");
    await attempt(async () => await store.session(KEY).archive());
  },
  "deletes it and begins anew": async (store, told) => {
    await append(store, told, "second");
    await attempt(async () => await store.session(KEY).delete());
    await append(store, told, "of the new one");
  },
  "archives it, and brings it back": async (store, told) => {
    await append(store, told, "second");
    await attempt(async () => await store.session(KEY).archive());
    await append(store, told, "third");
  },
};

const ADOPTERS = [
  [true, ALWAYS],
  [false, ALWAYS],
  [true, NEVER],
  [false, NEVER],
] as const;

/** `spoil`: what is wrong with the victim's host. Answers with how many moments there were. */
export async function searchLateChanges(spoil: (host: Host) => Host = (host) => host): Promise<number> {
  let moments = 0;
  for (const [name, change] of Object.entries(CHANGES)) {
    const machine = new SimulatedMachine(1);
    const before = await change.prepare(machine);
    const begun = machine.capture();
    for (const [doing, meanwhile] of Object.entries(MEANWHILE)) {
      for (const [opensAnew, segmentBytes] of ADOPTERS) {
        const recoverer = `one who ${opensAnew ? "opens the store" : "has it open"} and ${segmentBytes === ALWAYS ? "always" : "never"} seals`;
        const story = (moment: number): string =>
          `The victim (${name}) is stopped before change ${moment} of names; ${recoverer} ${doing}; the victim goes on.`;
        const at = async (moment: number): Promise<boolean> =>
          await meet({
            begun,
            before,
            change,
            meanwhile,
            opensAnew,
            segmentBytes,
            moment,
            spoil,
            story: () => story(moment),
          });
        for (let moment = 1; await at(moment); moment++) moments += 1;
      }
    }
  }
  return moments;
}

interface Rendezvous {
  readonly begun: Capture;
  /** What was acknowledged before. */
  readonly before: readonly string[];
  readonly change: Change;
  readonly meanwhile: Meanwhile;
  /** The adopter; else it has the store open already. */
  readonly opensAnew: boolean;
  readonly segmentBytes: number;
  readonly moment: number;
  readonly spoil: (host: Host) => Host;
  readonly story: () => string;
}

/** False: there is no such moment. */
async function meet(rendezvous: Rendezvous): Promise<boolean> {
  const { begun, before, change, meanwhile, opensAnew, segmentBytes, moment, spoil, story } = rendezvous;
  const machine = begun.afterKill();
  const stop = new Stop(nth(moment, isChangeOfNames));
  let isAtIt = false;
  const victim = await open(
    interruptedHost(spoil(machine.startProcess()), async (call) => {
      if (isAtIt) await stop.pass(call);
    }),
    change.segmentBytes,
  );
  const instance = await beginInstance(machine, victim, DIRECTORY);
  const openAdopter = async (): Promise<Store> =>
    await open(
      mistakenAbout(instance, machine.startProcess(), () => stop.isMet),
      segmentBytes,
    );
  const already = opensAnew ? undefined : await openAdopter();
  if (already !== undefined) await beginInstance(machine, already, DIRECTORY);
  isAtIt = true;
  const late = attempt(async () => await change.perform(victim));
  await Promise.race([stop.reached, late]);
  if (!stop.isMet) return false;
  const told = change.isDestructive === true ? [] : [...before];
  const recoverer = already ?? (await openAdopter());
  await meanwhile(recoverer, told);
  stop.letGo();
  await late;
  await append(recoverer, told, "after");
  const last = await open(machine.startProcess(), NEVER);
  await append(last, told, "last", story);
  const after = machine.capture();
  for (const state of [after.afterKill(), ...after.afterPowerLoss({ limit: STATES })])
    await judge(state, told, change, story);
  return true;
}

async function open(host: Host, segmentBytes: number): Promise<Store> {
  return await openStore(jsonlBackend(DIRECTORY, { host, segmentBytes, lockWait: 1000 }), {
    onDamage: () => undefined,
    onError: () => undefined,
  });
}

/** `mustSucceed`: what to tell if it is refused. */
async function append(store: Store, told: string[], text: string, mustSucceed?: () => string): Promise<void> {
  try {
    await store.session(KEY).append({ role: "user", content: text });
    told.push(text);
  } catch (error) {
    if (!isLonghandError(error)) throw error;
    if (mustSucceed !== undefined) throw new Violation(`${error.message}\n${mustSucceed()}`);
  }
}

/** Whether it succeeds is not looked at. */
async function attempt(action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!isLonghandError(error)) throw error;
  }
}

const CHANGING: ReadonlySet<string> = new Set(["rename", "link", "unlink", "truncate"]);

function isChangeOfNames({ operation, path }: HostCall): boolean {
  const inStore = path.slice(DIRECTORY.length);
  return CHANGING.has(operation) && !/^\/\.longhand\/(?:journal|leases|cache)\//u.test(inStore);
}

async function judge(
  state: SimulatedMachine,
  told: readonly string[],
  { leavesDamage = false }: Change,
  story: () => string,
): Promise<void> {
  const tell = (wrong: string): Violation => new Violation(`${wrong}\n${story()}\n${state.describe()}`);
  try {
    const store = await open(state.startProcess(), NEVER);
    const { damage } = await store.verify();
    const [first] = leavesDamage ? [] : damage;
    if (first !== undefined) throw tell(`${first.file} is damaged: ${first.reason}`);
    const found = await everyText(store);
    const missing = told.filter((text) => !found.has(text));
    if (missing.length > 0) throw tell(`acknowledged and gone: ${missing.join(", ")}`);
  } catch (error) {
    throw error instanceof Violation ? error : tell(`it cannot be read: ${String(error)}`);
  }
}

/** Of every session, wherever it is: each in turn is brought back, and read. */
async function everyText(store: Store): Promise<ReadonlySet<string>> {
  const sessions = [];
  for await (const info of store.list({ status: "any" })) sessions.push(info);
  const found = new Set<string>();
  for (const { key, id, status } of sessions.sort((one) => (one.status === "active" ? -1 : 1))) {
    const session = store.session(key);
    if (status !== "active") {
      await session.delete();
      await session.restore({ id });
    }
    for await (const record of session.records())
      if (record.op === undefined && typeof record.message.content === "string")
        found.add(record.message.content);
  }
  return found;
}
