/** Makes a failing run smaller while it still fails: calmer choices first, then fewer actions. */

import type { Plan } from "./plan.ts";

export interface Attempt {
  readonly plan: Plan;
  readonly choices: readonly number[];
}

/** What is wrong, and the choices as they were really made; `undefined`: nothing is wrong. */
export type Try = (attempt: Attempt) => Promise<{ wrong: string; made: readonly number[] } | undefined>;

export async function shrink(
  failing: Attempt & { readonly wrong: string },
  tryIt: Try,
  budget: number,
): Promise<Attempt & { readonly wrong: string }> {
  let best = failing;
  let left = budget;
  const improve = async (attempt: Attempt): Promise<boolean> => {
    if (left <= 0) return false;
    left -= 1;
    const outcome = await tryIt(attempt);
    if (outcome === undefined) return false;
    best = { plan: attempt.plan, choices: trimmed(outcome.made), wrong: outcome.wrong };
    return true;
  };
  for (let before = Infinity; left > 0 && sizeOf(best) < before;) {
    before = sizeOf(best);
    for (
      let width = Math.ceil(best.choices.length / 2);
      width >= 1 && left > 0;
      width = Math.floor(width / 2)
    ) {
      for (let start = 0; start < best.choices.length && left > 0; start += width) {
        const block = best.choices.slice(start, start + width);
        if (block.every((choice) => choice === 0)) continue;
        const calmer = best.choices.map((choice, index) =>
          index >= start && index < start + width ? 0 : choice,
        );
        await improve({ plan: best.plan, choices: calmer });
      }
    }
    for (const plan of smallerPlans(best.plan)) {
      if (await improve({ plan, choices: best.choices })) break;
    }
  }
  return best;
}

/** Zeroes at the end come by themselves. */
function trimmed(choices: readonly number[]): readonly number[] {
  return choices.slice(0, choices.findLastIndex((choice) => choice !== 0) + 1);
}

function sizeOf({ plan, choices }: Attempt): number {
  return (
    choices.filter((choice) => choice !== 0).length +
    1000 * (plan.processes.flat(2).length + (plan.fault === undefined ? 0 : 1))
  );
}

/** Without the fault; without each single action. */
function* smallerPlans(plan: Plan): Generator<Plan> {
  if (plan.fault !== undefined) yield { ...plan, fault: undefined };
  for (const [index, steps] of plan.processes.entries()) {
    for (const [number, step] of steps.entries()) {
      for (const action of step) {
        const rest = step.filter((other) => other !== action);
        const fewer = rest.length === 0 ? steps.toSpliced(number, 1) : steps.with(number, rest);
        yield { ...plan, processes: plan.processes.with(index, fewer) };
      }
    }
  }
}
