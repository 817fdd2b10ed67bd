/**
 * `longhand` alone is `longhand chat`, on a terminal and over a pipe, where an empty one is answered by the help; and an option that only
 * the chat has means the chat anywhere.
 */

import type { Input, Output } from "./terminal/output.ts";

/** Options of the program that are followed by a value. */
const WITH_VALUE = new Set(["--home", "--workspace", "--sessions", "--memory"]);
const OF_CHAT = /^(?:-m|--message|-c|--continue|--model|--agent)(?:$|=)|^-m./;

export function withChat(
  commandLine: readonly string[],
  { input, output }: { readonly input: Input; readonly output: Output },
): readonly string[] {
  const index = firstOwnWord(commandLine);
  const [first, second] = commandLine.slice(index);
  const inserted = (...words: readonly string[]): readonly string[] => [
    ...commandLine.slice(0, index),
    ...words,
    ...commandLine.slice(index),
  ];
  if (first === undefined) {
    if (!input.isTerminal) return inserted("chat", "--or-help");
    return output.isTerminal ? inserted("chat") : commandLine;
  }
  return OF_CHAT.test(first) || isJsonAlone(first, second) ? inserted("chat") : commandLine;
}

/** Before a command it is in the wrong place, which is told. */
function isJsonAlone(first: string, second: string | undefined): boolean {
  return first === "--json" && (second === undefined || OF_CHAT.test(second));
}

/** The first that is no option of the program itself. */
export function firstOwnWord(commandLine: readonly string[]): number {
  let index = 0;
  for (; index < commandLine.length; index++) {
    const word = commandLine[index] ?? "";
    if (WITH_VALUE.has(word)) index++;
    else if (word !== "--no-color" && ![...WITH_VALUE].some((option) => word.startsWith(`${option}=`))) break;
  }
  return Math.min(index, commandLine.length);
}
