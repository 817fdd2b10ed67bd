/** The public face of the loop: several named agents in one process. docs/agent.md */

import type { LonghandErrorCode, Session, Store } from "@longhand/store";
import type { Memory, Scope } from "@longhand/store/memory";
import type { ProblemCode } from "../errors.ts";
import type { AgentEvent } from "../events.ts";
import type { Model } from "../models/model.ts";
import type { Skills } from "../skills/types.ts";
import type { Approve, Tool, ToolContext } from "../tools/tool.ts";
import type { TurnRequest } from "../turn/turn-request.ts";
import type { RetrySettings, Said, TurnResult } from "../turn/types.ts";

export interface LoopOptions {
  readonly agents: readonly AgentSettings[];
  /** Everything that happens, of all agents. It must not throw; it is never waited for. */
  readonly events: (event: AgentEvent) => void;
  /** @default nobody is there to ask: refused */
  readonly approve?: Approve;
  /** Told what is wrong and goes on nevertheless: a store that fell back, a skill that is invalid, an actor that crashed. */
  readonly onProblem: (problem: Problem) => void;
}

export interface Problem {
  readonly agent: string | undefined;
  /** One of ours, or of the store's errors. */
  readonly code: ProblemCode | LonghandErrorCode;
  /** For a person, with the remedy. */
  readonly message: string;
}

export interface AgentSettings {
  readonly name: string;
  /** The tools work in it, and it is the only place they may write to. */
  readonly workspace: string;
  /** Directory of the store. `undefined`: kept in memory, and gone with the process. */
  readonly sessions: string | undefined;
  /** Take over sessions of other programs that are in that directory, and tell of each file. @default false */
  readonly migrateSessions?: boolean;
  /** Directory of the memory. `undefined`: the agent has none. */
  readonly memory: string | undefined;
  readonly model: Model;
  /** What the agent is told about itself, before skills and memory. */
  readonly instructions: string;
  /** Whose memory a session has, where its key tells; `undefined`: it does not. @default the local scope for all */
  readonly scopeOf?: (key: string) => Scope | undefined;
  /** Called once, when its memory is open. */
  readonly tools: (given: ToolSurroundings) => readonly Tool[];
  readonly skills: Skills;
  readonly maxContextTokens?: number;
  readonly maxAnswerTokens?: number;
  /** More messages than this in the view are compacted, after a turn or before the next. @default 50 */
  readonly maxHistoryMessages?: number;
  readonly maxSteps?: number;
  readonly retry?: RetrySettings;
  /** Milliseconds for one call of a tool. @default 120000 */
  readonly toolLimit?: number;
  /** Hides secrets in what tools answer. @default nothing is hidden */
  readonly redact?: (text: string) => string;
  readonly consolidation?: ConsolidationSettings;
}

/** When turns are consolidated into the memory. docs/memory.md#when-turns-are-consolidated */
export interface ConsolidationSettings {
  /** Turns of one session that make a batch. @default 6 */
  readonly batchTurns?: number;
  /** Milliseconds without a turn in a session, after which its turns are a batch. @default 300000 */
  readonly idleMs?: number;
  /** Milliseconds after the start until the catch-up begins, if no answer has begun before. @default 10000 */
  readonly startDelayMs?: number;
  /** Milliseconds that closing waits for a request in flight. @default 1000 */
  readonly graceMs?: number;
}

/** What a catch-up has done. */
export interface CaughtUp {
  /** Sessions with turns that are in the memory now. */
  readonly consolidated: number;
  /** Why it ended early. */
  readonly failure: string | undefined;
  /** Sessions that still wait and could be consolidated. */
  readonly waiting: number;
  /** Sessions with nothing left but a last turn that has no answer: consolidated once the conversation is continued. */
  readonly open: number;
}

export interface ToolSurroundings {
  readonly store: Store;
  readonly memory: Pick<Memory, "recall" | "remember"> | undefined;
  /** Whose memory a call may read and add to. */
  readonly scopeOf: (context: ToolContext) => Scope;
}

export interface AgentLoop extends AsyncDisposable {
  readonly agents: readonly AgentInstance[];
  /** @default the first. AGENT_UNKNOWN names those there are. */
  agent(name?: string): AgentInstance;
  /** Turns in hand are cancelled, their writes waited for; then agent by agent its memory and its store. Idempotent. */
  close(): Promise<void>;
}

export interface AgentInstance {
  readonly name: string;
  readonly workspace: string;
  readonly store: Store;
  readonly memory: Memory | undefined;
  /** "jsonl" as a rule; "json" where the store could not be opened; "memory" where nothing is to be kept. */
  readonly keptBy: "jsonl" | "json" | "memory";
  readonly tools: readonly Tool[];
  readonly skills: Skills;
  readonly model: Model;
  /** From the next call of a model on. */
  useModel(model: Model): void;
  /** What the next request of this session would be built from: `buildContext` with these options is what the model is sent. */
  contextOptions(key: string): Promise<TurnRequest>;
  /**
   * `scope`: whose memory it reads and adds to. The same conversation as long as anybody holds it: another scope for it is
   * OPTION_INVALID. @default that of the conversation, else what `scopeOf` says, else the local scope
   */
  conversation(key: string, options?: { scope?: Scope }): Conversation;
  /** Consolidates every session that waits now, whatever the pause after a failure, and resolves when that is done. */
  catchUpMemory(): Promise<CaughtUp>;
}

export interface SayOptions {
  /**
   * "wait" for the turn that runs; "steer" it (considered at its next step, or else a turn of its own; resolves with the turn
   * that considered it); or "cancel" it first. @default "wait"
   */
  readonly whenBusy?: "wait" | "steer" | "cancel";
  /** Takes it back while it waits, and cancels its turn afterwards. One that steers belongs to the turn once it is considered. */
  readonly signal?: AbortSignal | undefined;
}

export interface Conversation {
  readonly key: string;
  /** Whose memory it reads and adds to. */
  readonly scope: Scope;
  readonly session: Session;
  /** A turn runs or waits. */
  readonly isBusy: boolean;
  /** Resolves when the turn is over, whatever its outcome; rejects only if the words could not be kept. */
  say(said: Said, options?: SayOptions): Promise<TurnResult>;
  /** The turn that runs, or the oldest one that waits. `false`: there was none. Resolves when it has ended. */
  cancel(): Promise<boolean>;
  /**
   * Closes a turn that a crash has left open. `undefined`: there was none. Done by `say` too. Takes no lock where no turn is open. `wait`:
   * milliseconds for somebody who works on the session; then it is left to them. @default until they are done
   */
  recover(options?: { wait?: number }): Promise<TurnResult | undefined>;
  /** Compaction that a turn has set off in the background. Consolidation is not waited for. */
  settled(): Promise<void>;
  /** The caller goes on with another conversation: the turns of this one are consolidated, in the background. */
  leave(): void;
}
