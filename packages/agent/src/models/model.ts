/** A model, as the turn sees one. Ours and small, so that nobody's next major version reaches further than its adapter. */

import type { Message } from "@longhand/store";
import type { ToolSchema } from "@longhand/store/context";

export interface Model {
  /** As it is shown and kept with each answer, e.g. "ollama:gemma4:e4b". */
  readonly name: string;
  /** Whether it can be asked for summaries and facts; the offline assistant cannot. @default true */
  readonly canSummarise?: boolean;
  /**
   * One answer. Ends after "finish"; an iteration that ends without one was cut off, and so it is when it throws. Throws an
   * AgentError with a MODEL_ code; `detail.retryAfter` has the milliseconds a server asked for. Rejects soon after the signal.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** Whether it is there, asked without letting it generate. Rejects only with the signal's reason. @default it cannot be told */
  check?(signal: AbortSignal): Promise<ModelCheck>;
}

export type ModelCheck =
  | { readonly result: "usable" }
  /** `reason` is for a person. "unknown": the check itself could not be made. */
  | { readonly result: "unusable" | "unknown"; readonly reason: string };

export interface ModelRequest {
  /** From buildContext: at most one system message, the first, and valid for strict providers. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSchema[];
  /** Of the whole request, the answer included: what Ollama's num_ctx is set to. */
  readonly contextTokens: number;
  /** Of the answer. */
  readonly maxTokens: number;
}

export type ModelEvent =
  /** Empty text is a sign of life: the arguments of a call are being written. */
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** Whole: nothing of a call that was cut off is ever told. `id` and `arguments` (JSON text) are as the model wrote them, checked by nobody: two calls may have one id. */
  | {
      readonly type: "tool-call";
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
      /** The call contradicts itself and is not run: the model gets this text as its result. */
      readonly refusal?: string;
    }
  | { readonly type: "finish"; readonly reason: FinishReason; readonly usage: ReportedUsage };

export type FinishReason = "stop" | "tool-calls" | "length" | "content-filter" | "other";

/** As the provider says; absent or nonsensical figures are `undefined`, never a guess. */
export interface ReportedUsage {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly cachedTokens: number | undefined;
}
