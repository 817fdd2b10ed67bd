/** Where a command prints. Handed in, so that commands can be run by tests and know nothing of the process. */

import type picocolors from "picocolors";

export type Colors = ReturnType<typeof picocolors.createColors>;

export interface Output {
  /** To standard output: what was asked for. */
  write(text: string): void;
  /** Resolves when there is room for more, so that a slow reader slows the writer; at once where nobody reads any more. */
  drained(): Promise<void>;
  /** To standard error: warnings and progress. */
  writeError(text: string): void;
  /** Nobody reads any more (`| head -1`): a long answer may stop. */
  isClosed(): boolean;
  readonly isTerminal: boolean;
  /** In columns; `undefined`: no limit, since what reads it is not a terminal. */
  readonly width: number | undefined;
  /** The same of standard error. */
  readonly errorWidth: number | undefined;
  readonly colors: Colors;
  now(): Date;
}

export interface Input {
  readonly isTerminal: boolean;
  /** Everything there is to read, up to `limit` bytes; more is an error. */
  read(limit: number): Promise<Buffer>;
  /** What a person types up to the end of the line; `undefined` where the input ends. */
  readLine(): Promise<string | undefined>;
}

/** Prose is tiring to read in longer lines than this. */
const MOST_READABLE = 100;

export function readableWidth(output: Output): number | undefined {
  return output.width === undefined ? undefined : Math.min(output.width, MOST_READABLE);
}
