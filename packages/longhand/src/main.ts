#!/usr/bin/env node
/** `longhand`, the program. Everything it does is in run.ts; here it meets its process. */

import { run } from "./run.ts";
import { processInput, processOutput } from "./terminal/process-output.ts";

const commandLine = process.argv.slice(2);
const output = processOutput(process.env, commandLine);
const exitCode = await run(commandLine, {
  output,
  input: processInput(),
  environment: process.env,
  currentDirectory: process.cwd(),
  interruption: () => {
    const controller = new AbortController();
    // Once each: whoever presses Ctrl-C again, because the end takes too long, ends the process.
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => controller.abort());
    return controller.signal;
  },
});

// Not process.exit: what is still being written would be cut off.
process.exitCode = exitCode;
process.on("exit", () => {
  const failure = output.failure();
  if (failure === undefined) return;
  process.stderr.write(`longhand: the output could not be written: ${failure.message}\n`);
  process.exitCode = 1;
});
