/** `longhand append`: adds a message, and begins the session if there is none. */

import { Option } from "commander";
import type { Message, Store } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { type MessageLine, parseMessageLines, wrongLine } from "../import/message-lines.ts";
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
    ["longhand append my-notes < messages.jsonl", "JSON lines: one message each, all or none"],
    ['longhand append last "Done." --role assistant', "to the session with the newest activity"],
    ['longhand append my-notes "paid" --id invoice-7', "safe to repeat: written once"],
  ]);
  addWaitOption(command)
    .argument("<key>", "the whole key, or “last”; a part of a key is a new key here")
    .argument("[text]", "the message; left out or “-”: standard input, as text or as JSON lines")
    .addOption(
      new Option("--role <role>", "who speaks; for JSON lines, in lines without a role")
        .choices(ROLES)
        .default("user"),
    )
    .option("--id <id>", "makes a repetition safe: the same id with the same text is written once")
    .option("--json", "one JSON document: key and seq; for JSON lines also the number of messages")
    .addHelpText(
      "after",
      '\nJSON lines on standard input, such as {"role":"user","content":"hello"}, are one message each, written as one atomic batch.\nA line that is wrong is named, and nothing is written. Any other input is the text of one message.',
    )
    .action(async (key: string, text: string | undefined, options: AppendCommandOptions) => {
      const surroundings = begin(options);
      const { role = "user" } = options;
      const messages = await messagesToAppend(text, role, surroundings.input);
      // A write to a new key begins a session, so the key is taken as it is given: no part of another one.
      const itsKey = key === LAST ? (await findSession(surroundings, key, ["active"])).key : key;
      await withStoreForWriting(surroundings, async (store) =>
        withLock(store.session(itsKey), options.wait, surroundings, async () =>
          append(store, itsKey, messages, options, surroundings),
        ),
      );
    });
};

export async function append(
  store: Store,
  key: string,
  messages: readonly Message[],
  { id }: Pick<AppendCommandOptions, "id">,
  { output, json }: Surroundings,
): Promise<void> {
  const [first] = messages;
  const one = messages.length === 1 && first !== undefined ? first : messages;
  const { seq } = await store.session(key).append(one, id === undefined ? {} : { id });
  const count = messages.length;
  if (json) output.write(jsonLine({ key, seq, ...(count === 1 ? {} : { messages: count }) }));
  else {
    const seqs = count === 1 ? `seq ${seq}` : `seq ${seq - count + 1} to ${seq}`;
    output.write(`${seqs}  ${output.colors.cyan(escapeKey(key))}\n`);
  }
}

async function messagesToAppend(
  text: string | undefined,
  role: Message["role"],
  input: Input,
): Promise<readonly Message[]> {
  const isStandardInput = text === undefined || text === "-";
  const content = isStandardInput ? await standardInput(text, input) : text;
  if (content === "") {
    throw new CommandError(
      "USAGE_INVALID",
      "there is no text to append; give it as an argument or on standard input",
    );
  }
  const lines = isStandardInput ? parseMessageLines(content, role) : undefined;
  if (lines === undefined) return [{ role, content }];
  await checkMessages(lines);
  return lines.map(({ message }) => message);
}

/** By the store's own rules, one at a time: a batch that is refused does not name the line. */
async function checkMessages(lines: readonly MessageLine[]): Promise<void> {
  const { isLonghandError, memoryBackend, openStore } = await import("@longhand/store");
  const store = await openStore(memoryBackend());
  for (const { line, message } of lines) {
    await store
      .session("line")
      .append(message)
      .catch((error: unknown) => {
        if (!isLonghandError(error)) throw error;
        const reason = error.message
          .replace(/^session "line": /, "")
          .replace(/^the message cannot be kept: /, "");
        throw wrongLine(line, `cannot be stored: ${reason}`, error);
      });
  }
  await store.close();
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
