/** `longhand memory forget`: removes an entry for good, which is asked about. The conversation it came from is not touched. */

import type { Store } from "@longhand/store";
import type { Memory } from "@longhand/store/memory";
import { chooseEntry, unknownEntry } from "../sessions/choose-entry.ts";
import { findSource } from "../sessions/find-source.ts";
import { withMemory } from "../sessions/with-memory.ts";
import { confirm } from "../terminal/confirm.ts";
import { fitToWidth } from "../terminal/display-width.ts";
import { onOneLine } from "../terminal/escape-controls.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { addExamples } from "./add-examples.ts";
import { ID_HELP } from "./id-help.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";

interface MemoryForgetOptions extends JsonOption {
  readonly yes?: boolean;
}

const TEXT_WIDTH = 60;

export const defineForget: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand memory forget 01KBX3T8", "asks, and removes its text from the log and the Markdown"],
    ["longhand memory forget 01KBX3T8 --yes", "without a question"],
  ]);
  command
    .argument("<id>", ID_HELP)
    .option("--yes", "do not ask")
    .option("--json", "one JSON document: id, the time, and the source that still has the words")
    .addHelpText(
      "after",
      "\nA line stays that says when something was forgotten, not what. The conversation it came from is not touched." +
        "\nNot reached are your own notes in the Markdown, a page put aside as not-text, backups by your editor, and the" +
        "\njournal of another program that has written the entry and has the memory open: that goes when it closes.",
    )
    .action(async (id: string, options: MemoryForgetOptions) => {
      const surroundings = begin(options);
      const done = await withMemory(surroundings, async (memory, sessions) => {
        await forget(memory, sessions, id, options, surroundings);
        return true;
      });
      if (done === undefined) throw unknownEntry(id, surroundings);
    });
};

async function forget(
  memory: Memory,
  sessions: Store,
  wanted: string,
  { yes = false }: MemoryForgetOptions,
  surroundings: Surroundings,
): Promise<void> {
  const { output, json, toPaste } = surroundings;
  const entry = await chooseEntry(memory, wanted, surroundings);
  await confirm(surroundings, {
    question: `Forget “${fitToWidth(onOneLine(entry.text), TEXT_WIDTH)}” for good?`,
    yes,
    command: toPaste(`memory forget --yes ${entry.id}`),
  });
  const { id, at } = await memory.forget(entry.id);
  const { source } = entry;
  if (json) {
    output.write(jsonLine({ id, at, source }));
    return;
  }
  output.write(`Forgotten: ${output.colors.cyan(id)}. The memory has its text no more.\n`);
  if (source.by !== "conversation") return;
  const { description, command, key } = await findSource(sessions, source, surroundings);
  output.write(`It came from ${description}.\n`);
  if (command !== undefined)
    output.write(output.colors.dim(`The words stay there. To open it: ${command}\n`));
  if (key !== undefined) {
    output.write(
      output.colors.dim(`To delete that conversation:      ${toPaste("delete --forever", key)}\n`),
    );
  }
}
