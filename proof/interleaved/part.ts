/**
 * Several processes on one store, in turns that a seed decides: a switch before any single host call, kills, stops that
 * last long, timers that ring early; in some of them a call of one process fails. At the end everything is killed or loses power, and what is there is judged.
 */

import { SeededRandom, type Host, type Temper } from "@longhand/store/testing";
import { Violation, type Findings, type Part, type Slice } from "../part.ts";
import { shrinkingTries } from "../shrinking.ts";
import { judgeRun } from "./judge-run.ts";
import { withLyingLink } from "./lying-link.ts";
import { drawPlan, type Plan } from "./plan.ts";
import { readEverything } from "./read-everything.ts";
import { RecordedChoices } from "./recorded-choices.ts";
import { runPlan, type Run } from "./run-plan.ts";
import { shrink, type Attempt } from "./shrink.ts";
import { tellSchedule } from "./tell-schedule.ts";

const KEYS = ["a", "b", "c", "d"];
const SCHEDULES_OF_A_SLICE = 250;
const POWER_LOSSES = 1;
const SHRINKING = 400;
/** In the control it is enough to know that something was found. */
const SHRINKING_OF_THE_CONTROL = 10;

const MEETING: Temper = {
  ...{ switches: 900, reorders: 50, lateAnswers: 30, timers: 30 },
  ...{ stalls: 0, kills: 0, mostKills: 0 },
};

type Spoil = (host: Host) => Host;

export const interleaved: Part = {
  name: "interleaved",
  title: "Interleaved processes",
  counts: { schedules: 2000, switches: 100_000, "failed calls": 200 },
  gateSlices: 8,
  weight: 2,
  isDrawn: true,
  obstacle: () => Promise.resolve(undefined),
  run: async (slice, findings) => {
    for (let schedule = 0; schedule < SCHEDULES_OF_A_SLICE; schedule += 1) {
      await runOne(slice, schedule, findings, shrinkingTries(SHRINKING));
    }
  },
  control: async (findings) => {
    for (let schedule = 0; schedule < SCHEDULES_OF_A_SLICE; schedule += 1) {
      await runOne({ seed: 1, number: 0 }, schedule, findings, SHRINKING_OF_THE_CONTROL, withLyingLink);
    }
  },
};

async function runOne(
  slice: Slice,
  schedule: number,
  findings: Findings,
  tries: number,
  spoil?: Spoil,
): Promise<void> {
  const random = new SeededRandom(seedOf(slice, schedule));
  const drawn = drawPlan(random);
  // Where the step that is left out matters, processes meet all the time.
  const plan = spoil === undefined ? drawn : { ...drawn, temper: MEETING };
  const choices = RecordedChoices.fromSeed(random.below(2 ** 32));
  const { run, wrong } = await attempt(plan, choices, spoil);
  findings.count("schedules");
  findings.count("switches", run.switches);
  findings.count("failed calls", run.faults);
  if (wrong === undefined) return;
  const smallest = await shrink(
    { plan, choices: choices.made, wrong },
    async (smaller) => await tryAgain(smaller, spoil),
    tries,
  );
  const again = await attempt(smallest.plan, RecordedChoices.again(smallest.choices), spoil);
  throw new Violation(
    `${again.wrong ?? smallest.wrong}\nseed ${slice.seed}, slice ${slice.number}, schedule ${schedule}; made smaller, it is this:\n${tellSchedule(smallest.plan, again.run)}`,
  );
}

async function tryAgain(
  { plan, choices }: Attempt,
  spoil: Spoil | undefined,
): Promise<{ wrong: string; made: readonly number[] } | undefined> {
  const recorded = RecordedChoices.again(choices);
  const { wrong } = await attempt(plan, recorded, spoil);
  return wrong === undefined ? undefined : { wrong, made: recorded.made };
}

async function attempt(
  plan: Plan,
  choices: RecordedChoices,
  spoil: Spoil | undefined,
): Promise<{ run: Run; wrong: string | undefined }> {
  const run = await runPlan(plan, choices, spoil);
  return { run, wrong: run.history.problems[0] ?? (await findWrong(plan, run)) };
}

async function findWrong({ seed }: Plan, { machine, history }: Run): Promise<string | undefined> {
  const capture = machine.capture();
  const states = [capture.afterKill(), ...capture.afterPowerLoss({ limit: POWER_LOSSES, seed })];
  for (const state of states) {
    const told = state.describe().split("\n", 1)[0];
    const found = await readEverything(state, KEYS);
    const wrong = typeof found === "string" ? found : judgeRun(history, found);
    if (wrong !== undefined) return `${wrong}\nat the end: ${told ?? ""}`;
  }
  return undefined;
}

function seedOf({ seed, number }: Slice, schedule: number): number {
  return new SeededRandom(seed ^ Math.imul(number + 1, 0x9e3779b1)).below(2 ** 32) + schedule * 7919;
}
