/**
 * Several processes of one simulated machine, in turns: before every single call of a host it is decided who goes next.
 * A process may also be killed there, be stopped for a long while, or find that time has passed. Everything follows from
 * the choices: the same choices give the same run, whatever the computer does that it runs on.
 *
 * Each process has its pending calls parked; one of them is let go when all processes have done what they can do without
 * a call, which is when the queue of microtasks has run empty. So nothing here may wait for anything but its host.
 */

import type { Host } from "../host/host.ts";
import { loadLazyModules } from "../lazy.ts";
import { SchedulableProcess, type ScheduledProcess } from "./scheduled-process.ts";
import type { SimulatedMachine } from "./simulated-machine.ts";

/** Where decisions come from: a `SeededRandom`, or what one has drawn before. 0 is always the calmest choice. */
export interface Choices {
  /** A whole number from 0 to `bound` - 1. */
  below(bound: number): number;
}

/** How often, before 1,024 calls. What is left of them goes on with the process whose turn it is. */
export interface Temper {
  readonly switches: number;
  /** Another of its pending calls than the one that waits longest. */
  readonly reorders: number;
  /** A call has taken effect, but its process learns of it later. */
  readonly lateAnswers: number;
  /** A timer rings though somebody could still go on. */
  readonly timers: number;
  readonly stalls: number;
  readonly kills: number;
  /** At most so many processes are killed. */
  readonly mostKills: number;
}

/** One decision: who went on, with what. */
export interface ScheduledEvent {
  readonly process: string;
  readonly operation: string;
  readonly path: string;
}

/** Nobody can go on, or nothing comes to an end. */
export class SchedulerStuck extends Error {
  override readonly name = "SchedulerStuck";
}

const OF_CALLS = 1024;
const STALL_LENGTHS = [30, 200, 1500, 20_000];
const MOST_CALLS = 200_000;

export class Scheduler {
  readonly #machine: SimulatedMachine;
  readonly #choices: Choices;
  readonly #temper: Temper;
  readonly #processes: SchedulableProcess[] = [];
  readonly #events: ScheduledEvent[] = [];
  #current: SchedulableProcess | undefined;
  #passed = 0;
  #steps = 0;
  #switches = 0;
  #kills = 0;

  constructor(machine: SimulatedMachine, choices: Choices, temper: Temper) {
    this.#machine = machine;
    this.#choices = choices;
    this.#temper = temper;
  }

  /** What happened, in order. */
  get events(): readonly ScheduledEvent[] {
    return this.#events;
  }

  /** How often another process went on than before. */
  get switches(): number {
    return this.#switches;
  }

  /** `beneath` changes the host whose calls are parked: a disk that fails belongs there, not around what is parked. */
  startProcess(name: string, beneath: (host: Host) => Host = (host) => host): ScheduledProcess {
    const process = new SchedulableProcess(name, this.#machine, beneath, {
      passed: () => this.#passed,
      isAnsweredLate: () => this.#choices.below(OF_CALLS) >= OF_CALLS - this.#temper.lateAnswers,
    });
    this.#processes.push(process);
    return process;
  }

  /** Lets the processes run until `task` is settled. Rejects with SchedulerStuck if that never comes. */
  async run<T>(task: Promise<T>): Promise<T> {
    const state = { isSettled: false };
    const settle = (): void => {
      state.isSettled = true;
    };
    task.then(settle, settle);
    await loadLazyModules();
    const end = this.#steps + MOST_CALLS;
    for (;;) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (state.isSettled) return await task;
      if (this.#steps >= end) throw new SchedulerStuck(`no end after ${MOST_CALLS} calls`);
      this.#step();
    }
  }

  #step(): void {
    this.#steps += 1;
    const awake = this.#processes.filter((process) => process.isAlive && process.stalledUntil <= this.#steps);
    const ready = awake.filter((process) => process.parked.length > 0);
    if (ready.length === 0) {
      if (!this.#ring(awake)) this.#wake();
      return;
    }
    const current = ready.find((process) => process === this.#current) ?? ready[0];
    if (current === undefined) return;
    let lot = OF_CALLS - 1 - this.#choices.below(OF_CALLS);
    const isDrawn = (weight: number): boolean => (lot -= weight) < 0;
    const { kills, mostKills, stalls, timers, switches, reorders } = this.#temper;
    if (isDrawn(kills)) {
      if (this.#kills < mostKills) this.#kill(this.#pick(awake, current));
    } else if (isDrawn(stalls)) {
      const process = this.#pick(awake, current);
      process.stalledUntil = this.#steps + this.#pick(STALL_LENGTHS, 0);
      this.#note(process, "is stopped", "");
    } else if (isDrawn(timers)) {
      this.#ring(awake);
    } else if (isDrawn(switches)) {
      this.#go(this.#pick(ready, current));
    } else if (isDrawn(reorders)) {
      this.#go(current, this.#choices.below(current.parked.length));
    } else {
      this.#go(current);
    }
  }

  #pick<T>(items: readonly T[], otherwise: T): T {
    return items[this.#choices.below(items.length)] ?? otherwise;
  }

  #go(process: SchedulableProcess, index = 0): void {
    const [call] = process.parked.splice(index, 1);
    if (call === undefined) return;
    if (process !== this.#current) this.#switches += 1;
    this.#current = process;
    this.#note(process, call.operation, call.path);
    call.go();
  }

  #kill(process: SchedulableProcess): void {
    this.#kills += 1;
    this.#note(process, "is killed", "");
    // A write that is under way may get in in part.
    const [call] = process.parked;
    if (call?.tear !== undefined) call.tear(this.#choices.below(call.tearable + 1));
    process.kill();
  }

  /** The next timer of one process; mostly of the one that is due first. */
  #ring(awake: readonly SchedulableProcess[]): boolean {
    const sleeping = awake.filter((process) => process.timers.length > 0);
    const first = sleeping.reduce<SchedulableProcess | undefined>(
      (one, other) => (one === undefined || other.nextDue < one.nextDue ? other : one),
      undefined,
    );
    if (first === undefined) return false;
    const process = this.#choices.below(4) === 3 ? this.#pick(sleeping, first) : first;
    const due = Math.max(process.nextDue, this.#passed);
    this.#machine.pass(due - this.#passed);
    this.#passed = due;
    this.#note(process, "has waited", "");
    process.ring();
    return true;
  }

  /** Nobody else can go on: whoever was stopped is let go. */
  #wake(): void {
    const stalled = this.#processes.find((process) => process.isAlive && process.stalledUntil > this.#steps);
    if (stalled === undefined) throw new SchedulerStuck("no process can go on");
    stalled.stalledUntil = 0;
    this.#note(stalled, "is let go", "");
  }

  #note({ name }: SchedulableProcess, operation: string, path: string): void {
    this.#events.push({ process: name, operation, path });
  }
}
