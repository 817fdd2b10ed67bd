/** `longhand memory undo`: an entry is no longer told to anybody, and what it replaced holds again. It stays in the log. */

import type { MemoryEntry } from "@longhand/store/memory";
import { chooseEntry, unknownEntry } from "../sessions/choose-entry.ts";
import { withMemory } from "../sessions/with-memory.ts";
import { onOneLine } from "../terminal/escape-controls.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { addExamples } from "./add-examples.ts";
import { ID_HELP } from "./id-help.ts";
import type { DefineCommand, JsonOption } from "./surroundings.ts";

interface Undone {
  readonly entry: MemoryEntry;
  /** It was taken back before. */
  readonly isOld: boolean;
  readonly currentAgain: readonly MemoryEntry[];
}

export const defineUndo: DefineCommand = (command, begin) => {
  addExamples(command, [["longhand memory undo 01KBX3T8", "no model is told it any more; its text is kept"]]);
  command
    .argument("<id>", ID_HELP)
    .option("--json", "one JSON document: the entry, and those that hold again")
    .action(async (id: string, options: JsonOption) => {
      const surroundings = begin(options);
      const { output, json, toPaste } = surroundings;
      const undone = await withMemory(surroundings, async (memory): Promise<Undone> => {
        const before = await chooseEntry(memory, id, surroundings);
        const entry = await memory.undo(before.id);
        const isOld = before.status === "undone";
        const replaced = await Promise.all(entry.supersedes.map(async (each) => memory.entry(each)));
        const currentAgain = replaced.flatMap((each) => (!isOld && each?.status === "current" ? [each] : []));
        return { entry, isOld, currentAgain };
      });
      if (undone === undefined) throw unknownEntry(id, surroundings);
      const { entry, isOld, currentAgain } = undone;
      if (json) {
        output.write(jsonLine({ entry, currentAgain }));
        return;
      }
      output.write(
        `${isOld ? "Was taken back before" : "Taken back"}: ${output.colors.cyan(entry.id)}  ${onOneLine(entry.text)}\n`,
      );
      for (const each of currentAgain) {
        output.write(`Holds again: ${output.colors.cyan(each.id)}  ${onOneLine(each.text)}\n`);
      }
      output.write(
        output.colors.dim(
          `Its text is kept. To remove it for good: ${toPaste(`memory forget ${entry.id}`)}\n`,
        ),
      );
    });
};
