import { padToWidth } from "../../terminal/display-width.ts";
import type { ChatCommand } from "../chat-command.ts";

const KEYS = [
  ["Enter", "sends; during an answer the message waits for its turn"],
  ["Alt-Enter, Ctrl-J, \\ Enter", "a new line in the message"],
  ["Up, Down", "what was typed before"],
  ["Ctrl-C", "cancels the answer, or clears the line"],
  ["Ctrl-D", "leaves, on an empty line"],
  ["Tab", "completes a command"],
] as const;

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
      output.write(`${`${output.colors.cyan(padToWidth(left, 28))} ${right}`.trimEnd()}\n`);
    }
    await Promise.resolve();
  },
};
