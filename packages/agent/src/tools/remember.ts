/** `remember`: keeps a fact because somebody has asked for it. */

import * as z from "zod";
import { scopeOf, type MemorySourceOfTools } from "./recall.ts";
import { defineTool, type Tool } from "./tool.ts";

const parameters = z.object({
  text: z.string().min(1).max(2000).describe("One fact, as a sentence that can be understood by itself."),
});

export function rememberTool(source: MemorySourceOfTools): Tool {
  return defineTool({
    name: "remember",
    description:
      "Keeps a lasting fact beyond this conversation. Only for what the user asks to have remembered.",
    parameters,
    run: async ({ text }, context) => {
      const scope = scopeOf(source, context);
      const { id } = await source.memory.remember({ text, kind: "core", scope, source: { by: "request" } });
      return `remembered as ${id}`;
    },
  });
}
