import { fitToWidth } from "../../terminal/display-width.ts";
import { onOneLine } from "../../terminal/escape-controls.ts";
import { countOf } from "../../terminal/format-count.ts";
import { formatScope } from "../../terminal/scope-text.ts";
import type { ChatCommand } from "../chat-command.ts";

const SHOWN = 20;

export const memory: ChatCommand = {
  name: "memory",
  argument: "[WORDS]",
  summary: "show what is remembered across conversations",
  waits: false,
  run: async (argument, { agent, output, toPaste }) => {
    if (agent.memory === undefined) {
      output.write("This agent has no memory.\n");
      return;
    }
    const words = argument
      .toLowerCase()
      .split(/\s+/u)
      .filter((word) => word !== "");
    const entries = (await agent.memory.everything())
      .filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)))
      .sort((one, other) => (one.at < other.at ? 1 : -1));
    if (entries.length === 0) {
      output.write(
        words.length === 0 ? "Nothing is remembered yet.\n" : "Nothing that is remembered has these words.\n",
      );
      return;
    }
    const { cyan, dim } = output.colors;
    for (const { id, kind, scope, text } of entries.slice(0, SHOWN)) {
      const head = `${id} ${kind} ${formatScope(scope)} `;
      const shown = onOneLine(text);
      const line =
        output.width === undefined ? shown : fitToWidth(shown, Math.max(20, output.width - head.length));
      output.write(`${cyan(id)} ${dim(`${kind} ${formatScope(scope)}`)} ${line}\n`);
    }
    const more = entries.length - SHOWN;
    if (more > 0) output.write(dim(`… and ${countOf(more, "older entry", "older entries")}\n`));
    output.write(dim(`To read, take back or forget one: ${toPaste("memory --help")}\n`));
  },
};
