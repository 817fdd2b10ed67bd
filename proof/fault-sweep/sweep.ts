/**
 * One workload with one call that fails. Whatever fails is told by a typed error; what was answered before holds in the
 * same process when the cause is gone, after a kill, and after a power loss, then and in the middle.
 */

import {
  failingHost,
  SeededRandom,
  SimulatedMachine,
  type Capture,
  type Fault,
  type FaultPlan,
  type FileCall,
  type Host,
} from "@longhand/store/testing";
import { performStep } from "../crash-images/perform-step.ts";
import { Asked } from "./asked.ts";
import { DIRECTORY, examine, open } from "./examine.ts";
import { Measure } from "./outcomes.ts";
import { spoilCheckpoint } from "./spoil-checkpoint.ts";
import { type Outcome, mayBeSpoiled, type Workload } from "./workload.ts";

/** In the middle: within so many calls after the one that fails. */
const SOON = 40;

export interface Swept {
  readonly calls: number;
  readonly faults: number;
  readonly crashStates: number;
  readonly wrong: string | undefined;
}

export class Sweep {
  readonly #workload: Workload;
  readonly #spoil: (host: Host) => Host;
  readonly #measure: Measure;
  /** The disk that a killed process has left, before anything fails. */
  #beginning: Capture | undefined;

  /** `spoil` puts a broken world between the store and the machine: for controls. */
  constructor(workload: Workload, spoil: (host: Host) => Host) {
    this.#workload = workload;
    this.#spoil = spoil;
    this.#measure = new Measure(workload);
  }

  /** Every call of the workload where nothing fails. Up to the one that fails, each run has the same. */
  async calls(): Promise<{ readonly calls: readonly FileCall[]; readonly wrong: string | undefined }> {
    const calls: FileCall[] = [];
    const note: FaultPlan = (call) => {
      calls.push(call);
      return undefined;
    };
    const { wrong } = await this.run(1, note, 0);
    return { calls, wrong };
  }

  /**
   * `number` is the call that the plan makes fail. By turns it is seen what is there when the store is opened again in
   * the same process, after a kill, and after power losses; soon after the call, and at the end.
   */
  async run(number: number, plan: FaultPlan, turn: number): Promise<Swept> {
    this.#beginning ??= await leaveBehind(this.#workload);
    const machine = this.#beginning.afterKill();
    let isGone = false;
    const process = machine.startProcess();
    const host = failingHost(process, (call) => {
      const fault = isGone ? undefined : plan(call);
      if (fault !== undefined && losesNames(call, fault)) asked.end();
      return fault;
    });
    const asked: Asked = new Asked(this.#workload, machine, this.#spoil(host));
    const moments: { capture: Capture; outcomes: readonly Outcome[]; when: string }[] = [];
    const middle = number + new SeededRandom(number).below(SOON);
    machine.onOperation(({ operation, path }) => {
      if (host.calls < middle || moments.length > 0) return;
      const when = `after call ${host.calls}, ${operation} ${path}`;
      moments.push({ capture: machine.capture(), outcomes: asked.soFar(), when });
    });
    await asked.run((outcomes) => this.#measure.possible(outcomes));
    const { calls, faults } = host;
    const outcomes = asked.soFar();
    moments.push({ capture: machine.capture(), outcomes, when: "at the end" });
    isGone = true;
    let { wrong } = asked;
    const moment = moments.length > 1 && turn % 4 === 1 ? moments[0] : moments.at(-1);
    if (turn % 2 === 0 || moment === undefined) {
      wrong ??= await this.#judge(host, outcomes, "opened again in the same process");
      return { calls, faults, crashStates: 0, wrong: withStory(wrong, asked) };
    }
    const { capture, when } = moment;
    const states = turn % 8 < 4 ? [capture.afterKill()] : capture.afterPowerLoss({ limit: 2, seed: turn });
    let crashStates = 0;
    for (const crashed of states) {
      crashStates += 1;
      wrong ??= await this.#judge(crashed.startProcess(), moment.outcomes, when, () => crashed.describe());
    }
    return { calls, faults, crashStates, wrong: withStory(wrong, asked) };
  }

  async #judge(
    host: Host,
    outcomes: readonly Outcome[],
    when: string,
    describe: () => string = () => "",
  ): Promise<string | undefined> {
    const possible = await this.#measure.possible(outcomes);
    const isSpoiled = mayBeSpoiled(this.#workload, outcomes);
    const wrong = await examine(host, this.#workload, { possible, isSpoiled });
    return wrong === undefined ? undefined : `${when}: ${wrong}\n${describe()}`;
  }
}

/**
 * A directory whose sync has failed is not used on before a crash has shown what is there: no later sync says so. On the
 * file systems that are promised nothing can be written from then on (decision 13).
 */
function losesNames({ operation }: FileCall, fault: Fault): boolean {
  return operation === "syncDirectory" && fault.kind === "error" && ["EIO", "ENOSPC"].includes(fault.code);
}

function withStory(wrong: string | undefined, asked: Asked): string | undefined {
  return wrong === undefined ? undefined : `${wrong}\n${asked.tell()}`;
}

async function leaveBehind(workload: Workload): Promise<Capture> {
  const machine = new SimulatedMachine(5);
  const store = await open(machine.startProcess(), workload);
  for (const step of workload.before) await performStep(store, step);
  if (workload.isSpoiled === true) {
    await store.close();
    await spoilCheckpoint(machine.startProcess(), DIRECTORY);
  }
  return machine.capture();
}
