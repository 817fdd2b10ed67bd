/** What a turn needs and what comes of it. The meaning of each step is in docs/turn.md. */

import type { Message } from "@longhand/store";
import type { EventSink, TurnOutcome } from "../events.ts";
import type { Mailbox } from "../kernel/mailbox.ts";
import type { Model } from "../models/model.ts";
import type { Approve, Tool } from "../tools/tool.ts";

/** What somebody said to an agent. */
export interface Said {
  readonly text: string | Message["content"];
  /** Who spoke, in a group. */
  readonly name?: string;
  /** Makes saying it twice safe: it is kept, and answered, once. */
  readonly id?: string;
}

export interface TurnSettings {
  readonly agent: string;
  readonly model: Model;
  readonly tools: readonly Tool[];
  /** The system prompt, made anew for each call of the model: memory and skills change. */
  readonly system: (about: string) => Promise<string>;
  /** @default 32000 */
  readonly maxContextTokens?: number;
  /** @default 4096, or a quarter of maxContextTokens if that is less */
  readonly maxAnswerTokens?: number;
  /** More messages than this in the view are compacted before the model is asked. @default 50 */
  readonly maxHistoryMessages?: number;
  /** Calls of the model in one turn. @default 25 */
  readonly maxSteps?: number;
  /** The same call with the same arguments so often in a row ends the turn. @default 3 */
  readonly maxSameCalls?: number;
  readonly retry?: RetrySettings;
  /** Milliseconds for one tool call. @default 120000 */
  readonly toolLimit?: number;
  /** Bytes of a tool's result that are kept; the middle goes. @default 50000 */
  readonly maxToolResultBytes?: number;
  readonly approve?: Approve;
  /** Hides secrets in what tools answer and in errors. @default nothing is hidden */
  readonly redact?: (text: string) => string;
  readonly events: EventSink;
  /** Called under the session's lock, before the first record of the turn is written. It must not reject. @default nothing */
  readonly beforeTurn?: () => Promise<void>;
}

export interface RetrySettings {
  /** @default 4 tries in all */
  readonly tries?: number;
  /** Milliseconds. @default 1000 */
  readonly firstPause?: number;
  /** What a server asks for is capped at this too. @default 60000 */
  readonly longestPause?: number;
  /** Milliseconds for all tries of one call of the model together, pauses included. @default 300000 */
  readonly total?: number;
  /** Milliseconds without any event of the model. @default 120000 */
  readonly idle?: number;
}

export interface RunningTurn {
  readonly id: string;
  /** Aborts the turn; what is there stays, as a valid history. */
  readonly signal: AbortSignal;
  /** What somebody says meanwhile and wants considered at the next step. */
  readonly steering: Pick<Mailbox<Said>, "tryTake" | "size">;
  /** Told of what was taken from there and could not be kept. The turn goes on, unless nothing at all can be kept. */
  readonly refused?: (said: Said, error: unknown) => void;
  /** Told when it was answered with the whole view in sight: how many tokens the next request has left. */
  readonly onFree?: (tokens: number) => void;
}

export interface TurnResult {
  readonly turn: string;
  readonly outcome: TurnOutcome;
  /** The last answer of the model, as shown. */
  readonly text: string;
  /** Of the last record of the turn. */
  readonly seq: number;
  /** Why it is not "answered". */
  readonly error?: { readonly code: string; readonly message: string };
}
