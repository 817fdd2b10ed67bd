/** `longhand workspace approve [DIR]`: the user says yes to a directory, and to the configuration and skills that it has now. */

import { chooseNamed } from "./workspace-named.ts";
import { checkIsDirectory } from "../config/check-named-workspace.ts";
import { approve } from "../config/workspace-uses.ts";
import { escapeLine } from "../terminal/escape-controls.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { addExamples } from "./add-examples.ts";
import type { DefineCommand, JsonOption } from "./surroundings.ts";

export const defineApprove: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand workspace approve .", "let agents work in this directory"],
    ["longhand workspace approve ~/projects/shop", "in another one"],
  ]);
  command
    .argument("[dir]", "the directory (default: the current one)", ".")
    .option("--json", "one JSON document")
    .addHelpText(
      "after",
      "\nlonghand.json and skills/ that are there now are used; what appears later is not.",
    )
    .action(async (directory: string, options: JsonOption) => {
      const given = begin(options);
      const { output, json } = given;
      const { path, real, state } = chooseNamed(directory, given);
      // The default workspace is created when it is first used.
      if (state !== given.places.home.path) checkIsDirectory(path);
      const record = await approve(state, real, output.now());
      if (json) {
        output.write(jsonLine({ ...record, state }));
        return;
      }
      output.write(`Agents may work in ${escapeLine(path)}.\n`);
      if (record.uses.length > 0) output.write(`In use there: ${record.uses.join(", ")}\n`);
    });
};
