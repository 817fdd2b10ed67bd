/**
 * The calls of one answer: beside each other if they only read, else one after another. When it resolves, each has its result, and
 * what the provider has counted is kept.
 */

import { checkCall, refuseCall, runCall, type CheckedCall } from "./run-call.ts";
import type { StepCall } from "./step-call.ts";
import type { Ending, TurnInHand } from "./turn-in-hand.ts";

/** So often in a row a tool may be called in a way that it cannot be called. */
const MOST_BAD_CALLS = 3;
/** A model may ask for thousands at once, and each may hold a file open. */
const MOST_AT_ONCE = 8;

/** `undefined`: the turn goes on. */
export async function runCalls(turn: TurnInHand, calls: readonly StepCall[]): Promise<Ending | undefined> {
  const ending = await answerAll(turn, calls);
  // Not before: were it to fail, calls that never began would be left without a result, as if they might have run.
  await turn.keepCounted();
  return ending;
}

async function answerAll(turn: TurnInHand, calls: readonly StepCall[]): Promise<Ending | undefined> {
  const repeated = calls.filter(({ name, input, text }) => turn.sameCalls.isTooMany(name, input ?? text));
  if (repeated[0] !== undefined) return await refuseAll(turn, calls, repeated[0]);
  const checked = calls.map((call) => checkCall(turn.settings.tools, call));
  if (checked.every(({ tool }) => tool === undefined || tool.isReadOnly)) await runBeside(turn, checked);
  else for (const each of checked) await runCall(turn, each);
  return countBadCalls(turn, checked);
}

/** Waits for all that have begun also if one could not be written: nothing of the turn goes on behind its end. */
async function runBeside(turn: TurnInHand, checked: readonly CheckedCall[]): Promise<void> {
  // Whoever is done takes the next one; who fails takes none, and the others go on.
  const next = checked.values();
  const runOnAndOn = async (): Promise<void> => {
    for (const each of next) await runCall(turn, each);
  };
  const outcomes = await Promise.allSettled(Array.from({ length: MOST_AT_ONCE }, runOnAndOn));
  const failed = outcomes.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}

async function refuseAll(turn: TurnInHand, calls: readonly StepCall[], { name }: StepCall): Promise<Ending> {
  const { maxSameCalls } = turn.settings;
  const message = `the call of ${name} with the same arguments came ${maxSameCalls} times in a row`;
  for (const call of calls) await refuseCall(turn, call, `not run: ${message}`);
  const words = `Stopped: ${message}, and the last time nothing was run.`;
  return { outcome: "same-call", words, error: { code: "SAME_CALL", message } };
}

function countBadCalls({ badCalls }: TurnInHand, checked: readonly CheckedCall[]): Ending | undefined {
  let ending: Ending | undefined;
  for (const { call, tool } of checked) {
    const times = tool === undefined ? (badCalls.get(call.name) ?? 0) + 1 : 0;
    badCalls.set(call.name, times);
    if (times < MOST_BAD_CALLS) continue;
    const message = `the model could not call ${call.name}: ${times} times in a row its arguments or its name were wrong`;
    const words = `This turn failed: ${message}.`;
    ending ??= { outcome: "failed", words, error: { code: "TOOL_FAILED", message } };
  }
  return ending;
}
