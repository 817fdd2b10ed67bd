/** A whole run: looks what is installed, builds the data sets, then measures repetition by repetition. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Candidate } from "./candidate.ts";
import { countSyncs } from "./count-syncs.ts";
import { Result } from "./result.ts";
import type { RunTask } from "./run-child.ts";
import { scheduleOf, type Measurement } from "./schedule.ts";
import type { Scratch } from "./scratch.ts";
import type { Sizes } from "./sizes.ts";
import type { Answer } from "./task.ts";
import type { Workload } from "./workload.ts";

export interface BenchOptions {
  readonly workloads: readonly Workload[];
  readonly candidates: readonly Candidate[];
  readonly sizes: Sizes;
  readonly repetitions: number;
}

export interface BenchDeps {
  readonly runTask: RunTask;
  readonly scratch: Scratch;
  readonly canCountSyncs: boolean;
  readonly onStep: (step: string) => void;
}

export class BenchRun {
  readonly results: readonly Result[];
  readonly #options: BenchOptions;
  readonly #deps: BenchDeps;
  /** Where the data sets are; `undefined`: it could not be built. */
  readonly #dataSets = new Map<string, string | undefined>();
  /** How many messages the session of a shared copy has gained in this repetition. */
  readonly #grown = new Map<string, number>();

  constructor(options: BenchOptions, deps: BenchDeps) {
    this.#options = options;
    this.#deps = deps;
    this.results = this.#schedule(0).map(
      ({ workload, candidate, point }) => new Result(workload, candidate, point),
    );
  }

  get isFailed(): boolean {
    return this.results.some(({ problem }) => problem !== undefined && problem.kind !== "missing");
  }

  async finish(): Promise<void> {
    const { onStep, scratch } = this.#deps;
    await this.#probe();
    await this.#buildDataSets();
    for (let repetition = 0; repetition < this.#options.repetitions; repetition += 1) {
      this.#grown.clear();
      for (const measurement of this.#schedule(repetition)) {
        const result = this.#resultOf(measurement);
        if (result.problem !== undefined) continue;
        const { workload, candidate, point } = measurement;
        const at = point === 0 ? "" : ` at ${point}`;
        onStep(`${repetition + 1} of ${this.#options.repetitions}: ${workload.name}${at}, ${candidate.name}`);
        await this.#measure(measurement, result);
      }
      await scratch.endRepetition();
    }
    if (this.#deps.canCountSyncs) await this.#countSyncs();
  }

  async #probe(): Promise<void> {
    for (const candidate of new Set(this.results.map((result) => result.candidate))) {
      if (candidate.peer === undefined) continue;
      this.#deps.onStep(`looking for ${candidate.peer}`);
      const answer = await this.#deps.runTask({ kind: "probe", candidate: candidate.name });
      if (answer.kind === "done") continue;
      const reason = `${candidate.peer} cannot be loaded: ${answer.reason.split("\n", 1)[0] ?? ""}`;
      for (const result of this.results)
        if (result.candidate === candidate) result.problem = { kind: "missing", reason };
    }
  }

  async #buildDataSets(): Promise<void> {
    const { runTask, scratch, onStep } = this.#deps;
    for (const result of this.results) {
      const { workload, candidate, point } = result;
      const data = workload.data?.(this.#options.sizes, point);
      if (data === undefined || result.problem !== undefined) continue;
      const owner = candidate.sharesDataOf ?? candidate.name;
      const name = `${owner}/${data.name}`;
      if (this.#dataSets.has(name)) continue;
      onStep(`building ${data.name} for ${owner}`);
      const directory = scratch.dataSet(owner, data.name);
      const answer = await runTask({ kind: "build", candidate: owner, directory, data });
      this.#dataSets.set(name, answer.kind === "done" ? directory : undefined);
      note(result, answer);
    }
  }

  async #measure({ workload, candidate, point }: Measurement, result: Result): Promise<void> {
    const { runTask } = this.#deps;
    const { sizes } = this.#options;
    const place = this.#placeFor({ workload, candidate, point });
    if (place === undefined) {
      result.problem = { kind: "failed", reason: "its data set could not be built" };
      return;
    }
    const { directory, messages } = place;
    const task = { candidate: candidate.name, workload: workload.name, sizes, directory, point, messages };
    const answer = await runTask({ ...task, kind: "measure" }, { restMs: workload.restMs });
    if (answer.kind !== "done" || answer.measured === undefined) {
      note(result, answer);
      return;
    }
    if (workload.verify !== undefined && candidate.isVolatile !== true) {
      const facts = answer.measured.facts ?? [];
      const verified = await runTask({ ...task, kind: "verify", facts });
      note(result, verified);
      if (verified.kind !== "done") return;
    }
    this.#grown.set(directory, (this.#grown.get(directory) ?? 0) + (workload.grows?.(sizes) ?? 0));
    result.repetitions.push(answer.measured.figures);
  }

  /** Once more, under strace; its times are thrown away. */
  async #countSyncs(): Promise<void> {
    const { runTask, scratch, onStep } = this.#deps;
    const { sizes } = this.#options;
    for (const result of this.results) {
      const { workload, candidate, point, problem } = result;
      if (workload.countsSyncs !== true || problem !== undefined) continue;
      const place = this.#placeFor(result);
      if (place === undefined) continue;
      onStep(`counting the syncs of ${workload.name}, ${candidate.name}`);
      const traceFile = join(scratch.fresh("trace"), "trace");
      const task = { candidate: candidate.name, workload: workload.name, sizes, point, ...place };
      const answer = await runTask({ ...task, kind: "measure" }, { traceFile });
      if (answer.kind === "done") result.syncs = countSyncs(readFileSync(traceFile, "utf8"));
    }
    await scratch.endRepetition();
  }

  /** The directory of a measurement, and how many messages its session has. */
  #placeFor({
    workload,
    candidate,
    point,
  }: Measurement): { readonly directory: string; readonly messages: number } | undefined {
    const { scratch } = this.#deps;
    const name = `${workload.name}-${candidate.name}`;
    const data = workload.data?.(this.#options.sizes, point);
    if (data === undefined) return { directory: scratch.fresh(name), messages: 0 };
    const source = this.#dataSets.get(`${candidate.sharesDataOf ?? candidate.name}/${data.name}`);
    if (source === undefined) return undefined;
    const directory =
      workload.copy === "own"
        ? scratch.ownCopy(name, source)
        : workload.copy === "shared"
          ? scratch.sharedCopy(`${candidate.name}-${data.name}`, source)
          : source;
    return { directory, messages: data.messagesEach + (this.#grown.get(directory) ?? 0) };
  }

  #schedule(repetition: number): Measurement[] {
    const { workloads, candidates, sizes } = this.#options;
    return scheduleOf(repetition, workloads, candidates, sizes);
  }

  #resultOf({ workload, candidate, point }: Measurement): Result {
    const found = this.results.find(
      (result) => result.workload === workload && result.candidate === candidate && result.point === point,
    );
    if (found === undefined) throw new Error(`${workload.name} of ${candidate.name} is not in the schedule`);
    return found;
  }
}

function note(result: Result, answer: Answer): void {
  if (answer.kind !== "done") result.problem = answer;
}
