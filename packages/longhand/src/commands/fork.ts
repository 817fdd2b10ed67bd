/** `longhand fork`: a second session that begins with the records of another. Both grow apart from there. */

import type { SessionInfo, Store } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { READABLE } from "../sessions/choose-session.ts";
import { warnIfLost } from "../sessions/warn-if-lost.ts";
import { withSessionForWriting } from "../sessions/with-session.ts";
import { escapeKey } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { addExamples } from "./add-examples.ts";
import { addWaitOption } from "./add-wait-option.ts";
import { KEY_HELP } from "./key-help.ts";
import { parseCount } from "./parse-whole-number.ts";
import type { DefineCommand, JsonOption, Surroundings, WaitOption } from "./surroundings.ts";

export interface ForkCommandOptions extends JsonOption, WaitOption {
  readonly at?: number;
}

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand fork last my-second-try", "the same conversation, to go on with in another way"],
    ["longhand fork my-notes my-notes:2 --at 12", "as it was after record 12"],
  ]);
  addWaitOption(command)
    .argument("<key>", KEY_HELP)
    .argument("<newkey>", "the whole key of the new session; it must not have an active one")
    .option("--at <seq>", "the last record that both have (default: the newest)", parseCount)
    .option("--json", "one JSON document: key, newKey, and the new session's seq and count")
    .action(async (key: string, newKey: string, options: ForkCommandOptions) => {
      const surroundings = begin(options);
      await withSessionForWriting(
        surroundings,
        key,
        options.wait,
        async (store, info) => fork(store, info, newKey, options.at, surroundings),
        READABLE,
      );
    });
};

export async function fork(
  store: Store,
  { key, status }: SessionInfo,
  newKey: string,
  at: number | undefined,
  surroundings: Surroundings,
): Promise<void> {
  const { output, json, toPaste } = surroundings;
  if (newKey === key) throw new CommandError("USAGE_INVALID", "a fork needs a different key");
  if (at !== undefined) await warnIfLost(store.session(key), at, surroundings);
  const child = await store.session(key).fork(newKey, at === undefined ? {} : { at });
  const { seq = 0, count = 0 } = (await child.state()) ?? {};
  if (json) {
    output.write(jsonLine({ key, newKey, seq, count }));
    return;
  }
  const { cyan, dim } = output.colors;
  output.write(
    `Forked ${cyan(escapeKey(key))}${status === "archived" ? " (archived, and stays so)" : ""} after #${seq} to ${cyan(escapeKey(newKey))}: ${countOf(count, "message")} in the view.\n`,
  );
  output.write(dim(`To read it: ${toPaste("show", newKey)}\n`));
}
