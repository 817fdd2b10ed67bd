import { padToWidth } from "../../terminal/display-width.ts";
import { wrapText } from "../../terminal/wrap-text.ts";
import type { ChatCommand } from "../chat-command.ts";

const KEYS = [
  ["Enter", "send; during an answer the message waits"],
  ["Alt-Enter, Ctrl-J, \\ Enter", "new line"],
  ["Up, Down", "what was typed before"],
  ["Ctrl-C", "cancel the answer, or clear the line"],
  ["Ctrl-D", "leave, on an empty line"],
  ["Tab", "complete a command"],
] as const;

/** Columns of the left side. */
const LEFT = 28;
/** On a narrower terminal the explanation is below what it explains. */
const LEAST_WIDTH = 60;

export const help: ChatCommand = {
  name: "help",
  argument: "",
  summary: "list commands and keys",
  waits: false,
  run: async (_, { commands, output }) => {
    const rows = commands.map(
      ({ name, argument, summary }) => [`/${name} ${argument}`.trim(), summary] as const,
    );
    for (const [left, right] of [...rows, ["", ""] as const, ...KEYS]) {
      if (output.width !== undefined && output.width < LEAST_WIDTH) {
        const below = wrapText(right, output.width - 2).map((line) => `  ${line}`.trimEnd());
        output.write(`${[output.colors.cyan(left), ...(left === "" ? [] : below)].join("\n")}\n`);
        continue;
      }
      const room = output.width === undefined ? undefined : output.width - LEFT - 1;
      for (const [index, line] of wrapText(right, room).entries()) {
        const beside = padToWidth(index === 0 ? left : "", LEFT);
        output.write(`${`${output.colors.cyan(beside)} ${line}`.trimEnd()}\n`);
      }
    }
    await Promise.resolve();
  },
};
