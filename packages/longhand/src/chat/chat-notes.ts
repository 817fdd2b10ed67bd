/** What a chat itself prints above its input, as opposed to what the agent says: whatever is in it, it is safe to print. */

import type { ToPaste } from "../terminal/command-to-paste.ts";
import { escapeControls } from "../terminal/escape-controls.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import type { ChatTerminal } from "./chat-terminal.ts";
import { describeFailure } from "./describe-failure.ts";
import type { Screen } from "./screen.ts";

export const PROMPT = "❯ ";

export class ChatNotes {
  readonly #screen: Screen;
  readonly #terminal: ChatTerminal;
  readonly #toPaste: ToPaste;

  constructor(screen: Screen, terminal: ChatTerminal, toPaste: ToPaste) {
    this.#screen = screen;
    this.#terminal = terminal;
    this.#toPaste = toPaste;
  }

  print(text: string, color: "red" | "yellow" | "cyan" | "dim"): void {
    const { colors, width } = this.#terminal;
    this.#screen.print(wrapText(escapeControls(text), width).map((line) => colors[color](line)));
  }

  /** What somebody has typed, when its turn has come. */
  echo(text: string): void {
    const { colors, width } = this.#terminal;
    const lines = wrapText(escapeControls(text), width - PROMPT.length);
    const painted = lines.map((line, index) => colors.cyan((index === 0 ? PROMPT : "  ") + line));
    this.#screen.print([...painted, ""]);
  }

  failure(error: unknown): void {
    this.print(describeFailure(error, this.#toPaste), "red");
  }

  /** What it throws is told. */
  async guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.failure(error);
    }
  }
}
