/** The settings of a turn with what is not given filled in. */

import { DEFAULT_CONTEXT_TOKENS, DEFAULT_HISTORY_MESSAGES } from "@longhand/store/context";
import type { RetrySettings, TurnSettings } from "./types.ts";
import { usualAnswerTokens } from "./usual-answer-tokens.ts";

export type FullSettings = Required<Omit<TurnSettings, "retry" | "approve" | "beforeTurn">> & {
  readonly retry: Required<RetrySettings>;
  readonly approve: TurnSettings["approve"];
};

export function fullSettings(settings: TurnSettings): FullSettings {
  const { maxContextTokens = DEFAULT_CONTEXT_TOKENS, retry = {} } = settings;
  const { tries = 4, firstPause = 1000, longestPause = 60_000, total = 300_000, idle = 120_000 } = retry;
  return {
    agent: settings.agent,
    model: settings.model,
    tools: settings.tools,
    system: settings.system,
    events: settings.events,
    maxContextTokens,
    maxAnswerTokens: settings.maxAnswerTokens ?? usualAnswerTokens(maxContextTokens),
    maxHistoryMessages: settings.maxHistoryMessages ?? DEFAULT_HISTORY_MESSAGES,
    maxSteps: settings.maxSteps ?? 25,
    maxSameCalls: settings.maxSameCalls ?? 3,
    retry: { tries, firstPause, longestPause, total, idle },
    toolLimit: settings.toolLimit ?? 120_000,
    maxToolResultBytes: settings.maxToolResultBytes ?? 50_000,
    approve: settings.approve,
    redact: settings.redact ?? ((text) => text),
  };
}
