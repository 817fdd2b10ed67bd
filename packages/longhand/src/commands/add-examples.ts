/** Examples first: most people who ask for help want a line to start from. */

import type { Command } from "commander";

export type Example = readonly [line: string, meaning: string];

export function addExamples(command: Command, examples: readonly Example[]): void {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, meaning]) => `  ${line.padEnd(width)}   ${meaning}`);
  command.addHelpText("before", ["Examples:", ...lines, ""].join("\n"));
}
