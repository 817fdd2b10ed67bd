import { padToWidth } from "../../terminal/display-width.ts";
import { wrapText } from "../../terminal/wrap-text.ts";
import type { ChatCommand } from "../chat-command.ts";

const KEYS = [
  ["Enter", "sends; during an answer the message waits for its turn"],
  ["Alt-Enter, Ctrl-J, \\ Enter", "a new line in the message"],
  ["Up, Down", "what was typed before"],
  ["Ctrl-C", "cancels the answer, or clears the line"],
  ["Ctrl-D", "leaves, on an empty line"],
  ["Tab", "completes a command"],
] as const;

/** Columns of the left side. */
const LEFT = 28;

export const help: ChatCommand = {
  name: "help",
  argument: "",
  summary: "what there is to type",
  waits: false,
  run: async (_, { commands, output }) => {
    const rows = commands.map(
      ({ name, argument, summary }) => [`/${name} ${argument}`.trim(), summary] as const,
    );
    for (const [left, right] of [...rows, ["", ""] as const, ...KEYS]) {
      const room = output.width === undefined ? undefined : Math.max(20, output.width - LEFT - 1);
      for (const [index, line] of wrapText(right, room).entries()) {
        const beside = padToWidth(index === 0 ? left : "", LEFT);
        output.write(`${`${output.colors.cyan(beside)} ${line}`.trimEnd()}\n`);
      }
    }
    await Promise.resolve();
  },
};
