/** `longhand memory`: what is remembered beyond a conversation. For the person whose machine it is: of every scope. */

import { addExamples } from "./add-examples.ts";
import { defineAdd } from "./memory-add.ts";
import { defineConsolidate } from "./memory-consolidate.ts";
import { defineForget } from "./memory-forget.ts";
import { defineList } from "./memory-list.ts";
import { definePrompt } from "./memory-prompt.ts";
import { defineShow } from "./memory-show.ts";
import { defineUndo } from "./memory-undo.ts";
import type { DefineCommand } from "./surroundings.ts";

const COMMANDS: readonly (readonly [name: string, summary: string, define: DefineCommand])[] = [
  ["list", "the entries there are", defineList],
  ["show", "one entry: its text, and where it comes from", defineShow],
  ["add", "remember something", defineAdd],
  ["undo", "take an entry back; what it replaced holds again", defineUndo],
  ["forget", "remove an entry for good", defineForget],
  ["consolidate", "take in now what waits to be remembered", defineConsolidate],
  ["prompt", "what a model in a scope would be told", definePrompt],
];

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand memory list", "everything that is remembered"],
    ["longhand memory show 01KBX3T8", "one entry; the beginning of its id is enough"],
    ["longhand search tea --in memory", "find entries by their words"],
  ]);
  command.helpCommand(false).addHelpText("after", "\nEach of them has its own --help, and takes --json.");
  for (const [name, summary, define] of COMMANDS) {
    const own = command.command(name).description(summary).helpOption("-h, --help", "examples and options");
    define(own, begin);
    const called = `longhand memory ${name}`;
    own.showHelpAfterError(`  usage: ${called} ${own.usage()}\n  see:   ${called} --help`);
  }
};
