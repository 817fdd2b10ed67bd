/** The real standard streams behind Output and Input. */

import { isatty } from "node:tty";
import picocolors from "picocolors";
import { CommandError } from "../command-error.ts";
import type { Input, Output } from "./output.ts";

/** Where a terminal does not say. */
const USUAL_WIDTH = 80;

export interface Environment {
  readonly [name: string]: string | undefined;
}

/** Colours are for terminals, unless the environment or the command line says otherwise. */
export function wantsColors(
  environment: Environment,
  commandLine: readonly string[],
  isTerminal: boolean,
): boolean {
  if (commandLine.includes("--no-color") || isSet(environment["NO_COLOR"])) return false;
  if (isSet(environment["FORCE_COLOR"])) return environment["FORCE_COLOR"] !== "0";
  return isTerminal && environment["TERM"] !== "dumb";
}

export interface ProcessOutput extends Output {
  /** The first failure to write that was not a reader gone away, such as a full disk. */
  failure(): Error | undefined;
}

export function processOutput(environment: Environment, commandLine: readonly string[]): ProcessOutput {
  const { stdout, stderr } = process;
  const isTerminal = isatty(1);
  let closed = false;
  let failure: Error | undefined;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    closed = true;
    if (error.code !== "EPIPE") failure ??= error;
  });
  // With nobody left to complain to, a failure to complain is not reported.
  stderr.on("error", () => undefined);
  return {
    write: (text) => {
      if (!closed) stdout.write(text);
    },
    drained: async () => {
      if (!closed && stdout.writableNeedDrain) await untilDrained(stdout);
    },
    writeError: (text) => void stderr.write(text),
    isClosed: () => closed,
    failure: () => failure,
    isTerminal,
    width: isTerminal ? stdout.columns || USUAL_WIDTH : undefined,
    errorWidth: isatty(2) ? stderr.columns || USUAL_WIDTH : undefined,
    colors: picocolors.createColors(wantsColors(environment, commandLine, isTerminal)),
    now: () => new Date(),
  };
}

/** A reader that goes away ends the waiting too. */
async function untilDrained(stream: NodeJS.WriteStream): Promise<void> {
  const events = ["drain", "error", "close"] as const;
  let settle = (): void => undefined;
  const settled = new Promise<void>((resolve) => (settle = resolve));
  for (const event of events) stream.on(event, settle);
  await settled;
  for (const event of events) stream.off(event, settle);
}

export function processInput(): Input {
  return {
    isTerminal: isatty(0),
    read: async (limit) => {
      const chunks: Buffer[] = [];
      let length = 0;
      for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
        length += chunk.length;
        if (length > limit) {
          throw new CommandError("INPUT_INVALID", `standard input is longer than ${limit} bytes`);
        }
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    },
    readLine: async () => {
      const { createInterface } = await import("node:readline");
      const lines = createInterface({ input: process.stdin });
      try {
        for await (const line of lines) return line;
        return undefined;
      } finally {
        lines.close();
      }
    },
  };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}
