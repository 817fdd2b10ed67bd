/** Asks before something that cannot be undone. Where nobody can be asked, `--yes` must have been given. */

import { CommandError } from "../command-error.ts";
import type { Input, Output } from "./output.ts";

export interface Confirmation {
  /** Ends with a question mark. */
  readonly question: string;
  /** `--yes` was given. */
  readonly yes: boolean;
  /** The same command with `--yes`, to paste. */
  readonly command: string;
  /** Why it is asked. @default "this cannot be undone" */
  readonly because?: string;
}

interface Asked {
  readonly output: Output;
  readonly input: Input;
  readonly json: boolean;
}

/** Rejects with NOT_CONFIRMED unless the answer is yes. */
export async function confirm({ output, input, json }: Asked, given: Confirmation): Promise<void> {
  const { question, yes, command, because = "this cannot be undone" } = given;
  if (yes) return;
  // Both ends must be a person's: a question that nobody sees is not answered by what comes next on the input.
  if (json || !input.isTerminal || output.errorWidth === undefined) {
    throw new CommandError("NOT_CONFIRMED", `${because}, and needs --yes; nothing was changed`, {
      remedy: command,
    });
  }
  output.writeError(`${question} [y/N] `);
  if (/^y(es)?$/i.test(((await input.readLine()) ?? "").trim())) return;
  throw new CommandError("NOT_CONFIRMED", "nothing was changed");
}
