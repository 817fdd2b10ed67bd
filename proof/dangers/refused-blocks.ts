/**
 * A block of the journal does not fit: nothing of it gets in, or all of it up to each byte. The disk has room again, more
 * is written, and everything is killed or loses power after each change of the disk. What was refused is not there; what
 * was answered afterwards is, and nobody calls the journal damaged.
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
import { DIRECTORY, ToldWrites } from "./told-writes.ts";

/** How many blocks are in the journal, and in the space behind them, when one is refused. */
const BLOCKS_BEFORE = [0, 1, 3];
/** The larger holds all that is written here; the smaller is begun anew now and then, over what was there. */
const JOURNAL_BYTES = [100_000, 500];
/** A short write ends at one byte in so many, up to beyond the end of a block, where it is short of its last byte. */
const EVERY = 23;
const LONGER_THAN_A_BLOCK = 400;
const STATES = 3;

/** `spoil`: what is wrong with the writer's host. Answers with how many moments there were. */
export async function searchRefusedBlocks(spoil: (host: Host) => Host = (host) => host): Promise<number> {
  const judged = new Set<string>();
  let moments = 0;
  for (const journalBytes of JOURNAL_BYTES) {
    for (const before of BLOCKS_BEFORE) {
      for (let fits = 0; fits < LONGER_THAN_A_BLOCK; fits += EVERY) {
        const refusal = { journalBytes, before, fits };
        const met = await refuse(refusal, spoil);
        for (const moment of met) await judge(moment, refusal, judged);
        moments += met.length;
      }
    }
  }
  return moments;
}

interface Refusal {
  readonly journalBytes: number;
  readonly before: number;
  /** So many bytes of the block get in. */
  readonly fits: number;
}

interface Moment {
  readonly capture: Capture;
  readonly told: ToldWrites;
  readonly after: string;
}

/** Every change of the disk from the refusal on. */
async function refuse(
  { journalBytes, before, fits }: Refusal,
  spoil: (host: Host) => Host,
): Promise<readonly Moment[]> {
  const machine = new SimulatedMachine(1);
  const full = new FullOnce(fits);
  const host = spoil(failingHost(machine.startProcess(), full.plan));
  const backend = jsonlBackend(DIRECTORY, { host, journalBytes });
  const store = await openStore(backend, { onError: () => undefined });
  const told = new ToldWrites();
  for (let block = 1; block <= before; block += 1) await told.append(store, `before ${block}`);
  full.begin();
  const moments: Moment[] = [];
  machine.onOperation(({ operation, path, changedDisk }) => {
    if (!full.isOver || !changedDisk) return;
    moments.push({ capture: machine.capture(), told: told.copy(), after: `${operation} ${path}` });
  });
  await told.append(store, "refused");
  for (const text of ["after", "then", "last"]) await told.append(store, text);
  return moments;
}

/** The next write to a journal gets in as far as it fits; the one after it is told that the disk is full. */
class FullOnce {
  #state: "room" | "short" | "full" | "freed" = "room";
  readonly #fits: number;

  constructor(fits: number) {
    this.#fits = fits;
  }

  begin(): void {
    this.#state = this.#fits === 0 ? "full" : "short";
  }

  get isOver(): boolean {
    return this.#state === "freed";
  }

  readonly plan: FaultPlan = ({ operation, path }) => {
    if (operation !== "write" || !path.endsWith(".journal")) return undefined;
    if (this.#state === "short") {
      this.#state = "full";
      return { kind: "short", bytes: this.#fits };
    }
    if (this.#state !== "full") return undefined;
    this.#state = "freed";
    return { kind: "error", code: "ENOSPC" };
  };
}

async function judge({ capture, told, after }: Moment, refusal: Refusal, judged: Set<string>): Promise<void> {
  for (const state of [capture.afterKill(), ...capture.afterPowerLoss({ limit: STATES })]) {
    const end = `${state.fingerprint()} ${told.answers()}`;
    if (judged.has(end)) continue;
    judged.add(end);
    const wrong = (await damageOn(state)) ?? (await told.judge(state));
    if (wrong === undefined) continue;
    throw new Violation(
      `${wrong}\nAfter ${refusal.before} blocks the disk was full: ${refusal.fits} bytes of the next got in (a journal of ` +
        `${refusal.journalBytes} bytes). It had room again; the crash came after ${after}.\n` +
        `${told.answers()}\n${state.describe()}`,
    );
  }
}

/** What a reader is told of, who changes nothing. */
async function damageOn(machine: SimulatedMachine): Promise<string | undefined> {
  const reports: string[] = [];
  const store: Store = await openStore(jsonlBackend(DIRECTORY, { host: machine.startProcess() }), {
    readOnly: true,
    onDamage: ({ file, reason }) => reports.push(`${file}: ${reason}`),
    onError: (error) => reports.push(String(error)),
  });
  await store.session("a").messages();
  await store.close();
  return reports.length === 0 ? undefined : `a reader is told of damage: ${reports.join("; ")}`;
}
