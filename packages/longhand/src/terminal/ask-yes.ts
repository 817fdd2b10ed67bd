/** Asks a question that is answered by yes or no. Enter is the usual answer. */

import { CommandError } from "../command-error.ts";
import type { Input, Output } from "./output.ts";

export interface AskDeps {
  readonly output: Output;
  readonly input: Input;
  readonly json: boolean;
}

/** Both ends must be a terminal: a question that is not seen is not answered by what comes next on the input. */
export function canAsk({ output, input, json }: AskDeps): boolean {
  return !json && input.isTerminal && output.errorWidth !== undefined;
}

/** NOT_CONFIRMED if the input ends without an answer (Ctrl-D): a terminal that has ended cannot be read from afterwards. */
export async function askYes(
  { output, input }: AskDeps,
  question: string,
  usual: "yes" | "no" = "yes",
): Promise<boolean> {
  for (;;) {
    output.writeError(`${question} ${usual === "yes" ? "[Y/n]" : "[y/N]"} `);
    const line = await input.readLine();
    if (line === undefined) {
      output.writeError("\n");
      throw new CommandError("NOT_CONFIRMED", "no answer; nothing was changed");
    }
    const answer = line.trim() === "" ? usual : line.trim();
    if (/^y(es)?$/i.test(answer)) return true;
    if (/^no?$/i.test(answer)) return false;
  }
}
