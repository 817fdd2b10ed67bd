/**
 * A store that is open for writing and has changed nothing yet, beside a process that writes to the same session and is killed
 * before each of its calls in turn. What that was answered for is read by the store, which leaves everything as it is; and it is
 * there after the first change of the store, whichever that is, and after a crash.
 */

import { isLonghandError, type Store } from "@longhand/store";
import { SimulatedMachine, type Host } from "@longhand/store/testing";
import { Violation } from "../part.ts";
import { alteredHost } from "../altered-host.ts";
import { interruptedHost } from "./interrupted-host.ts";
import { nth, Stop } from "./stop.ts";
import { DIRECTORY, KEY, messagesIn, openQuietly, ToldWrites } from "./told-writes.ts";

const JOURNALS = `${DIRECTORY}/.longhand/journal`;
const STATES = 2;

type Change = (store: Store, told: ToldWrites) => Promise<unknown>;

const FIRST_CHANGES: Readonly<Record<string, Change>> = {
  "appends to it": async (store, told) => await mustAppend(store, told, "late"),
  "locks it for an append": async (store, told) => {
    const lock = await store.session(KEY).lock();
    await mustAppend(store, told, "locked");
    await lock[Symbol.asyncDispose]();
  },
  "begins another session": async (store) =>
    await store.session("b").append({ role: "user", content: "other" }),
  "forks it": async (store) => await store.session(KEY).fork("b"),
  "archives it": async (store) => await store.session(KEY).archive(),
  "looks into the trash": async (store) => await store.purge(),
  "verifies it": async (store) => await store.verify(),
  "repairs it": async (store) => await store.repair(),
  "seals it": async (store) => await store.reclaim({ seal: true }),
};

/** `spoil`: what is wrong with the host of the store that has not begun. Answers with how many moments there were. */
export async function searchNotBegun(spoil: (host: Host) => Host = (host) => host): Promise<number> {
  let moments = 0;
  for (const name of Object.keys(FIRST_CHANGES))
    for (let moment = 1; await meet(name, moment, spoil); moment++) moments += 1;
  return moments;
}

/** False: the other process made no such call. */
async function meet(name: string, moment: number, spoil: (host: Host) => Host): Promise<boolean> {
  const machine = new SimulatedMachine(1);
  const told = new ToldWrites();
  let isAtIt = false;
  const stop = new Stop(nth(moment, () => isAtIt));
  const process = machine.startProcess();
  const other = await openQuietly(
    interruptedHost(process, async (call) => {
      await stop.pass(call);
    }),
  );
  await told.append(other, "first");
  const store = await openQuietly(spoil(machine.startProcess()));
  isAtIt = true;
  const writing = told.append(other, "second").then(async () => await other.close());
  await Promise.race([stop.reached, writing]);
  if (!stop.isMet) return false;
  process.kill();
  const fail = (wrong: string, of: SimulatedMachine): never => {
    const story = `A process is killed before call ${moment} of an append and its close; a store that was opened before, and has changed nothing, reads, then ${name}.`;
    throw new Violation(`${wrong}\n${story}\n${told.answers()}\n${of.describe()}`);
  };
  const before = machine.capture().afterKill().fingerprint();
  const seen = told.judgeFound(await messagesIn(store));
  if (seen !== undefined) fail(seen, machine);
  if (machine.capture().afterKill().fingerprint() !== before) fail("the reading changed the disk", machine);
  await FIRST_CHANGES[name]?.(store, told).catch((error: unknown) => {
    if (!isLonghandError(error)) throw error;
    fail(`it is refused: ${error.message}`, machine);
  });
  const after = machine.capture();
  for (const state of [after.afterKill(), ...after.afterPowerLoss({ limit: STATES })]) {
    const wrong = await told.judge(state);
    if (wrong !== undefined) fail(wrong, state);
  }
  return true;
}

async function mustAppend(store: Store, told: ToldWrites, text: string): Promise<void> {
  if (!(await told.append(store, text)))
    throw new Violation(`"${text}" is refused, though its writer is dead`);
}

/** The control: sees no journal but its own, so that it lays nothing over the files and recovers nothing. */
export function withoutOthersJournals(host: Host): Host {
  const own = new Set<string>();
  return alteredHost(host, (files) => ({
    open: async (path, mode) => {
      if (mode === "create" && path.startsWith(`${JOURNALS}/`))
        own.add(idIn(path.slice(JOURNALS.length + 1)));
      return await files.open(path, mode);
    },
    readDirectory: async (path) => {
      const names = await files.readDirectory(path);
      return path === JOURNALS ? names.filter((name) => own.has(idIn(name))) : names;
    },
  }));
}

function idIn(name: string): string {
  return /[0-9A-Z]{26}/.exec(name)?.[0] ?? "";
}
