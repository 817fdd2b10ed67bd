/** Asks a model that may fail, answer nothing or never answer: a few tries, and one time limit for all of them. */

import type { Host } from "../host/host.ts";
import type { AskModel, Question } from "./types.ts";

const TRIES = 3;
const FIRST_WAIT = 100;

export interface Asking {
  readonly waiting: Pick<Host, "wait">;
  /** Aborted when the answer is not needed any more, or the time is over. */
  readonly signal: AbortSignal;
}

/** Rejects with the last failure, or with the signal's reason. An empty answer is a failure. */
export async function askWithRetries(
  model: AskModel,
  question: Question,
  { waiting, signal }: Asking,
): Promise<string> {
  for (let tried = 1; ; tried += 1) {
    signal.throwIfAborted();
    try {
      const answer = await unlessAborted(model(question, signal), signal);
      if (typeof answer !== "string" || answer.trim() === "") throw new Error("the model answered nothing");
      return answer.trim();
    } catch (error) {
      signal.throwIfAborted();
      if (tried === TRIES) throw error;
    }
    await waiting.wait(FIRST_WAIT * tried, undefined, signal);
  }
}

export class TimeIsUp extends Error {
  override readonly name = "TimeIsUp";

  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds} ms`);
  }
}

/** Runs the task with a signal that aborts after so many milliseconds, or when the caller's does. */
export async function withTimeLimit<T>(
  waiting: Pick<Host, "wait">,
  milliseconds: number,
  outer: AbortSignal | undefined,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const abort = (): void => limit.abort(outer?.reason);
  if (outer?.aborted === true) abort();
  outer?.addEventListener("abort", abort, { once: true });
  const late = new TimeIsUp(milliseconds);
  const done = new AbortController();
  void waiting.wait(milliseconds, "background", done.signal).then(() => {
    if (!done.signal.aborted) limit.abort(late);
  });
  try {
    return await task(limit.signal);
  } finally {
    done.abort();
    outer?.removeEventListener("abort", abort);
  }
}

/** A model that does not listen to the signal must not hold us up: its answer then goes nowhere. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
  });
  signal.addEventListener("abort", stop, { once: true });
  // It may have aborted while the question was being asked.
  if (signal.aborted) stop();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
