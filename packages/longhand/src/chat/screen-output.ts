/** What commands print to, as lines above the input of a chat. */

import type { Output } from "../terminal/output.ts";
import type { ChatTerminal } from "./chat-terminal.ts";
import type { Screen } from "./screen.ts";

export function screenOutput(screen: Screen, terminal: ChatTerminal): Output {
  let begun = "";
  const write = (text: string): void => {
    const lines = (begun + text).split("\n");
    begun = lines.pop() ?? "";
    screen.print(lines);
  };
  return {
    write,
    drained: () => Promise.resolve(),
    writeError: write,
    isClosed: () => false,
    isTerminal: true,
    get width(): number {
      return terminal.width;
    },
    get errorWidth(): number {
      return terminal.width;
    },
    colors: terminal.colors,
    now: () => terminal.now(),
  };
}
