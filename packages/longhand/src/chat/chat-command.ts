/** A command of the chat, `/name argument`, and what one is given. Each is a file in commands/. */

import type { AgentInstance, Conversation, Model } from "@longhand/agent";
import type { AskModel } from "@longhand/store/context";
import type { ToPaste } from "../terminal/command-to-paste.ts";
import type { Output } from "../terminal/output.ts";

export interface ChatCommand {
  readonly name: string;
  /** As the help shows it; empty: it takes none. */
  readonly argument: string;
  readonly summary: string;
  /** It changes what a turn works on: while one runs, it waits like a message. */
  readonly waits: boolean;
  /** What it throws is told like any failure. */
  run(argument: string, world: CommandWorld): Promise<void>;
}

export interface CommandWorld extends ChatSurroundings {
  readonly commands: readonly ChatCommand[];
  /** The one that the chat is in. */
  readonly conversation: Conversation;
  readonly output: Output;
  /** Ctrl-C. */
  readonly signal: AbortSignal;
  /** `isQuiet`: its last turns are not shown. */
  readonly switchTo: (key: string, options?: { readonly isQuiet?: boolean }) => Promise<void>;
  /** Said to the turn that runs; without one, as any message. */
  readonly sayNow: (text: string) => void;
  readonly leave: () => void;
}

/** What a chat in any form needs from who starts it. */
export interface ChatSurroundings {
  readonly agent: AgentInstance;
  readonly toPaste: ToPaste;
  /** `chat`, with --agent where another agent than the first was asked for. @default "chat" */
  readonly chatWords?: string;
  /** Why the offline assistant answers, where nobody has asked for it. */
  readonly whyOffline?: string | undefined;
  /** Files that are named are relative to it. */
  readonly currentDirectory: string;
  /** From what a person typed to a model; rejects with an error that helps. */
  readonly chooseModel: (wanted: string) => Promise<Model>;
  /** Writes summaries for /compact. @default they are made without a model */
  readonly ask?: AskModel;
}
