/** `longhand archive`: puts a session away. It can still be read and searched, and comes back by itself when written to. */

import type { SessionInfo, Store } from "@longhand/store";
import { withSessionForWriting } from "../sessions/with-session.ts";
import { escapeKey } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { addExamples } from "./add-examples.ts";
import { addWaitOption } from "./add-wait-option.ts";
import { KEY_HELP } from "./key-help.ts";
import type { DefineCommand, JsonOption, Surroundings, WaitOption } from "./surroundings.ts";

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand archive my-notes", "out of the list, not out of the store"],
    ["longhand list --all", "archived ones too"],
  ]);
  addWaitOption(command)
    .argument("<key>", KEY_HELP)
    .option("--json", "one JSON document: key, id and status")
    .action(async (key: string, options: JsonOption & WaitOption) => {
      const surroundings = begin(options);
      await withSessionForWriting(surroundings, key, options.wait, async (store, info) =>
        archive(store, info, surroundings),
      );
    });
};

export async function archive(
  store: Store,
  { key, id, count }: SessionInfo,
  { output, json, toPaste }: Surroundings,
): Promise<void> {
  await store.session(key).archive();
  if (json) {
    output.write(jsonLine({ key, id, status: "archived" }));
    return;
  }
  const { cyan, dim } = output.colors;
  output.write(`Archived ${cyan(escapeKey(key))} (${countOf(count, "message")}).\n`);
  output.write(
    dim(
      `It can still be read: ${toPaste("show", key)}\n` +
        `To bring it back:     ${toPaste("restore", key)}\n`,
    ),
  );
}
