/** `longhand workspace forget [DIR]`: the directory is not used any more until it is approved again. Nothing is removed. */

import { CommandError } from "../command-error.ts";
import { readRecordOf, writeRecord } from "../config/workspace-record.ts";
import { escapeLine } from "../terminal/escape-controls.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { addExamples } from "./add-examples.ts";
import type { DefineCommand, JsonOption } from "./surroundings.ts";
import { chooseNamed } from "./workspace-named.ts";

export const defineForget: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand workspace forget .", "ask again before working in this directory"],
    ["longhand workspace forget ~/projects/shop", "of another one"],
  ]);
  command
    .argument("[dir]", "the directory (default: the current one)", ".")
    .option("--json", "one JSON document")
    .addHelpText("after", "\nSessions and memory of the workspace stay in the home.")
    .action(async (directory: string, options: JsonOption) => {
      const given = begin(options);
      const { output, json } = given;
      const { path, real, state } = chooseNamed(directory, given);
      const record = readRecordOf(state, real);
      if (record === undefined || record.approved === null) {
        throw new CommandError("WORKSPACE_UNKNOWN", `${path} is not an approved workspace`, {
          remedy: given.toPaste("workspace list"),
        });
      }
      await writeRecord(state, { ...record, approved: null });
      if (json) output.write(jsonLine({ path: real, state }));
      else
        output.write(`${escapeLine(path)} is not used any more. Its sessions stay in ${escapeLine(state)}\n`);
    });
};
