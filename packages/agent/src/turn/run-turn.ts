/**
 * One turn: somebody says something, and the agent works on it until it has answered. Everything is durable before the next
 * thing relies on it: the words before the model is called, a call before it runs, its result before the next step. A kill at
 * any point leaves what recover-turn.ts can close; a cancel at any point leaves a valid history. docs/turn.md
 */

import { isLonghandError, type Message, type Session } from "@longhand/store";
import { abortReason } from "../kernel/abort-reason.ts";
import { earlierTurn } from "./earlier-turn.ts";
import { failureOf } from "./failure-of.ts";
import { fullSettings } from "./full-settings.ts";
import { saysSomething } from "./says-something.ts";
import { isKnownToHaveEnded, noteEnd } from "./known-end.ts";
import { LONGEST_LOCK_WAIT } from "./longest-lock-wait.ts";
import { closeOpenTurn } from "./recover-turn.ts";
import { runCalls } from "./run-calls.ts";
import { takeStep } from "./take-step.ts";
import { closeTurn, ownMessage } from "./turn-log.ts";
import { TurnInHand, userMessage, type Ending } from "./turn-in-hand.ts";
import type { RunningTurn, Said, TurnResult, TurnSettings } from "./types.ts";

/**
 * Rejects only if the words could not be kept, or the event sink threw. What steers the turn is taken from `running.steering`
 * between steps; what is left in it afterwards came too late.
 */
export async function runTurn(
  session: Session,
  said: Said,
  running: RunningTurn,
  settings: TurnSettings,
): Promise<TurnResult> {
  const turn = new TurnInHand(session, running, fullSettings(settings));
  const lock = await session.lock({ wait: LONGEST_LOCK_WAIT, signal: running.signal });
  try {
    if (!(await isKnownToHaveEnded(session))) await closeOpenTurn(session, settings);
    const earlier = await earlierTurn(session, userMessage(said), said.id);
    if (earlier !== undefined) return earlier;
    if (running.signal.aborted) throw abortReason(running.signal);
    await settings.beforeTurn?.();
    turn.emit({ type: "turn-start", seq: await turn.begin(said) });
    const result = await end(turn, await work(turn));
    if (turn.isEnded) await noteEnd(session, turn.seq);
    const { freeTokens } = turn;
    if (result.outcome === "answered" && freeTokens !== undefined) running.onFree?.(freeTokens);
    turn.throwIfSinkFailed();
    return result;
  } finally {
    await lock[Symbol.asyncDispose]();
  }
}

async function work(turn: TurnInHand): Promise<Ending> {
  try {
    return await takeSteps(turn);
  } catch (error) {
    if (turn.signal.aborted) return CANCELLED;
    const failure = failureOf(error, turn.settings.redact);
    const words = `This turn failed: ${failure.message} (${failure.code})`;
    return { outcome: "failed", words, error: failure };
  }
}

async function takeSteps(turn: TurnInHand): Promise<Ending> {
  const { maxSteps } = turn.settings;
  for (let step = 1; step <= maxSteps; step += 1) {
    if (turn.signal.aborted) return CANCELLED;
    const calls = await takeStep(turn);
    if (turn.isEnded) return { outcome: "answered" };
    const ending = await runCalls(turn, calls);
    if (ending !== undefined) return ending;
    // What came during the last step is a turn of its own: nobody would answer it in this one.
    const wasSteered = step < maxSteps && (await hearSteering(turn));
    if (calls.length === 0 && !wasSteered) return { outcome: "answered" };
  }
  if (turn.signal.aborted) return CANCELLED;
  const message = `no final answer after ${maxSteps} steps, the most that one turn may take`;
  const words = `Stopped: ${message}. Say "go on" to continue.`;
  return { outcome: "step-limit", words, error: { code: "STEP_LIMIT", message } };
}

const CANCELLED: Ending = {
  outcome: "cancelled",
  words: "Cancelled before the answer was complete.",
  error: { code: "CANCELLED", message: "the turn was cancelled" },
};

async function hearSteering(turn: TurnInHand): Promise<boolean> {
  let wasSteered = false;
  // Who cancels does not want it considered: it is left for whoever asks next.
  while (!turn.signal.aborted) {
    const said = turn.running.steering.tryTake();
    if (said === undefined) break;
    const { seq } = turn;
    try {
      if ((await turn.hear(said)) > seq) wasSteered = true;
    } catch (error) {
      turn.running.refused?.(said, error);
      if (!isRefusal(error)) throw error;
    }
  }
  return wasSteered;
}

/** The words themselves cannot be kept; others can. */
function isRefusal(error: unknown): boolean {
  return (["ID_CONFLICT", "MESSAGE_INVALID", "MESSAGE_TOO_LARGE"] as const).some((code) =>
    isLonghandError(error, code),
  );
}

/** Nothing here listens to the signal: what a cancelled turn leaves must be whole, too. */
async function end(turn: TurnInHand, ending: Ending): Promise<TurnResult> {
  const { session, running } = turn;
  if (turn.isEnded) return told(turn, ending);
  if (ending.outcome === "failed") turn.emit({ type: "error", ...ending.error });
  const error = ending.outcome === "answered" ? {} : { error: ending.error };
  try {
    const messages = await closingMessages(turn, ending);
    const mark = { turn: running.id, state: "ended", outcome: ending.outcome, ...error } as const;
    turn.seq = await closeTurn(session, messages, mark);
    turn.isEnded = true;
  } catch (problem) {
    // Nothing can be written. The turn stays open on the disk, and is closed when somebody opens the session again.
    const failure = failureOf(problem, turn.settings.redact);
    if (ending.outcome !== "failed") turn.emit({ type: "error", ...failure });
    return told(turn, {
      outcome: "failed",
      words: "",
      error: ending.outcome === "failed" ? ending.error : failure,
    });
  }
  return told(turn, ending);
}

function told(turn: TurnInHand, ending: Ending): TurnResult {
  const { outcome } = ending;
  const { seq, text, running } = turn;
  turn.emit({ type: "turn-end", outcome, seq });
  return { turn: running.id, outcome, text, seq, ...(outcome === "answered" ? {} : { error: ending.error }) };
}

/** Calls without a result, what was shown and is in no message yet, and how it ended. */
async function closingMessages(turn: TurnInHand, ending: Ending): Promise<Message[]> {
  if (ending.outcome === "answered") return [];
  const { partial, settings } = turn;
  if (partial === undefined) {
    const results = [...turn.openCalls.values()].map(({ id, name }) => lostResult(id, name));
    return [...results, ownMessage(ending.outcome, ending.words)];
  }
  await partial.settle();
  const { text, reasoning } = partial;
  if (!saysSomething(text)) return [ownMessage(ending.outcome, ending.words, reasoning)];
  turn.text = text;
  const shown: Message = {
    role: "assistant",
    content: text,
    ...(reasoning === "" ? {} : { reasoning }),
    model: settings.model.name,
    stopReason: ending.outcome === "cancelled" ? "cancelled" : "aborted",
  };
  return [shown, ownMessage(ending.outcome, ending.words)];
}

/** Of a call that could not be answered, as when the disk was full for a moment. */
function lostResult(toolCallId: string, name: string): Message {
  const content = "[no result was kept: it may have run; look at what it has done before you do it again]";
  return { role: "tool", toolCallId, ...(name === "" ? {} : { name }), content, isError: true };
}
