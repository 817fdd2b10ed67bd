/** Runs one command line from beginning to end: its answer, its errors, its exit code. */

import { homedir, tmpdir } from "node:os";
import { CommanderError } from "commander";
import { resolvePlaces } from "./config/resolve-places.ts";
import { makeProgram } from "./program.ts";
import { escapeControls } from "./terminal/escape-controls.ts";
import { EXIT } from "./terminal/exit-codes.ts";
import { jsonLine } from "./terminal/json-line.ts";
import type { Input, Output } from "./terminal/output.ts";
import type { Environment } from "./terminal/process-output.ts";
import { wrapText } from "./terminal/wrap-text.ts";

export interface World {
  readonly output: Output;
  readonly input: Input;
  readonly environment: Environment;
  readonly currentDirectory: string;
}

/** The arguments after `longhand`. Never rejects: whatever happens is told, and is an exit code. */
export async function run(commandLine: readonly string[], world: World): Promise<number> {
  const { output, input, environment, currentDirectory } = world;
  const wantsJson = beforeDashes(commandLine).includes("--json");
  let complaint = "";
  let exitCode: number = EXIT.ok;
  const program = makeProgram(
    { out: (text) => output.write(text), error: (text) => (complaint += text) },
    (places, { json = false }) => ({
      output,
      input,
      json,
      markFailed: () => (exitCode = EXIT.failed),
      places: resolvePlaces(places, {
        environment,
        currentDirectory,
        temporaryDirectory: tmpdir(),
        accountHome: homedir,
      }),
    }),
  );
  try {
    await program.parseAsync(helpAsOption(commandLine), { from: "user" });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) return await tell(error, wantsJson, world);
    if (error.exitCode === 0) return EXIT.ok;
    // Without a command commander prints the help as a complaint; here it is the answer.
    if (error.code === "commander.help") {
      output.write(complaint);
      return EXIT.ok;
    }
    output.writeError(
      wantsJson
        ? jsonLine({ error: { code: "USAGE_INVALID", message: complaint.replace(/^error: /, "").trim() } })
        : escapeControls(complaint.replace(/^error: /, "longhand: ")),
    );
    return EXIT.usage;
  }
}

async function tell(error: unknown, wantsJson: boolean, { output, environment }: World): Promise<number> {
  // Loaded only now, with the store behind it: help needs neither.
  const { explainError } = await import("./terminal/explain-error.ts");
  const { code, message, remedy, detail, exitCode } = explainError(error);
  if (wantsJson) {
    const more = Object.keys(detail).length === 0 ? {} : { detail };
    output.writeError(
      jsonLine({ error: { code, message, ...(remedy === undefined ? {} : { remedy }), ...more } }),
    );
  } else {
    const lines = [`longhand: ${message}`, ...(remedy === undefined ? [] : [`  ${remedy}`])];
    const wrapped = wrapText(escapeControls(lines.join("\n")), output.errorWidth);
    output.writeError(wrapped.map((line) => `${line}\n`).join(""));
  }
  if (environment["LONGHAND_DEBUG"] === "1" && error instanceof Error) {
    output.writeError(`${escapeControls(error.stack ?? "")}\n`);
  }
  return exitCode;
}

/** `longhand help show` is `longhand show --help`: a command's help is known once its file is loaded. */
function helpAsOption(commandLine: readonly string[]): string[] {
  const [first, ...rest] = commandLine;
  return first === "help" ? [...rest, "--help"] : [...commandLine];
}

function beforeDashes(commandLine: readonly string[]): readonly string[] {
  const dashes = commandLine.indexOf("--");
  return dashes === -1 ? commandLine : commandLine.slice(0, dashes);
}
