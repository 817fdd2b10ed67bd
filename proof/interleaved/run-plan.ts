/** Runs a plan on a simulated machine: every process on its own, as the scheduler lets it. */

import { inspect } from "node:util";
import { isLonghandError, jsonlBackend, openStore, type Store } from "@longhand/store";
import {
  Scheduler,
  SchedulerStuck,
  SimulatedMachine,
  type Choices,
  type Host,
  type ScheduledEvent,
  type ScheduledProcess,
} from "@longhand/store/testing";
import { act, describeAction, type Actor } from "./act.ts";
import { History, type StoreLife } from "./history.ts";
import type { Action, Plan } from "./plan.ts";

export const DIRECTORY = "/s";

export interface Run {
  readonly history: History;
  readonly machine: SimulatedMachine;
  readonly events: readonly ScheduledEvent[];
  readonly switches: number;
}

/** `spoil` puts a broken world between the store and the machine: for controls. */
export async function runPlan(
  plan: Plan,
  choices: Choices,
  spoil: (host: Host) => Host = (host) => host,
): Promise<Run> {
  const machine = new SimulatedMachine(plan.seed);
  const scheduler = new Scheduler(machine, choices, plan.temper);
  const history = new History();
  const lives = plan.processes.map(async (steps, index) => {
    const left = [...steps];
    // Whoever is killed is started again, and goes on with what is left to do.
    for (let life = 1; left.length > 0; life += 1) {
      const process = scheduler.startProcess(`p${index + 1}${"'".repeat(life - 1)}`);
      await Promise.race([new Worker(process, plan, history, spoil).work(left), process.death]);
      if (process.isAlive) return;
    }
  });
  try {
    await scheduler.run(Promise.all(lives));
  } catch (error) {
    const isStuck = error instanceof SchedulerStuck;
    history.problems.push(isStuck ? error.message : `the run failed: ${inspect(error)}`);
  }
  return { history, machine, events: scheduler.events, switches: scheduler.switches };
}

class Worker {
  readonly #process: ScheduledProcess;
  readonly #plan: Plan;
  readonly #history: History;
  readonly #host: Host;
  readonly #watching: Promise<void>[] = [];

  constructor(process: ScheduledProcess, plan: Plan, history: History, spoil: (host: Host) => Host) {
    this.#process = process;
    this.#plan = plan;
    this.#history = history;
    this.#host = spoil(process.host);
  }

  /** Takes off `left` what it begins. */
  async work(left: (readonly Action[])[]): Promise<void> {
    for (;;) {
      const life: StoreLife = { ended: Infinity };
      void this.#process.death.then(() => {
        life.ended = Math.min(life.ended, this.#history.next());
      });
      const store = await this.#open();
      if (store === undefined) return;
      const leaving = new AbortController();
      const goesOn = await this.#use(store, life, leaving.signal, left);
      leaving.abort();
      await Promise.all(this.#watching);
      if (!goesOn && !this.#plan.settings.closes) return;
      await this.#process.turn("begins to close");
      await this.#unlessItFails("close", async () => await store.close());
      life.ended = this.#history.next();
      if (!goesOn) return;
    }
  }

  /** True: the store is to be closed and opened again. */
  async #use(
    store: Store,
    life: StoreLife,
    leaving: AbortSignal,
    left: (readonly Action[])[],
  ): Promise<boolean> {
    const process = this.#process;
    const actor: Actor = {
      ...{ name: process.name, store, life, leaving, history: this.#history },
      isAlive: () => process.isAlive,
    };
    for (let step = left.shift(); step !== undefined; step = left.shift()) {
      await process.turn(`begins: ${step.map(describeAction).join(", and ")}`);
      if (step.some(({ kind }) => kind === "reopen")) return true;
      const acts = step.map((action) => ({ action, done: act(actor, action) }));
      for (const { action, done } of acts) {
        if (action.kind === "watch") this.#watching.push(done);
        else await done;
      }
    }
    return false;
  }

  async #open(): Promise<Store | undefined> {
    const { segmentBytes, journalBytes, lockWait } = this.#plan.settings;
    const report = (what: string): void => {
      if (this.#process.isAlive) this.#history.problems.push(`${this.#process.name}: ${what}`);
    };
    await this.#process.turn("begins to open the store");
    return await this.#unlessItFails("openStore", async () =>
      openStore(jsonlBackend(DIRECTORY, { host: this.#host, segmentBytes, journalBytes, lockWait }), {
        onDamage: (damage) => report(`reports damage: ${JSON.stringify(damage)}`),
        onError: (error) => {
          // What reclaim passes over because somebody holds it.
          if (error.code !== "SESSION_LOCKED") report(`reports an error: ${inspect(error, { depth: 4 })}`);
        },
      }),
    );
  }

  async #unlessItFails<T>(what: string, run: () => Promise<T>): Promise<T | undefined> {
    try {
      return await run();
    } catch (error) {
      // Somebody who is stopped while he recovers the store keeps it from being opened.
      if (isLonghandError(error, "SESSION_LOCKED") || !this.#process.isAlive) return undefined;
      this.#history.problems.push(`${this.#process.name}: ${what} failed: ${inspect(error, { depth: 4 })}`);
      return undefined;
    }
  }
}
