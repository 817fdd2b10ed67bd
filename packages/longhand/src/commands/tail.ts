/** `longhand tail`: the newest messages of a conversation, and then whatever comes, also from other processes. */

import type { Session, SessionInfo, SessionRecord, Store } from "@longhand/store";
import { readSession } from "../sessions/read-session.ts";
import { escapeKey } from "../terminal/escape-controls.ts";
import { timesFor } from "../terminal/format-time.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { readableWidth } from "../terminal/output.ts";
import { renderAsItComes } from "../terminal/transcript.ts";
import { addExamples } from "./add-examples.ts";
import { KEY_HELP } from "./key-help.ts";
import { parseWholeNumber } from "./parse-whole-number.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";
import { TIMES_HELP } from "./times-help.ts";

export interface TailCommandOptions extends JsonOption {
  readonly lines: number;
  readonly follow: boolean;
}

const DEFAULT_COUNT = 10;

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand tail last", "the newest messages, then what an agent writes, as it writes it"],
    ["longhand tail my-notes -n 0", "only what comes from now on"],
    ["longhand tail last --json | jq -r .message.content", "for a program: a line for each record"],
    ["longhand tail last --no-follow", "the newest messages, and no more"],
  ]);
  command
    .argument("<key>", KEY_HELP)
    .option("-n, --lines <n>", "how many messages of the view come first", parseWholeNumber, DEFAULT_COUNT)
    .option("-f, --follow", "wait for more and show it as it comes", true)
    .option("--no-follow", "exit after the newest messages")
    .option("--json", "JSON lines: one record a line")
    .addHelpText(
      "after",
      `\nGoes on until Ctrl-C, or until the session is deleted; both are exit code 0.${TIMES_HELP}`,
    )
    .action(async (key: string, options: TailCommandOptions) => {
      const surroundings = begin(options);
      await readSession(surroundings, key, async (store, info) => tail(store, info, options, surroundings));
    });
};

export async function tail(
  store: Store,
  info: SessionInfo,
  { lines, follow }: TailCommandOptions,
  surroundings: Surroundings,
): Promise<void> {
  const { output, json } = surroundings;
  const interrupted = follow ? surroundings.interruption() : undefined;
  const records = recordsOf(store.session(info.key), info, lines, interrupted);
  if (json) {
    for await (const record of records) {
      output.write(jsonLine(record));
      if (output.isClosed()) return;
    }
    return;
  }
  const style = { width: readableWidth(output), colors: output.colors, times: timesFor(output), full: false };
  for await (const line of renderAsItComes(records, style)) {
    output.write(`${line}\n`);
    if (output.isClosed()) return;
  }
  if (interrupted?.aborted === false) output.writeError(`longhand: ${escapeKey(info.key)} was deleted\n`);
}

/** Both halves meet at the seq that was seen: nothing is left out and nothing comes twice, whoever writes meanwhile. */
async function* recordsOf(
  session: Session,
  { seq }: SessionInfo,
  count: number,
  signal: AbortSignal | undefined,
): AsyncIterable<SessionRecord> {
  if (count > 0) yield* session.records({ live: true, last: count, to: seq });
  if (signal !== undefined) yield* session.watch({ from: seq + 1, signal });
}
