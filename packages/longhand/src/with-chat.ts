/** `longhand` alone, on a terminal, is `longhand chat`; and an option that only the chat has means the chat anywhere. */

import type { Input, Output } from "./terminal/output.ts";

/** Options of the program that are followed by a value. */
const WITH_VALUE = new Set(["--home", "--workspace", "--sessions", "--memory"]);
const OF_CHAT = /^(?:-m|--message|-c|--continue|--model|--agent)(?:$|=)|^-m./;

export function withChat(
  commandLine: readonly string[],
  { input, output }: { readonly input: Input; readonly output: Output },
): readonly string[] {
  const index = firstOwnWord(commandLine);
  const first = commandLine[index];
  const isChat = first === undefined ? input.isTerminal && output.isTerminal : OF_CHAT.test(first);
  return isChat ? [...commandLine.slice(0, index), "chat", ...commandLine.slice(index)] : commandLine;
}

/** The first that is no option of the program itself. */
function firstOwnWord(commandLine: readonly string[]): number {
  let index = 0;
  for (; index < commandLine.length; index++) {
    const word = commandLine[index] ?? "";
    if (WITH_VALUE.has(word)) index++;
    else if (word !== "--no-color" && ![...WITH_VALUE].some((option) => word.startsWith(`${option}=`))) break;
  }
  return Math.min(index, commandLine.length);
}
