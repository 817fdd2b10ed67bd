/** `longhand config check`: all that is wrong with the configuration, at once. */

import { problemText, examineConfig } from "../config/read-config.ts";
import { escapeLine } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { addExamples } from "./add-examples.ts";
import type { DefineCommand, JsonOption } from "./surroundings.ts";

export const defineCheck: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand config check", "all that is wrong, with file and line"],
    ["longhand config check --json | jq .problems", "for a program"],
  ]);
  command
    .option("--json", "one JSON document")
    .addHelpText("after", "\nExits with 1 if there is a problem.")
    .action(async (options: JsonOption) => {
      const surroundings = begin(options);
      const { output, json, places, environment } = surroundings;
      const { problems, files } = await examineConfig(places, environment);
      if (problems.length > 0) surroundings.markFailed();
      if (json) {
        output.write(jsonLine({ files, problems }));
        return;
      }
      for (const problem of problems) output.write(`${escapeLine(problemText(problem))}\n`);
      if (problems.length > 0) {
        output.write(`${countOf(problems.length, "problem")} found.\n`);
        return;
      }
      for (const { path, exists, isUnapproved } of files) {
        const state = exists ? "is right" : "is not there; the defaults hold";
        output.write(`${escapeLine(path)}: ${isUnapproved ? "is not approved, so it is not used" : state}\n`);
      }
      output.write("No problems found.\n");
    });
};
