/** `longhand truncate`: shortens the view to its newest messages. What is cut stays in the log. */

import type { SessionInfo, Store } from "@longhand/store";
import { withSessionForWriting } from "../sessions/with-session.ts";
import { escapeKey } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { addExamples } from "./add-examples.ts";
import { KEY_HELP } from "./key-help.ts";
import { addWaitOption } from "./add-wait-option.ts";
import { parseWholeNumber } from "./parse-whole-number.ts";
import { waysBack } from "./ways-back.ts";
import type { DefineCommand, JsonOption, Surroundings, WaitOption } from "./surroundings.ts";

export interface TruncateCommandOptions extends JsonOption, WaitOption {
  readonly keepLast: number;
}

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand truncate last --keep-last 20", "the model sees the newest twenty messages"],
    ["longhand truncate my-notes --keep-last 0", "an empty view: a fresh start under the same key"],
  ]);
  addWaitOption(command)
    .argument("<key>", KEY_HELP)
    .requiredOption("--keep-last <n>", "how many messages stay in the view", parseWholeNumber)
    .option("--json", "one JSON document: key, seq, and the number of messages before and after")
    .action(async (key: string, options: TruncateCommandOptions) => {
      const surroundings = begin(options);
      await withSessionForWriting(surroundings, key, options.wait, async (store, info) =>
        truncate(store, info, options.keepLast, surroundings),
      );
    });
};

export async function truncate(
  store: Store,
  info: SessionInfo,
  keepLast: number,
  surroundings: Surroundings,
): Promise<void> {
  const { output, json } = surroundings;
  const { key, count: before } = info;
  const shown = output.colors.cyan(escapeKey(key));
  if (before <= keepLast) {
    if (json) output.write(jsonLine({ key, seq: info.seq, before, after: before }));
    else output.write(`${shown} has ${countOf(before, "message")} in its view; there is nothing to cut.\n`);
    return;
  }
  const session = store.session(key);
  const { seq } = await session.truncate({ keepLast }, { expectedSeq: info.seq });
  const after = (await session.state())?.count ?? 0;
  if (json) {
    output.write(jsonLine({ key, seq, before, after }));
    return;
  }
  output.write(`Cut from the view of ${shown}: ${countOf(before - after, "message")}, ${after} left.\n`);
  output.write(waysBack(info, surroundings));
}
