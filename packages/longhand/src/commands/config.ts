/** `longhand config`: what is configured, where that comes from, and whether it is right. Changes nothing. */

import { addExamples } from "./add-examples.ts";
import { defineCheck } from "./config-check.ts";
import { defineShow } from "./config-show.ts";
import type { DefineCommand } from "./surroundings.ts";

const COMMANDS: readonly (readonly [name: string, summary: string, define: DefineCommand])[] = [
  ["show", "every value, and where it comes from", defineShow],
  ["check", "whether longhand.json and the environment are right", defineCheck],
];

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand config show", "every value, and where it comes from"],
    ["longhand config check", "all that is wrong, with file and line"],
    ["LONGHAND_MODEL=offline longhand config show", "the environment comes first"],
  ]);
  command.helpCommand(false).addHelpText("after", "\nEach of them has its own --help, and takes --json.");
  for (const [name, summary, define] of COMMANDS) {
    const own = command.command(name).description(summary).helpOption("-h, --help", "examples and options");
    define(own, begin);
    const called = `longhand config ${name}`;
    own.showHelpAfterError(`  usage: ${called} ${own.usage()}\n  see:   ${called} --help`);
  }
};
