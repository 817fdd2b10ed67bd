import { fitToWidth, padToWidth } from "../../terminal/display-width.ts";
import { escapeLine, onOneLine } from "../../terminal/escape-controls.ts";
import type { Output } from "../../terminal/output.ts";
import { writeWrapped } from "../../terminal/write-wrapped.ts";
import type { ChatCommand } from "../chat-command.ts";

export const tools: ChatCommand = {
  name: "tools",
  argument: "",
  summary: "list tools and skills",
  waits: false,
  run: async (_, { agent, output }) => {
    if (agent.tools.length === 0) output.write("This agent has no tools.\n");
    writeList(
      agent.tools.map((tool) => ({
        name: tool.name,
        text: `${"needsApproval" in tool ? "(may ask first) " : ""}${tool.description}`,
      })),
      output,
    );
    const { found, invalid } = agent.skills;
    if (found.length > 0) output.write("\nSkills:\n");
    writeList(
      found.map(({ name, description, from }) => ({ name, text: `(${from}) ${description}` })),
      output,
    );
    for (const { directory, reason } of invalid) {
      const text = `Not loaded: ${escapeLine(directory)}: ${escapeLine(reason)}`;
      writeWrapped(output, text, output.colors.yellow);
    }
    await Promise.resolve();
  },
};

function writeList(rows: readonly { readonly name: string; readonly text: string }[], output: Output): void {
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  for (const { name, text } of rows) {
    const shown = onOneLine(text);
    const room = output.width === undefined ? undefined : Math.max(20, output.width - width - 2);
    output.write(
      `${output.colors.cyan(padToWidth(escapeLine(name), width))}  ${room === undefined ? shown : fitToWidth(shown, room)}\n`,
    );
  }
}
