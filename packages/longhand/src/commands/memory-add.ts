/** `longhand memory add`: remembers something that a person says, for a scope that is always given: whose it is, is never guessed. */

import { Option } from "commander";
import type { MemoryKind, Scope } from "@longhand/store/memory";
import { CommandError } from "../command-error.ts";
import { withMemoryMade } from "../sessions/with-memory.ts";
import { onOneLine } from "../terminal/escape-controls.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { formatScope, parseScope } from "../terminal/scope-text.ts";
import { addExamples } from "./add-examples.ts";
import type { DefineCommand, JsonOption } from "./surroundings.ts";

interface MemoryAddOptions extends JsonOption {
  readonly scope: Scope;
  readonly kind?: MemoryKind;
}

export const defineAdd: DefineCommand = (command, begin) => {
  addExamples(command, [
    ['longhand memory add "Ann likes tea." --scope user=ann', "a lasting fact, told where Ann speaks"],
    ['longhand memory add "The office closes at six." --scope global', "for everybody"],
    ['longhand memory add "Ann was ill." --scope user=ann --kind daily', "what happened today"],
  ]);
  command
    .argument("<text>", "what is to be remembered, word for word")
    .requiredOption(
      "--scope <scope>",
      "whose it is, such as user=ann,channel=web, or global for everybody",
      parseScope,
    )
    .addOption(
      new Option("--kind <kind>", "a lasting fact, or what happened today")
        .choices(["core", "daily"])
        .default("core"),
    )
    .option("--json", "one JSON document: the entry")
    .action(async (text: string, { scope, kind = "core", ...options }: MemoryAddOptions) => {
      if (text.trim() === "") {
        throw new CommandError("USAGE_INVALID", "there is no text to remember; give it as an argument");
      }
      const surroundings = begin(options);
      const { output, json, toPaste } = surroundings;
      const entry = await withMemoryMade(surroundings, async (memory) =>
        memory.remember({ text, scope, kind }),
      );
      if (json) {
        output.write(jsonLine(entry));
        return;
      }
      output.write(
        `Remembered for ${formatScope(entry.scope)}: ${output.colors.cyan(entry.id)}  ${onOneLine(entry.text)}\n`,
      );
      output.write(output.colors.dim(`To take it back: ${toPaste(`memory undo ${entry.id}`)}\n`));
    });
};
