/** The terminal that a chat happens in. Handed in, so that a chat can be tested without one. */

import type { Colors } from "../terminal/output.ts";

export interface ChatTerminal {
  write(text: string): void;
  /** As they are now, in columns and rows. */
  readonly width: number;
  readonly height: number;
  readonly colors: Colors;
  now(): Date;
  /** From now on keys come one by one, and nothing echoes them. The function that is returned ends it. */
  open(listener: TerminalListener): () => void;
  /** Ctrl-Z. Resolves when the chat is in the foreground again, with the keys as before. */
  suspend(): Promise<void>;
}

export interface TerminalListener {
  bytes(chunk: Uint8Array): void;
  resized(): void;
  /** Nothing will ever come any more: the terminal is gone. */
  ended(): void;
}
