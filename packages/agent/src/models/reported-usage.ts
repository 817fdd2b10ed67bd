/** What a provider says about tokens, as far as it can be true. */

import type { LanguageModelV3Usage } from "@ai-sdk/provider";
import type { ReportedUsage } from "./model.ts";

/** Providers put 0 where the server said nothing: a request has tokens, and so has an answer that `saidSomething`. */
export function reportedUsage(
  usage: LanguageModelV3Usage | undefined,
  saidSomething: boolean,
): ReportedUsage {
  const inputTokens = positive(usage?.inputTokens.total);
  const cached = count(usage?.inputTokens.cacheRead);
  return {
    inputTokens,
    outputTokens: saidSomething ? positive(usage?.outputTokens.total) : count(usage?.outputTokens.total),
    cachedTokens: cached !== undefined && cached <= (inputTokens ?? 0) ? cached : undefined,
  };
}

function positive(value: number | undefined): number | undefined {
  return value === 0 ? undefined : count(value);
}

function count(value: number | undefined): number | undefined {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
