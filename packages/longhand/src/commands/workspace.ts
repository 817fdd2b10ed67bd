/** `longhand workspace`: the directories that agents may work in, and what an older version left in one. */

import { addExamples } from "./add-examples.ts";
import type { DefineCommand } from "./surroundings.ts";
import { defineApprove } from "./workspace-approve.ts";
import { defineForget } from "./workspace-forget.ts";
import { defineList } from "./workspace-list.ts";
import { defineMove } from "./workspace-move.ts";

const COMMANDS: readonly (readonly [name: string, summary: string, define: DefineCommand])[] = [
  ["list", "the workspaces there are", defineList],
  ["approve", "let agents work in a directory, with its configuration and skills", defineApprove],
  ["forget", "take the approval back; sessions and memory are kept", defineForget],
  ["move", "move what an older version left in the workspace to the home", defineMove],
];

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand workspace list", "the workspaces, and where their sessions are"],
    ["longhand workspace approve .", "let agents work in this directory"],
    ["longhand workspace move --dry-run", "what an older version left here"],
  ]);
  command.helpCommand(false).addHelpText("after", "\nEach of them has its own --help, and takes --json.");
  for (const [name, summary, define] of COMMANDS) {
    const own = command.command(name).description(summary).helpOption("-h, --help", "examples and options");
    define(own, begin);
    const called = `longhand workspace ${name}`;
    own.showHelpAfterError(`  usage: ${called} ${own.usage()}\n  see:   ${called} --help`);
  }
};
