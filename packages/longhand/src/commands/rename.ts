/** `longhand rename`: gives a session a title. Its key stays: programs know it by that. */

import type { SessionInfo, Store } from "@longhand/store";
import { withSessionForWriting } from "../sessions/with-session.ts";
import { escapeKey, onOneLine } from "../terminal/escape-controls.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { addExamples } from "./add-examples.ts";
import { addWaitOption } from "./add-wait-option.ts";
import { KEY_HELP } from "./key-help.ts";
import type { DefineCommand, JsonOption, Surroundings, WaitOption } from "./surroundings.ts";

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ['longhand rename last "The quarterly report"', "what list and show call it from now on"],
    ['longhand rename my-notes ""', "no title: list shows its first words again"],
  ]);
  addWaitOption(command)
    .argument("<key>", KEY_HELP)
    .argument("<title>", "the new title; the key does not change")
    .option("--json", "one JSON document: key, seq and title")
    .action(async (key: string, title: string, options: JsonOption & WaitOption) => {
      const surroundings = begin(options);
      await withSessionForWriting(surroundings, key, options.wait, async (store, info) =>
        rename(store, info, title, surroundings),
      );
    });
};

export async function rename(
  store: Store,
  { key, title: before = "" }: SessionInfo,
  title: string,
  { output, json }: Surroundings,
): Promise<void> {
  const { seq } = await store.session(key).setTitle(title);
  if (json) {
    output.write(jsonLine({ key, seq, title }));
    return;
  }
  const shown = output.colors.cyan(escapeKey(key));
  const formerly = before === "" || before === title ? "" : `, before “${onOneLine(before)}”`;
  output.write(
    title === ""
      ? `${shown} has no title now${formerly}.\n`
      : `${shown} is called “${onOneLine(title)}” now${formerly}.\n`,
  );
}
