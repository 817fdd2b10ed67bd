/**
 * The judge of the disks that crashes of one workload leave. A reader looks at a disk; then a writer recovers it and must
 * show the same; then it is written to (write-afterwards.ts).
 *
 * What is shown depends on what is looked at. Reading does not look at leases, caches and unfinished files, which are
 * never synced and so come in the most shapes after a crash. Of the disks that differ in nothing else each is judged,
 * since what a reader sees there is known; recovered and written to is one in so many of them. Whether reading has looked
 * there all the same is watched; then nothing is taken as known.
 */

import { inspect } from "node:util";
import type { CrashableHost, SimulatedMachine } from "@longhand/store/testing";
import { judgeViews } from "./judge-views.ts";
import type { Progress } from "./record-run.ts";
import type { Workload } from "./step.ts";
import type { Timeline } from "./timeline.ts";
import { differenceOf, readView, type View } from "./view.ts";
import { CLOCK_AFTER_CRASH, openOn, type Opened } from "./world.ts";
import { writeAfterwards, writeToOneKey } from "./write-afterwards.ts";

const KNOWN_TO_A_RECOVERY = 8;
/** One in so many recoveries is followed by writing to every key, a kill and power losses; the others by an append. */
const RECOVERIES_TO_A_LIFE = 40;

const UNREAD = /\/\.longhand\/(leases|cache)\/|\/\.new-/;
const isUnread = (path: string): boolean => UNREAD.test(path);

export interface CrashedMachine {
  readonly machine: SimulatedMachine;
  /** The power did not fail: what was not synced is still seen. */
  readonly isKilled: boolean;
  /** No disk quite like it was met in this workload. */
  readonly isNew: boolean;
  readonly progress: ReadonlyMap<string, Progress>;
}

export interface ExaminerTold {
  /** A reader has read a disk; the fingerprint is that of all that reading looks at. */
  readonly onRead?: (fingerprint: bigint) => void;
  /** A writer has recovered a disk and gone on. */
  readonly onRecovered?: () => void;
}

export class Examiner {
  readonly #told: ExaminerTold;
  readonly #workload: Workload;
  readonly #timeline: Timeline;
  /** By all that reading looks at; of killed and of restarted machines, since death is proven in other ways there. */
  readonly #known = [new Map<bigint, View>(), new Map<bigint, View>()] as const;
  /** The same of what writers have seen after recovery. */
  readonly #recovered = new Map<bigint, View>();
  #met = 0;
  #recoveries = 0;

  constructor(workload: Workload, timeline: Timeline, told: ExaminerTold = {}) {
    this.#workload = workload;
    this.#timeline = timeline;
    this.#told = told;
  }

  get recoveries(): number {
    return this.#recoveries;
  }

  /** `undefined`: every promise is kept on it. The machine is used up. */
  async examine({ machine, isKilled, isNew, progress }: CrashedMachine): Promise<string | undefined> {
    try {
      machine.setClock(CLOCK_AFTER_CRASH);
      const known = this.#known[isKilled ? 0 : 1];
      const fingerprint = machine.fingerprint(isUnread);
      const shown = known.get(fingerprint);
      if (shown === undefined) this.#told.onRead?.(fingerprint);
      const view = shown ?? (await this.#read(machine, (seen) => known.set(fingerprint, seen)));
      if (typeof view === "string") return `a reader before recovery: ${view}`;
      const wrong = this.#timeline.judge(view, progress);
      if (wrong !== undefined) return `a reader before recovery: ${wrong}`;
      const isRecovered = shown === undefined || (isNew && this.#met++ % KNOWN_TO_A_RECOVERY === 0);
      return isRecovered ? await this.#recover(machine, view) : undefined;
    } catch (error) {
      return `opening, reading or writing failed: ${inspect(error, { depth: 4 })}`;
    }
  }

  async #read(machine: SimulatedMachine, remember: (view: View) => void): Promise<View | string> {
    const looked = { elsewhere: false };
    const stopWatching = watchPaths(machine, (path) => {
      if (isUnread(path)) looked.elsewhere = true;
    });
    const { store, reports } = await openOn(machine.startProcess(), this.#workload, true);
    const view = await readView(store, this.#workload.keys);
    stopWatching();
    if (reports.length > 0) return `it reports after an ordinary crash: ${reports.join("; ")}`;
    if (!looked.elsewhere) remember(view);
    return view;
  }

  async #recover(machine: SimulatedMachine, before: View): Promise<string | undefined> {
    const host = machine.startProcess();
    const opened = await openOn(host, this.#workload);
    const fingerprint = machine.fingerprint(isUnread);
    const known = this.#recovered.get(fingerprint);
    const view = known ?? (await readView(opened.store, this.#workload.keys));
    const unfit = known === undefined ? await judgeViews(opened.store, view, this.#workload) : undefined;
    if (unfit !== undefined) return `after recovery: ${unfit}`;
    if (opened.reports.length > 0)
      return `recovery reports after an ordinary crash: ${opened.reports.join("; ")}`;
    const difference = differenceOf(before, view);
    if (difference !== undefined)
      return `a reader before recovery and a writer after it differ: ${difference}`;
    this.#recovered.set(fingerprint, view);
    const wrong = await this.#goOn(machine, host, opened, view);
    return wrong && `after recovery: ${wrong}`;
  }

  async #goOn(
    machine: SimulatedMachine,
    host: CrashableHost,
    { store, reports }: Opened,
    view: View,
  ): Promise<string | undefined> {
    const recovered = { machine, host, store, reports, view };
    const number = this.#recoveries++;
    this.#told.onRecovered?.();
    return number % RECOVERIES_TO_A_LIFE === 0
      ? await writeAfterwards(recovered, this.#workload, this.#timeline)
      : await writeToOneKey(recovered, this.#timeline, number);
  }
}

/** The answer ends it. */
function watchPaths(machine: SimulatedMachine, onPath: (path: string) => void): () => void {
  let isWatching = true;
  machine.onOperation(({ path }) => {
    if (isWatching) onPath(path);
  });
  return () => {
    isWatching = false;
  };
}
