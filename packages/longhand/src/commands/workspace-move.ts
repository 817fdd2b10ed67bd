/** `longhand workspace move`: sessions and memory that an older version left in the workspace go to the home. */

import { moveOlder, movedText, planMove } from "../sessions/move-older.ts";
import { MOVE_RISK } from "../sessions/older-state.ts";
import { confirm } from "../terminal/confirm.ts";
import { escapeLine } from "../terminal/escape-controls.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { addExamples } from "./add-examples.ts";
import type { DefineCommand, JsonOption } from "./surroundings.ts";

interface MoveCommandOptions extends JsonOption {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

export const defineMove: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand workspace move --dry-run", "what would be moved, and where to"],
    ["longhand workspace move --workspace . --yes", "of this directory, without asking"],
  ]);
  command
    .option("--dry-run", "only say what would be moved")
    .option("--yes", "do not ask")
    .option("--json", "one JSON document")
    .addHelpText(
      "after",
      "\nOnly stores are moved, and nothing else is touched. Two stores are never merged.",
    )
    .action(async ({ dryRun = false, yes = false, ...options }: MoveCommandOptions) => {
      const given = begin(options);
      const { output, json, places, toPaste } = given;
      const plan = planMove(places.workspace);
      const { moves } = plan;
      if (!json) {
        if (moves.length === 0) {
          output.write(`There is nothing of an older version in ${escapeLine(places.workspace.path)}.\n`);
          return;
        }
        output.write(`${MOVE_RISK}\n`);
        for (const { from, to } of moves) output.write(`${escapeLine(from)} -> ${escapeLine(to)}\n`);
      }
      if (!dryRun && moves.length > 0) {
        await confirm(given, { question: "Move them?", yes, command: toPaste("workspace move --yes") });
        await moveOlder(plan);
        if (!json) output.write(movedText(plan));
      }
      if (json) output.write(jsonLine({ ...plan, dryRun }));
    });
};
