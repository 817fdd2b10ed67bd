/** `remember`: keeps a fact because somebody has asked for it. */

import type { MemorySource } from "@longhand/store/memory";
import * as z from "zod";
import { seqOfQuestion } from "./recall-conversations.ts";
import { scopeOf, type MemorySourceOfTools } from "./recall.ts";
import { defineTool, type Tool, type ToolContext } from "./tool.ts";

type Said = Extract<MemorySource, { by: "request" }>["said"];

/** From the user's question to the call: an undo of the turn withdraws the fact. `undefined`: the conversations are not known here. */
async function turnOf({ conversations }: MemorySourceOfTools, { key }: ToolContext): Promise<Said> {
  const state = await conversations?.store.session(key).state();
  if (conversations === undefined || state === undefined) return undefined;
  const from = Math.max(1, await seqOfQuestion(conversations.store, key));
  return { key, id: state.id, from, to: Math.max(from, state.seq) };
}

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
      const said = await turnOf(source, context);
      const { id } = await source.memory.remember({
        ...{ text, kind: "core", scope },
        source: { by: "request", ...(said === undefined ? {} : { said }) },
      });
      return `remembered as ${id}`;
    },
  });
}
