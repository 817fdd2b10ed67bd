/**
 * Runs a workload once on a simulated machine and keeps the disk as it was after every single operation, with how far
 * the work on each key had come. What each key shows after each step is read afterwards, so that reading does not disturb.
 */

import { isLonghandError, type Store } from "@longhand/store";
import { SimulatedMachine, type Capture, type CrashableHost, type Host } from "@longhand/store/testing";
import { performStep } from "./perform-step.ts";
import { changedKeys, type Step, type Workload } from "./step.ts";
import { MACHINE_SEED, DIRECTORY, openOn } from "./world.ts";

export interface Moment {
  /** Counts the operations that changed the disk, of all instances. */
  readonly number: number;
  readonly operation: string;
  readonly capture: Capture;
  /** By key: how many of the steps that change it were begun, and how many have been answered. */
  readonly progress: ReadonlyMap<string, Progress>;
  /** No store had been opened on this disk yet. */
  readonly isOpening: boolean;
}

export interface Progress {
  readonly begun: number;
  readonly answered: number;
}

export interface Milestone {
  readonly capture: Capture;
  readonly progress: ReadonlyMap<string, Progress>;
}

export interface Run {
  readonly moments: readonly Moment[];
  /** Before the first group, and after each: nothing is under way. */
  readonly milestones: readonly Milestone[];
  /** For each group, how each of its steps ended: "done", or the code of the error. */
  readonly answers: readonly (readonly string[])[];
}

/** Puts something between a store and the machine: for controls that must lose data. */
export type Spoil = (host: Host) => Host;

export async function recordRun(workload: Workload, spoil: Spoil = (host) => host): Promise<Run> {
  const machine = new SimulatedMachine(MACHINE_SEED);
  await putFiles(machine, workload.files ?? {});
  return await new Recording(machine, workload, spoil).run();
}

class Recording {
  readonly #machine: SimulatedMachine;
  readonly #workload: Workload;
  readonly #spoil: Spoil;
  readonly #instances = new Map<number, { store: Store; host: CrashableHost }>();
  readonly #moments: Moment[] = [];
  #progress: ReadonlyMap<string, Progress>;
  #isOpening = true;

  constructor(machine: SimulatedMachine, workload: Workload, spoil: Spoil) {
    this.#machine = machine;
    this.#workload = workload;
    this.#spoil = spoil;
    this.#progress = new Map(workload.keys.map((key) => [key, { begun: 0, answered: 0 }]));
  }

  async run(): Promise<Run> {
    this.#machine.onOperation(({ operation, path, to, pid, changedDisk }) => {
      if (!changedDisk) return;
      this.#moments.push({
        number: this.#moments.length,
        operation: `${operation} ${path}${to === undefined ? "" : ` to ${to}`} by ${pid}`,
        capture: this.#machine.capture(),
        progress: this.#progress,
        isOpening: this.#isOpening,
      });
    });
    await this.#store(0);
    this.#isOpening = false;
    const milestones = [this.#milestone()];
    const answers: string[][] = [];
    for (const group of this.#workload.groups) {
      answers.push(await Promise.all(group.map(async (step) => await this.#do(step))));
      milestones.push(this.#milestone());
    }
    for (const { store } of this.#instances.values()) await store.close();
    return { moments: this.#moments, milestones, answers };
  }

  async #do(step: Step): Promise<string> {
    const { by = 0 } = step;
    const keys = changedKeys(step) ?? this.#workload.keys;
    this.#advance(keys, "begun");
    const answer = await this.#attempt(step, by).catch((error: unknown) => {
      if (isLonghandError(error)) return error.code;
      throw error;
    });
    this.#advance(keys, "answered");
    return answer;
  }

  async #attempt(step: Step, by: number): Promise<string> {
    if (step.kind === "reopen" || step.kind === "kill") {
      const instance = this.#instances.get(by);
      this.#instances.delete(by);
      if (step.kind === "kill") instance?.host.kill();
      else await instance?.store.close();
      await this.#store(by);
      return "done";
    }
    await performStep(await this.#store(by), step);
    return "done";
  }

  async #store(by: number): Promise<Store> {
    const known = this.#instances.get(by);
    if (known !== undefined) return known.store;
    const host = this.#machine.startProcess();
    const { store } = await openOn(this.#spoil(host), this.#workload);
    this.#instances.set(by, { store, host });
    return store;
  }

  #advance(keys: readonly string[], which: keyof Progress): void {
    const progress = new Map(this.#progress);
    for (const key of keys) {
      const before = progress.get(key) ?? { begun: 0, answered: 0 };
      progress.set(key, { ...before, [which]: before[which] + 1 });
    }
    this.#progress = progress;
  }

  #milestone(): Milestone {
    return { capture: this.#machine.capture(), progress: this.#progress };
  }
}

async function putFiles(
  machine: SimulatedMachine,
  contents: Readonly<Record<string, string>>,
): Promise<void> {
  const names = Object.entries(contents);
  if (names.length === 0) return;
  const { files } = machine.startProcess();
  await files.makeDirectory(DIRECTORY);
  for (const [name, content] of names) {
    const file = await files.open(`${DIRECTORY}/${name}`, "create");
    await file.write(Buffer.from(content), 0);
    await file.sync();
    await file.close();
  }
  await files.syncDirectory(DIRECTORY);
  await files.syncDirectory("/");
}
