/** What every command is given, and what every file beside this one exports. */

import type { Command } from "commander";
import type { WorkspaceChoice } from "../config/choose-workspace.ts";
import type { Places } from "../config/places.ts";
import type { StoreSurroundings } from "../sessions/with-store.ts";
import type { Input } from "../terminal/output.ts";
import type { Environment } from "../terminal/process-output.ts";

export interface Surroundings extends StoreSurroundings {
  readonly input: Input;
  readonly environment: Environment;
  /** How this program is called in a shell: `longhand`, or `npx longhand`. */
  readonly program: string;
  /** Files that are named are relative to it. */
  readonly currentDirectory: string;
  readonly workspace: {
    readonly choice: WorkspaceChoice;
    readonly defaultChoice: () => WorkspaceChoice;
    /** The places with another workspace; errors are explained with them from then on. */
    readonly use: (choice: WorkspaceChoice) => Places;
  };
  /** The command is about these from now on; errors are explained with them. */
  actOn(given: Pick<StoreSurroundings, "places" | "toPaste">): void;
  /** From now on Ctrl-C aborts this instead of ending the process. */
  readonly interruption: () => AbortSignal;
  /** Everything was told, and it is not well: the exit code will say so. */
  markFailed(): void;
}

export interface WaitOption {
  readonly wait: number;
}

export interface JsonOption {
  readonly json?: boolean;
}

/** Gives a command its arguments, options, help and action. Called only when that command was asked for. */
export type DefineCommand = (command: Command, begin: (options: JsonOption) => Surroundings) => void;
