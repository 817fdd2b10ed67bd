/** Asks a question whose usual answer is yes: Enter is a yes, the end of the input is not. */

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

export async function askYes({ output, input }: AskDeps, question: string): Promise<boolean> {
  for (;;) {
    output.writeError(`${question} [Y/n] `);
    const line = await input.readLine();
    if (line === undefined) output.writeError("\n");
    const answer = line?.trim() ?? "no";
    if (/^(y(es)?)?$/i.test(answer)) return true;
    if (/^no?$/i.test(answer)) return false;
  }
}
