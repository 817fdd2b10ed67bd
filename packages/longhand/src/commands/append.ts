/** `longhand append`: adds a message, and begins the session if there is none. */

import { Option } from "commander";
import type { Message, Store } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { LAST } from "../sessions/match-key.ts";
import { withLock } from "../sessions/with-lock.ts";
import { findSession } from "../sessions/with-session.ts";
import { withStoreForWriting } from "../sessions/with-store.ts";
import { escapeKey } from "../terminal/escape-controls.ts";
import { jsonLine } from "../terminal/json-line.ts";
import type { Input } from "../terminal/output.ts";
import { addExamples } from "./add-examples.ts";
import { addWaitOption } from "./add-wait-option.ts";
import type { DefineCommand, JsonOption, Surroundings, WaitOption } from "./surroundings.ts";

export interface AppendCommandOptions extends JsonOption, WaitOption {
  readonly role?: Message["role"];
  readonly id?: string;
}

const ROLES: readonly Message["role"][] = ["user", "assistant", "system", "tool"];
/** More than the store takes in one message, so that the store says so. */
const MOST_INPUT_BYTES = 128 * 1024 * 1024;

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ['longhand append my-notes "remember the milk"', "as the user; begins my-notes if it is new"],
    ["git log -1 | longhand append my-notes", "text from standard input"],
    ['longhand append last "Done." --role assistant', "to the session with the newest activity"],
    ['longhand append my-notes "paid" --id invoice-7', "safe to repeat: written once"],
  ]);
  addWaitOption(command)
    .argument("<key>", "the whole key, or “last”; a part of a key is a new key here")
    .argument("[text]", "the message; left out or “-”: standard input, without its last line end")
    .addOption(new Option("--role <role>", "who speaks").choices(ROLES).default("user"))
    .option("--id <id>", "makes a repetition safe: the same id with the same text is written once")
    .option("--json", "one JSON document: key and seq")
    .action(async (key: string, text: string | undefined, options: AppendCommandOptions) => {
      const surroundings = begin(options);
      const content = await messageText(text, surroundings.input);
      // A write to a new key begins a session, so the key is taken as it is given: no part of another one.
      const itsKey = key === LAST ? (await findSession(surroundings, key, ["active"])).key : key;
      await withStoreForWriting(surroundings, async (store) =>
        withLock(store.session(itsKey), options.wait, surroundings, async () =>
          append(store, itsKey, content, options, surroundings),
        ),
      );
    });
};

export async function append(
  store: Store,
  key: string,
  content: string,
  { role = "user", id }: Pick<AppendCommandOptions, "role" | "id">,
  { output, json }: Surroundings,
): Promise<void> {
  const { seq } = await store.session(key).append({ role, content }, id === undefined ? {} : { id });
  output.write(json ? jsonLine({ key, seq }) : `seq ${seq}  ${output.colors.cyan(escapeKey(key))}\n`);
}

async function messageText(text: string | undefined, input: Input): Promise<string> {
  const given = text === undefined || text === "-" ? await standardInput(text, input) : text;
  if (given !== "") return given;
  throw new CommandError(
    "USAGE_INVALID",
    "there is no text to append; give it as an argument or on standard input",
  );
}

async function standardInput(text: string | undefined, input: Input): Promise<string> {
  if (text === undefined && input.isTerminal) {
    throw new CommandError(
      "USAGE_INVALID",
      "there is no text to append; give it as an argument, or “-” to type it",
    );
  }
  const bytes = await input.read(MOST_INPUT_BYTES);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes).replace(/\r?\n$/, "");
  } catch (cause) {
    throw new CommandError("INPUT_INVALID", "standard input is not UTF-8 text; nothing was written", {
      cause,
    });
  }
}
