/**
 * The same workload on the memory backend, which has no disk to lose anything on. What a run on the disk has answered and
 * shown after each group must be the same, but for ids and times; otherwise a crash would be judged by a wrong measure.
 */

import { isLonghandError, memoryBackend, openStore } from "@longhand/store";
import { SimulatedMachine } from "@longhand/store/testing";
import { performStep } from "./perform-step.ts";
import type { Run } from "./record-run.ts";
import type { Step, Workload } from "./step.ts";
import { readView, type KeyView, type View } from "./view.ts";
import { MACHINE_SEED } from "./world.ts";

/** `undefined`: no difference. */
export async function compareWithMemory(
  workload: Workload,
  { answers }: Run,
  views: readonly View[],
): Promise<string | undefined> {
  const host = new SimulatedMachine(MACHINE_SEED).startProcess();
  const store = await openStore(memoryBackend({ host }));
  for (const [index, group] of workload.groups.entries()) {
    // In memory nothing is ever dropped: from here on there is nothing to compare with.
    if (group.some((step) => step.kind === "reclaim" && step.drop !== undefined)) break;
    const where = `after group ${index + 1} of an undisturbed run`;
    for (const [place, step] of group.entries()) {
      const expected = await answerOf(step, async (own) => await performStep(store, own));
      const found = answers[index]?.[place];
      if (found !== expected)
        return `${where}: ${step.kind} was answered with ${found}, in memory with ${expected}`;
    }
    const reference = await readView(store, workload.keys);
    for (const [key, view] of views[index + 1] ?? []) {
      const [found, expected] = [tell(view), tell(reference.get(key))];
      if (found !== expected) return `${where}, ${key} shows\n  ${found}\n  and in memory\n  ${expected}`;
    }
  }
  await store.close();
  return undefined;
}

async function answerOf(
  step: Step,
  perform: (step: Exclude<Step, { kind: "reopen" | "kill" }>) => Promise<void>,
): Promise<string> {
  if (step.kind === "reopen" || step.kind === "kill") return "done";
  try {
    await perform(step);
    return "done";
  } catch (error) {
    if (isLonghandError(error)) return error.code;
    throw error;
  }
}

function tell(view: KeyView | undefined): string {
  const sessions = [...(view?.sessions.values() ?? [])].map(({ info }) =>
    JSON.stringify({ ...info, id: "", created: "", updated: "" }),
  );
  const records = (view?.records ?? []).map((record) => ({ ...record, at: "" }));
  return `${sessions.sort().join()} ${JSON.stringify(records)}`;
}
