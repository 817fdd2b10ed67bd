/** Runs a plan on a simulated machine: every process on its own, as the scheduler lets it. */

import { inspect } from "node:util";
import { isLonghandError, jsonlBackend, openStore, type Store } from "@longhand/store";
import {
  failingHost,
  Scheduler,
  SchedulerStuck,
  SimulatedMachine,
  type Choices,
  type Host,
  type ScheduledEvent,
  type ScheduledProcess,
} from "@longhand/store/testing";
import { act, describeAction, FAILURES, type Actor } from "./act.ts";
import { History, type StoreLife } from "./history.ts";
import type { Action, Plan } from "./plan.ts";
import { faultPlanOf } from "./planned-fault.ts";

export const DIRECTORY = "/s";

export interface Run {
  readonly history: History;
  readonly machine: SimulatedMachine;
  readonly events: readonly ScheduledEvent[];
  readonly switches: number;
  /** Calls that have failed as planned. */
  readonly faults: number;
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
  const struck: Faults[] = [];
  const lives = plan.processes.map(async (steps, index) => {
    const left = [...steps];
    // Whoever is killed is started again, and goes on with what is left to do.
    for (let life = 1; left.length > 0; life += 1) {
      const faults: Faults = { hasStruck: () => false };
      const beneath = (host: Host): Host => {
        if (plan.fault?.process !== index || life > 1) return host;
        const failing = failingHost(host, faultPlanOf(plan.fault));
        faults.hasStruck = () => failing.faults > 0;
        struck.push(faults);
        return failing;
      };
      const process = scheduler.startProcess(`p${index + 1}${"'".repeat(life - 1)}`, beneath);
      await Promise.race([new Worker(process, plan, history, faults, spoil).work(left), process.death]);
      if (process.isAlive) return;
    }
  });
  try {
    await scheduler.run(Promise.all(lives));
  } catch (error) {
    const isStuck = error instanceof SchedulerStuck;
    history.problems.push(isStuck ? error.message : `the run failed: ${inspect(error)}`);
  }
  const faults = struck.filter(({ hasStruck }) => hasStruck()).length;
  return { history, machine, events: scheduler.events, switches: scheduler.switches, faults };
}

interface Faults {
  hasStruck: () => boolean;
}

class Worker {
  readonly #process: ScheduledProcess;
  readonly #plan: Plan;
  readonly #history: History;
  readonly #faults: Faults;
  readonly #host: Host;
  readonly #watching: Promise<void>[] = [];

  constructor(
    process: ScheduledProcess,
    plan: Plan,
    history: History,
    faults: Faults,
    spoil: (host: Host) => Host,
  ) {
    this.#process = process;
    this.#faults = faults;
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
      // Once more, if a call has failed: that has passed then.
      const store = (await this.#open()) ?? (this.#faults.hasStruck() ? await this.#open() : undefined);
      if (store === undefined) return;
      const leaving = new AbortController();
      const goesOn = await this.#use(store, life, leaving.signal, left);
      leaving.abort();
      await Promise.all(this.#watching);
      if (!goesOn && !this.#plan.settings.closes) return;
      await this.#process.turn("begins to close");
      const close = async (): Promise<boolean> => {
        await store.close();
        return true;
      };
      // One that could not be closed may seem to live until its process ends.
      if ((await this.#unlessItFails("close", close)) === true) life.ended = this.#history.next();
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
      hasFault: () => this.#faults.hasStruck(),
      hasFailed: false,
    };
    for (let step = left.shift(); step !== undefined; step = left.shift()) {
      await process.turn(`begins: ${step.map(describeAction).join(", and ")}`);
      if (step.some(({ kind }) => kind === "reopen")) return true;
      const acts = step.map((action) => ({ action, done: act(actor, action) }));
      for (const { action, done } of acts) {
        if (action.kind === "watch") this.#watching.push(done);
        else await done;
      }
      if (actor.hasFailed) return true;
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
          // What reclaim passes over because somebody holds it; what comes of a call that has failed.
          if (error.code === "SESSION_LOCKED" || this.#isOfFault(error)) return;
          report(`reports an error: ${inspect(error, { depth: 4 })}`);
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
      if (this.#isOfFault(error)) return undefined;
      this.#history.problems.push(`${this.#process.name}: ${what} failed: ${inspect(error, { depth: 4 })}`);
      return undefined;
    }
  }

  #isOfFault(error: unknown): boolean {
    return this.#faults.hasStruck() && isLonghandError(error) && FAILURES.includes(error.code);
  }
}
