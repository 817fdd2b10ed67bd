/** The public face of the context: what docs and callers speak of. Meanings are in docs/context.md. */

import type { Message } from "../format/message.ts";

/** A model, as far as summaries and memory need one: text in, text out. Rejects when the signal aborts. */
export type AskModel = (question: Question, signal: AbortSignal) => Promise<string>;

export interface Question {
  readonly system: string;
  readonly user: string;
  /** The answer should not be longer. */
  readonly maxTokens: number;
}

/** How many tokens a text has. */
export interface TokenEstimator {
  readonly name: string;
  /** Of bare text; linear in its length. */
  tokensOf(text: string): number;
  /** Of a whole message, with what surrounds it on the wire. */
  tokensOfMessage(message: Message): number;
  /** Of a tool that is sent along. @default from `tokensOf` its name, description and schema */
  tokensOfTool?(tool: ToolSchema): number;
}

/** As it is sent along with a request. */
export interface ToolSchema {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema. */
  readonly parameters?: unknown;
}

export interface ContextOptions {
  /** Of the whole request, the answer included. @default 32000 */
  readonly maxTokens?: number;
  /** Of the request as JSON. @default no limit */
  readonly maxBytes?: number;
  /** Tokens kept free for the answer. @default 4096, or a quarter of maxTokens if that is less */
  readonly reserve?: number;
  readonly tools?: readonly ToolSchema[];
  /** The system prompt; the summary and the pins go behind it. */
  readonly system?: string;
  /** Whose reported usage corrects the estimate. */
  readonly model?: string;
  /** @default the standard one */
  readonly estimator?: TokenEstimator;
}

/** Everything in tokens. `free` is what another turn could still take. */
export interface ContextUsage {
  readonly maxTokens: number;
  readonly reserve: number;
  readonly system: number;
  readonly tools: number;
  /** The summary and the pins. */
  readonly summary: number;
  readonly turns: number;
  readonly free: number;
  /** Of the request as JSON. */
  readonly bytes: number;
}

export interface Context<M extends Message = Message> {
  /** At most one system message, the first; then whole turns, oldest first. Valid for strict providers. */
  readonly messages: readonly M[];
  /** Of each message, in the same order; 0 for the system message. One of ours has that of the message it was needed for. */
  readonly seqs: readonly number[];
  readonly usage: ContextUsage;
  /** The seq of the oldest message of a turn that is in it. `undefined`: there is none. */
  readonly firstSeq: number | undefined;
  /** The live messages that are not in it: those of `omitted`, and steps of the current turn that did not fit. They stay in the log. */
  readonly messagesNotShown: number;
  /**
   * Messages that are neither shown nor summarised: earlier turns, and tool results that belong to no call. The system
   * message names them in one line. `undefined`: none.
   */
  readonly omitted: OmittedMessages | undefined;
  /** What is not as the log has it, since a strict provider would refuse it. */
  readonly repairs: readonly HistoryRepair[];
  /** What was shortened to make it fit: in the current turn, in the summary, and the pins that are left out. */
  readonly shortened: readonly Shortened[];
}

/** `from` and `to`: the seqs of the first and the last record. Between them there can be messages that are shown. */
export interface OmittedMessages {
  readonly messages: number;
  readonly from: number;
  readonly to: number;
  /** The same as ranges, in order, without messages that are shown. */
  readonly records: readonly SeqRange[];
  /** How many of them do not fit: a compaction summarises them. The others are unmatched tool results (see `repairs`). */
  readonly unfit: number;
}

/** Both ends are included. */
export interface SeqRange {
  readonly from: number;
  readonly to: number;
}

/** `seq`: of the message that is concerned. */
export interface HistoryRepair {
  readonly seq: number;
  readonly kind:
    /** A result without a call is left out. */
    | "orphan-result"
    /** A second result of one call is left out. */
    | "second-result"
    /** A call without a result gets one that says so. */
    | "missing-result"
    /** A result that came late is put behind its call. */
    | "moved-result"
    /** A call without an id, or with one that was used before, gets one of its own, and so does its result. */
    | "renamed-call"
    /** A system message in the middle goes to the system message at the beginning. */
    | "moved-system"
    /** An answer before the first question gets a user message of ours before it. */
    | "leading-answer"
    /** A message that says nothing is left out, or says so. */
    | "empty-message";
  readonly detail: string;
}

export interface Shortened {
  /** Of the message; of the first one for steps; 0 for the summary. */
  readonly seq: number;
  readonly what: "tool-result" | "text" | "media" | "reasoning" | "steps" | "summary" | "pin";
  /** In characters; for steps in messages. */
  readonly before: number;
  readonly after: number;
}
