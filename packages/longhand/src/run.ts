/** Runs one command line from beginning to end: its answer, its errors, its exit code. */

import { tmpdir, userInfo } from "node:os";
import { CommanderError } from "commander";
import { checkHome, checkNamedWorkspace } from "./config/check-named-workspace.ts";
import { findPlaces } from "./config/find-places.ts";
import type { PlaceOptions, Places } from "./config/places.ts";
import { memoryStoreOf } from "./sessions/memory-store-of.ts";
import { COMMANDS, makeProgram } from "./program.ts";
import { commandToPaste, inStore, programName, type ToPaste } from "./terminal/command-to-paste.ts";
import { escapeControls } from "./terminal/escape-controls.ts";
import type { FailedCommand } from "./terminal/explain-error.ts";
import { EXIT } from "./terminal/exit-codes.ts";
import { jsonLine } from "./terminal/json-line.ts";
import type { Input, Output } from "./terminal/output.ts";
import type { Environment } from "./terminal/process-output.ts";
import { shellQuote } from "./terminal/shell-quote.ts";
import { wrapColumns } from "./terminal/wrap-columns.ts";
import { wrapMessage } from "./terminal/wrap-text.ts";
import { firstOwnWord, withChat } from "./with-chat.ts";

export interface World {
  readonly output: Output;
  readonly input: Input;
  readonly environment: Environment;
  readonly currentDirectory: string;
  /** From now on Ctrl-C does not end the process but aborts this: for commands that go on until then. */
  readonly interruption: () => AbortSignal;
}

/** The arguments after `longhand`. Never rejects: whatever happens is told, and is an exit code. */
export async function run(commandLine: readonly string[], world: World): Promise<number> {
  const { output, input, environment, currentDirectory, interruption } = world;
  let wantsJson = beforeDashes(commandLine).includes("--json");
  let complaint = "";
  let exitCode: number = EXIT.ok;
  let canWait = false;
  let begun: Places | undefined;
  let toPaste: ToPaste | undefined;
  const program = makeProgram(
    { out: (text) => output.write(wrapColumns(text, output.width)), error: (text) => (complaint += text) },
    (places, { json = false, ...options }) => {
      canWait = "wait" in options;
      // A command for programs only has no such option.
      wantsJson ||= json;
      const found = findPlaces(places, {
        environment,
        currentDirectory,
        temporaryDirectory: tmpdir(),
        // Not homedir(), which gives an empty HOME as it is.
        accountHome: () => userInfo().homedir,
      });
      begun = found.places;
      checkHome(found.places.home.path);
      for (const { file, workspace } of found.damaged) {
        const remedy = commandToPaste(
          places,
          programName(environment),
        )(`workspace approve ${shellQuote(workspace)}`);
        const message = `${file} cannot be read, or a newer version wrote it; nothing is approved by it. To approve the directory again: ${remedy}`;
        output.writeError(
          wantsJson
            ? jsonLine({ warning: { code: "RECORD_DAMAGED", message } })
            : escapeControls(`longhand: warning: ${message}\n`),
        );
      }
      checkNamedWorkspace(found.choice, found.places.home.path);
      return {
        output,
        input,
        environment,
        currentDirectory,
        json,
        interruption,
        toPaste: (toPaste = commandToPaste(places, programName(environment))),
        actOn: (given) => ({ places: begun, toPaste } = given),
        program: programName(environment),
        markFailed: () => (exitCode = EXIT.failed),
        places: found.places,
        workspace: {
          choice: found.choice,
          defaultChoice: found.defaultChoice,
          use: (choice) => (begun = found.placesWith(choice)),
        },
      };
    },
  );
  try {
    await program.parseAsync(asOptions(withChat(commandLine, world)), { from: "user" });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      // The memory has a store of its own: what helps there must be done there.
      const memoryStore = memoryStoreOf(error, begun);
      const asGiven = toPaste ?? commandToPaste(program.opts<PlaceOptions>(), programName(environment));
      const directory = memoryStore ?? begun?.sessions.path;
      return await tell(
        error,
        wantsJson,
        world,
        { toPaste: memoryStore === undefined ? asGiven : inStore(asGiven, memoryStore), canWait },
        directory,
      );
    }
    if (error.exitCode === 0) return EXIT.ok;
    // Without a command commander prints the help as a complaint; here it is the answer.
    if (error.code === "commander.help") {
      output.write(wrapColumns(complaint, output.width));
      return EXIT.ok;
    }
    const message = usageMessage(complaint, commandLine, programName(environment));
    output.writeError(
      wantsJson
        ? jsonLine({ error: { code: "USAGE_INVALID", message } })
        : escapeControls(`longhand: ${message}\n`),
    );
    return EXIT.usage;
  }
}

async function tell(
  error: unknown,
  wantsJson: boolean,
  { output, environment }: World,
  failedCommand: Pick<FailedCommand, "toPaste" | "canWait">,
  directory: string | undefined,
): Promise<number> {
  // Loaded only now, with the store behind it: help needs neither.
  const { explainError } = await import("./terminal/explain-error.ts");
  const { code, message, remedy, detail, exitCode } = explainError(error, {
    ...failedCommand,
    isOwnerStopped: await isOwnerStopped(error),
    damagedRemedy: await damagedRemedy(error, directory, failedCommand),
  });
  if (wantsJson) {
    const more = Object.keys(detail).length === 0 ? {} : { detail };
    output.writeError(
      jsonLine({ error: { code, message, ...(remedy === undefined ? {} : { remedy }), ...more } }),
    );
  } else {
    // The remedy may be a command to paste: it is not broken into lines.
    const lines = wrapMessage(escapeControls(`longhand: ${message}`), output.errorWidth);
    if (remedy !== undefined) lines.push(`  ${escapeControls(remedy)}`);
    output.writeError(lines.map((line) => `${line}\n`).join(""));
  }
  if (environment["LONGHAND_DEBUG"] === "1" && error instanceof Error) {
    output.writeError(`${escapeControls(error.stack ?? "")}\n`);
  }
  return exitCode;
}

async function damagedRemedy(
  error: unknown,
  directory: string | undefined,
  { toPaste }: Pick<FailedCommand, "toPaste">,
): Promise<string | undefined> {
  const { isLonghandError } = await import("@longhand/store");
  if (directory === undefined || !isLonghandError(error, "SESSION_DAMAGED")) return undefined;
  const { remedyOfDamaged } = await import("./sessions/remedy-of-damaged.ts");
  return await remedyOfDamaged(error, directory, toPaste);
}

async function isOwnerStopped(error: unknown): Promise<boolean> {
  const { isLonghandError } = await import("@longhand/store");
  if (!isLonghandError(error, "SESSION_LOCKED")) return false;
  const { pid, host, liveness } = error.detail;
  if (typeof pid !== "number" || typeof host !== "string" || liveness !== "alive") return false;
  const { isStopped } = await import("./sessions/examine-owners.ts");
  return await isStopped({ pid, host, liveness });
}

/** Names of other programs' commands. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ...{ rm: "delete", remove: "delete", ls: "list", cat: "show", log: "show", version: "--version" },
};

function usageMessage(complaint: string, commandLine: readonly string[], program: string): string {
  const text = complaint.replace(/^error: /, "").trimEnd();
  const command = /unknown command '([^']+)'/.exec(text)?.[1] ?? "";
  const meant = Object.hasOwn(OTHER_NAMES, command) ? `\n(Did you mean ${OTHER_NAMES[command] ?? ""}?)` : "";
  const own = meant === "" ? text : (text.split("\n")[0] ?? "");
  const see = /^ *see: /m.test(text) ? "" : `\n  see: ${program} --help`;
  return own + meant + optionHint(complaint, commandLine) + see;
}

/** An option of a command that stands before it. */
function optionHint(complaint: string, commandLine: readonly string[]): string {
  const option = /unknown option '([^']+)'/.exec(complaint)?.[1];
  const [name] = beforeDashes(commandLine).filter((word) => Object.hasOwn(COMMANDS, word));
  if (option === undefined || name === undefined) return "";
  const isBefore = commandLine.indexOf(option) < commandLine.indexOf(name);
  return isBefore ? `\n(Put ${option} after the command: longhand ${name} ${option})` : "";
}

/** `longhand help show` is `longhand show --help`: a command's help is known once its file is loaded. */
function asOptions(commandLine: readonly string[]): string[] {
  const [first, ...rest] = commandLine;
  if (first === "-v") return ["--version", ...rest];
  const words = first === "help" ? [...rest, "--help"] : commandLine;
  const name = words[firstOwnWord(words)];
  const isUnknown = name !== undefined && !name.startsWith("-") && !Object.hasOwn(COMMANDS, name);
  // Help of a command that does not exist is a mistake to report, not a reason to print the help of all.
  return words.filter((word) => !isUnknown || (word !== "--help" && word !== "-h"));
}

function beforeDashes(commandLine: readonly string[]): readonly string[] {
  const dashes = commandLine.indexOf("--");
  return dashes === -1 ? commandLine : commandLine.slice(0, dashes);
}
