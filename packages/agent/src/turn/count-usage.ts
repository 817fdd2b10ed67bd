/** What one call of a model has cost: as the provider says where that can be true, else as estimated. Never negative. */

import type { Usage } from "@longhand/store";
import { estimateTokens, type ContextUsage } from "@longhand/store/context";
import type { ReportedUsage } from "../models/model.ts";
import type { AskedCall } from "./stream-answer.ts";

export interface CountedUsage extends Usage {
  /** One of the figures is ours. */
  readonly estimated?: true;
}

export interface AnswerSize {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly AskedCall[];
}

export function countUsage(reported: ReportedUsage, request: ContextUsage, answer: AnswerSize): CountedUsage {
  const input = isCount(reported.inputTokens) && reported.inputTokens > 0 ? reported.inputTokens : undefined;
  const output = isCount(reported.outputTokens) ? reported.outputTokens : undefined;
  const inputTokens = input ?? requestTokens(request);
  const outputTokens = output ?? answerTokens(answer);
  const { cachedTokens: cached } = reported;
  return {
    inputTokens,
    outputTokens,
    ...(isCount(cached) && cached <= inputTokens ? { cachedTokens: cached } : {}),
    ...(input === undefined || output === undefined ? { estimated: true } : {}),
  };
}

export function requestTokens({ system, tools, summary, turns }: ContextUsage): number {
  return system + tools + summary + turns;
}

function answerTokens({ text, reasoning, calls }: AnswerSize): number {
  const texts = [text, reasoning, ...calls.map((call) => call.name + call.arguments)];
  return texts.reduce((tokens, each) => tokens + estimateTokens(each), 0);
}

function isCount(value: number | undefined): value is number {
  return Number.isSafeInteger(value) && (value ?? -1) >= 0;
}
