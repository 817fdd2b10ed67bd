/**
 * Every call of a workload fails, in every way in which such a call can, once and for ever; then everything is killed or
 * loses power. A slice of the gate is one way to fail, with all calls of a few fixed workloads; later ones draw workloads.
 */

import { failOnce, SeededRandom, type FaultPlan, type Host } from "@longhand/store/testing";
import { Violation, type Findings, type Part } from "../part.ts";
import { shrinkingTries } from "../shrinking.ts";
import { FAULT_KINDS, type FaultKind } from "./kinds.ts";
import { Sweep } from "./sweep.ts";
import { withRetriedSync } from "./retried-sync.ts";
import { drawWorkload, WORKLOADS, tellStep, type Workload } from "./workload.ts";

/** Of a drawn workload one call in so many fails in a slice. */
const EVERY = 7;
/** So many of the fixed workloads in the gate, for ways to fail that are much like others; the rest comes right after it. */
const FEW_WORKLOADS = 2;
/** After so many turns all ways of looking have had theirs (sweep.ts). */
const TURNS = 8;

export const faultSweep: Part = {
  name: "fault-sweep",
  title: "Fault sweep",
  counts: { "calls swept": 3500, faults: 5000, "crash states": 2500 },
  gateSlices: FAULT_KINDS.length,
  // Every third way to fail: the sweep takes longest of all parts.
  quickSlices: FAULT_KINDS.map((_, slice) => slice).filter((slice) => slice % 3 === 0),
  weight: 1,
  obstacle: () => Promise.resolve(undefined),
  run: async ({ seed, number }, findings) => {
    const [kind] = FAULT_KINDS.slice(number % FAULT_KINDS.length);
    if (kind === undefined) return;
    const round = Math.floor(number / FAULT_KINDS.length);
    const inGate = kind.isThorough ? WORKLOADS.length : FEW_WORKLOADS;
    const fixed = [WORKLOADS.slice(0, inGate), WORKLOADS.slice(inGate)][round] ?? [];
    for (const workload of fixed) {
      await sweepCalls(workload, kind, everyCall(kind), findings, `slice ${number}`);
    }
    if (fixed.length > 0) return;
    const random = new SeededRandom(seed ^ Math.imul(number, 0x9e3779b1));
    const workload = drawWorkload(random.below(2 ** 32));
    const calls = { ...everyCall(kind), from: random.below(EVERY), step: EVERY };
    await sweepCalls(workload, kind, calls, findings, `seed ${seed}, slice ${number}`);
  },
  control: async (findings) => {
    const [workload] = WORKLOADS;
    if (workload === undefined) return;
    const kind: FaultKind = { name: "EIO once, of a sync", isThorough: false, plan: failingSync };
    // What a sync has lost shows only after a power loss: each call comes to each way of looking.
    for (let turn = 0; turn < TURNS; turn++)
      await sweepCalls(workload, kind, { from: 0, step: 1, turn }, findings, "control", withRetriedSync);
  },
};

interface SweptCalls {
  readonly from: number;
  readonly step: number;
  /** Of the first call; how it is looked at what is there goes by turns. */
  readonly turn: number;
}

/** Another turn for each way to fail: with all of them, every call comes to every one. */
function everyCall(kind: FaultKind): SweptCalls {
  return { from: 0, step: 1, turn: FAULT_KINDS.indexOf(kind) };
}

function failingSync(number: number): FaultPlan {
  const plan = failOnce(number, { kind: "error", code: "EIO" });
  return (call) => (call.operation === "sync" ? plan(call) : undefined);
}

async function sweepCalls(
  workload: Workload,
  kind: FaultKind,
  { from, step, turn: firstTurn }: SweptCalls,
  findings: Findings,
  place: string,
  spoil: (host: Host) => Host = (host) => host,
): Promise<void> {
  const sweep = new Sweep(workload, spoil);
  const { calls, wrong: wrongWithout } = await sweep.calls();
  if (wrongWithout !== undefined) throw violation(`though nothing fails (${place})`, wrongWithout, workload);
  for (const call of calls) {
    if (call.number % step !== from % step || kind.plan(call.number)(call) === undefined) continue;
    const turn = call.number + firstTurn;
    const { faults, crashStates, wrong } = await sweep.run(call.number, kind.plan(call.number), turn);
    findings.count("calls swept");
    findings.count("faults", faults);
    findings.count("crash states", crashStates);
    if (wrong === undefined) continue;
    const how = `${kind.name} at call ${call.number}, ${call.operation} ${call.path} (${place})`;
    const shorter = await shortest(workload, spoil, { number: call.number, turn, kind });
    throw violation(how, shorter?.wrong ?? wrong, shorter?.workload ?? workload);
  }
}

/** As few of the first steps as still show it: up to the call that fails they make the same calls. */
async function shortest(
  workload: Workload,
  spoil: (host: Host) => Host,
  { number, turn, kind }: { readonly number: number; readonly turn: number; readonly kind: FaultKind },
): Promise<{ readonly workload: Workload; readonly wrong: string } | undefined> {
  const tries = shrinkingTries(workload.steps.length);
  for (let length = 1; length < tries; length += 1) {
    const shorter = { ...workload, steps: workload.steps.slice(0, length) };
    const { wrong } = await new Sweep(shorter, spoil).run(number, kind.plan(number), turn);
    if (wrong !== undefined) return { workload: shorter, wrong };
  }
  return undefined;
}

function violation(how: string, wrong: string, { before, steps }: Workload): Violation {
  const told = [...before, ...steps].map((step) => `  ${tellStep(step)}`).join("\n");
  return new Violation(
    `${how}: ${wrong}\nthe workload, of which a killed process did the first ${before.length} steps:\n${told}`,
  );
}
