/**
 * One process under a scheduler: its calls that wait to be let go, its timers that wait for time to pass. Once killed it
 * does nothing more: what it waits for never comes.
 */

import type { Host } from "../host/host.ts";
import { scheduledHost, type Call, type ParkedCall } from "./scheduled-host.ts";
import type { SimulatedMachine } from "./simulated-machine.ts";

export interface ScheduledProcess {
  readonly name: string;
  readonly host: Host;
  readonly isAlive: boolean;
  /** Resolves when it was killed. */
  readonly death: Promise<void>;
  /** For what a process does besides calling its host: resolves when it is its turn. */
  turn(label: string): Promise<void>;
}

export interface ProcessDeps {
  /** Milliseconds since the beginning. */
  passed(): number;
  isAnsweredLate(): boolean;
}

interface Timer {
  readonly due: number;
  readonly ring: () => void;
}

export class SchedulableProcess implements ScheduledProcess {
  readonly name: string;
  readonly host: Host;
  readonly death: Promise<void>;
  /** In the order in which they were made. */
  readonly parked: ParkedCall[] = [];
  /** The one that is due first comes first. */
  readonly timers: Timer[] = [];
  /** In steps of the scheduler. */
  stalledUntil = 0;
  isAlive = true;
  readonly #deps: ProcessDeps;
  readonly #killHost: () => void;
  #die: () => void = () => undefined;

  constructor(name: string, machine: SimulatedMachine, beneath: (host: Host) => Host, deps: ProcessDeps) {
    this.name = name;
    this.#deps = deps;
    this.death = new Promise((resolve) => (this.#die = resolve));
    const host = machine.startProcess();
    this.#killHost = () => host.kill();
    this.host = scheduledHost(beneath(host), {
      park: async (call) => await this.#park(call),
      wait: async (milliseconds, _background, ended) => await this.#wait(milliseconds, ended),
    });
  }

  async turn(label: string): Promise<void> {
    await this.#park({ operation: label, path: "", perform: () => Promise.resolve() });
  }

  get nextDue(): number {
    return this.timers[0]?.due ?? Infinity;
  }

  ring(): void {
    this.timers.shift()?.ring();
  }

  kill(): void {
    this.isAlive = false;
    this.parked.length = 0;
    this.timers.length = 0;
    this.#killHost();
    this.#die();
  }

  async #park<T>({ operation, path, perform, tear, tearable = 0 }: Call<T>): Promise<T> {
    return await new Promise<T>((resolve, reject) => {
      const go = (): void => {
        const outcome = perform();
        if (!this.#deps.isAnsweredLate()) {
          outcome.then(resolve, reject);
          return;
        }
        // Whoever asked learns of it below; until then a failure has nobody to tell.
        outcome.catch(() => undefined);
        const answer = (): void => void outcome.then(resolve, reject);
        this.#push({ operation: `learns of ${operation}`, path, go: answer, tear: undefined, tearable: 0 });
      };
      this.#push({ operation, path, go, tear, tearable });
    });
  }

  #push(call: ParkedCall): void {
    if (this.isAlive) this.parked.push(call);
  }

  async #wait(milliseconds: number, ended: AbortSignal | undefined): Promise<void> {
    if (ended?.aborted === true) return;
    await new Promise<void>((resolve) => {
      if (!this.isAlive) return;
      const due = this.#deps.passed() + milliseconds;
      const ring = (): void => {
        ended?.removeEventListener("abort", end);
        resolve();
      };
      const timer = { due, ring };
      const end = (): void => {
        const place = this.timers.indexOf(timer);
        if (place === -1) return;
        this.timers.splice(place, 1);
        ring();
      };
      const later = this.timers.findIndex((other) => other.due > due);
      this.timers.splice(later === -1 ? this.timers.length : later, 0, timer);
      ended?.addEventListener("abort", end);
    });
  }
}
