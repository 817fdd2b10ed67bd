/** A world for commands without a process: what they print is kept, the clock stands still. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import picocolors from "picocolors";
import { run, type World } from "../../src/run.ts";
import type { Output } from "../../src/terminal/output.ts";

export const NOW = new Date("2026-11-15T12:00:00.000Z");

export interface FakeOutput extends Output {
  readonly printed: string[];
  readonly complaints: string[];
}

export interface FakeOutputOptions {
  readonly width?: number;
  readonly errorWidth?: number;
  readonly colors?: boolean;
  readonly isTerminal?: boolean;
  readonly now?: Date;
}

export function fakeOutput(options: FakeOutputOptions = {}): FakeOutput {
  const { width, errorWidth, colors = false, isTerminal = width !== undefined, now = NOW } = options;
  const printed: string[] = [];
  const complaints: string[] = [];
  return {
    printed,
    complaints,
    write: (text) => void printed.push(text),
    drained: () => Promise.resolve(),
    writeError: (text) => void complaints.push(text),
    isClosed: () => false,
    isTerminal,
    width,
    errorWidth,
    colors: picocolors.createColors(colors),
    now: () => now,
  };
}

export interface Answer {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions extends FakeOutputOptions {
  readonly input?: string | Uint8Array;
  readonly environment?: World["environment"];
  /** What the person at the terminal answers to each question. Without it there is nobody to ask. */
  readonly answers?: readonly string[];
  /** @default the home */
  readonly currentDirectory?: string;
  /** Ctrl-C. */
  readonly interruption?: AbortSignal;
}

/** Runs `longhand …` in this process, with its home in `home`. */
export async function runIn(
  home: string,
  commandLine: readonly string[],
  options: RunOptions = {},
): Promise<Answer> {
  const { input, environment = {}, answers, interruption } = options;
  const unanswered = [...(answers ?? [])];
  const output = fakeOutput({
    now: new Date(),
    ...(answers === undefined ? {} : { errorWidth: 100 }),
    ...options,
  });
  const exitCode = await run(commandLine, {
    output,
    input: {
      isTerminal: input === undefined,
      read: () => Promise.resolve(Buffer.from(input ?? "")),
      readLine: () => Promise.resolve(unanswered.shift()),
    },
    environment: { LONGHAND_HOME: home, ...environment },
    currentDirectory: options.currentDirectory ?? home,
    interruption: () => interruption ?? new AbortController().signal,
  });
  return { exitCode, stdout: output.printed.join(""), stderr: output.complaints.join("") };
}

export async function withTemporaryDirectory<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "longhand-cli-"));
  try {
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
