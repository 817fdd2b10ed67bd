/** What an agent tells while it works: one closed union, to one sink, in the order in which it happened. docs/agent.md */

/** Of which turn an event is. */
export interface EventPlace {
  readonly agent: string;
  /** Of the session. */
  readonly key: string;
  /** The same for all events of one turn, and for a compaction that it set off. */
  readonly turn: string;
}

export type TurnEvent =
  /** The user's message is durable, as `seq`. */
  | { readonly type: "turn-start"; readonly seq: number }
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "reasoning-delta"; readonly text: string }
  /** The call is durable; it runs now, unless the result says otherwise. `givenId`: the model's, if it was taken already. */
  | {
      readonly type: "tool-call";
      readonly id: string;
      readonly name: string;
      readonly arguments: unknown;
      readonly givenId?: string;
    }
  /** The result is durable. `content` is what the model will see. */
  | {
      readonly type: "tool-result";
      readonly id: string;
      readonly name: string;
      readonly content: string;
      readonly isError: boolean;
    }
  /** Of one call of the model. `estimated`: the provider did not say, or said nonsense. */
  | {
      readonly type: "usage";
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly cachedTokens?: number;
      readonly estimated: boolean;
    }
  /** The oldest turns are a summary now: `messages` of them. */
  | { readonly type: "compaction"; readonly seq: number; readonly messages: number }
  /** The turn is over and everything of it durable, up to `seq`. The last event of a turn, and there is always one. */
  | { readonly type: "turn-end"; readonly outcome: TurnOutcome; readonly seq: number }
  /** Something went wrong. `retryIn`: it will be tried again after so many milliseconds; otherwise the turn ends. */
  | { readonly type: "error"; readonly code: string; readonly message: string; readonly retryIn?: number };

/** "interrupted": a crash had left it open, and it was closed afterwards. */
export type TurnOutcome = "answered" | "cancelled" | "failed" | "step-limit" | "same-call" | "interrupted";

export type AgentEvent = EventPlace & TurnEvent;

export type EventSink = (event: AgentEvent) => void;
