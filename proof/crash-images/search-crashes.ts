/**
 * Crashes a workload after every single operation, in many ways, and crashes the recovery from some of these crashes
 * again. Ends with the first disk on which a promise is not kept.
 */

import type { Capture, SimulatedMachine } from "@longhand/store/testing";
import { compareWithMemory } from "./compare-with-memory.ts";
import { examineMoving } from "./examine-moving.ts";
import { Examiner, type ExaminerTold } from "./examine-image.ts";
import { recordRun, type Moment, type Progress, type Spoil } from "./record-run.ts";
import { tellWorkload, type Workload } from "./step.ts";
import { makeTimeline } from "./timeline.ts";
import { CLOCK_AFTER_CRASH, openOn } from "./world.ts";

export interface SearchOptions extends ExaminerTold {
  /** Power losses looked at after each operation; where there are fewer, all of them. */
  readonly states: number;
  readonly seed: number;
  /** Also the crashes before the first step: they are the same for every workload. */
  readonly withOpening: boolean;
  readonly spoil?: Spoil;
  /** Gets the fingerprint of each disk. */
  readonly onImage?: (fingerprint: bigint) => void;
}

/** One in so many crashes has its recovery crashed too, after one in so many operations, with so many power losses. */
const CRASHES_TO_A_SECOND = 60;
const OPERATIONS_TO_A_CRASH = 7;
const SECOND_STATES = 4;

/** `undefined`: every promise is kept. */
export async function searchCrashes(workload: Workload, options: SearchOptions): Promise<string | undefined> {
  const run = await recordRun(workload, options.spoil);
  const { timeline, views } = await makeTimeline(workload, run);
  if (workload.files === undefined) {
    const difference = await compareWithMemory(workload, run, views);
    if (difference !== undefined) return `${difference}\n${tellWorkload(workload)}`;
  }
  const search = new Search(workload, new Examiner(workload, timeline, options), options);
  for (const moment of run.moments) {
    const isMoving = moment.isOpening && workload.files !== undefined;
    if (moment.isOpening && !isMoving && !options.withOpening) continue;
    const found = isMoving
      ? await search.crashMoving(moment, views[0] ?? new Map())
      : await search.crash(moment);
    if (found !== undefined) return `${found}\n${tellWorkload(workload)}`;
  }
  return undefined;
}

class Search {
  readonly #workload: Workload;
  readonly #examiner: Examiner;
  readonly #options: SearchOptions;
  readonly #seen = new Set<bigint>();
  #crashes = 0;

  constructor(workload: Workload, examiner: Examiner, options: SearchOptions) {
    this.#workload = workload;
    this.#examiner = examiner;
    this.#options = options;
  }

  async crash(moment: Moment): Promise<string | undefined> {
    const { capture, progress, operation, number } = moment;
    const seed = this.#options.seed + number;
    for (const { machine, isKilled, story } of crashesOf(capture, this.#options.states, seed)) {
      const again = machine.capture();
      const found = await this.#examine(machine, isKilled, progress);
      if (found !== undefined) return `after operation ${number}, ${operation}: ${found}\n${story()}`;
      this.#crashes += 1;
      if (this.#crashes % CRASHES_TO_A_SECOND !== 0) continue;
      const second = await this.#crashRecovery(again, progress);
      if (second !== undefined) return `after operation ${number}, ${operation}: ${second}\n${story()}`;
    }
    return undefined;
  }

  /** A crash while another program's files are moved in. */
  async crashMoving(
    { capture, operation, number }: Moment,
    after: Parameters<typeof examineMoving>[2],
  ): Promise<string | undefined> {
    const seed = this.#options.seed + number;
    for (const { machine, story } of crashesOf(capture, this.#options.states, seed)) {
      this.#options.onImage?.(machine.fingerprint());
      const found = await examineMoving(machine, this.#workload, after);
      if (found !== undefined) return `after operation ${number}, ${operation}: ${found}\n${story()}`;
    }
    return undefined;
  }

  async #crashRecovery(
    crashed: Capture,
    progress: ReadonlyMap<string, Progress>,
  ): Promise<string | undefined> {
    const machine = crashed.afterKill();
    machine.setClock(CLOCK_AFTER_CRASH);
    const moments: { readonly operation: string; readonly capture: Capture }[] = [];
    machine.onOperation(({ operation, path, changedDisk }) => {
      if (changedDisk) moments.push({ operation: `${operation} ${path}`, capture: machine.capture() });
    });
    await openOn(machine.startProcess(), this.#workload);
    for (
      let index = this.#crashes % OPERATIONS_TO_A_CRASH;
      index < moments.length;
      index += OPERATIONS_TO_A_CRASH
    ) {
      const moment = moments[index];
      if (moment === undefined) continue;
      for (const second of crashesOf(moment.capture, SECOND_STATES, this.#options.seed + index)) {
        const found = await this.#examine(second.machine, second.isKilled, progress);
        if (found !== undefined)
          return `and then recovery, crashed after ${moment.operation}: ${found}\n${second.story()}\nand before it:`;
      }
    }
    return undefined;
  }

  async #examine(
    machine: SimulatedMachine,
    isKilled: boolean,
    progress: ReadonlyMap<string, Progress>,
  ): Promise<string | undefined> {
    const fingerprint = machine.fingerprint();
    const isNew = !this.#seen.has(fingerprint);
    this.#seen.add(fingerprint);
    this.#options.onImage?.(fingerprint);
    return await this.#examiner.examine({ machine, isKilled, isNew, progress });
  }
}

interface Crash {
  readonly machine: SimulatedMachine;
  readonly isKilled: boolean;
  /** What the crash took and left. */
  readonly story: () => string;
}

function* crashesOf(capture: Capture, limit: number, seed: number): Generator<Crash> {
  yield { machine: capture.afterKill(), isKilled: true, story: () => capture.afterKill().describe() };
  const states = capture.afterPowerLoss({ limit, seed });
  let number = 0;
  for (const machine of states) {
    const index = number++;
    // The machine itself is used up by then.
    const story = (): string => [...states][index]?.describe() ?? "";
    yield { machine, isKilled: false, story };
  }
}
