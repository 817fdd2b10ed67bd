/** What the offline assistant says of itself. */

import { EXAMPLE_MODELS } from "../models/suggest-model.ts";
import { OFFLINE_TOOLS, type OfflineTool } from "./understand-request.ts";

/** Its first line in a conversation. Whether it was said is told by its beginning. */
export const NOTICE_BEGINS = "I am not a language model";
export const NOTICE: string = [
  `${NOTICE_BEGINS}, only a small offline assistant that understands a few plain requests and uses the real tools.`,
  "To talk to a model: install Ollama (https://ollama.com) and run `ollama pull gemma4:e4b`,",
  `or name a hosted one: \`--model openai:${EXAMPLE_MODELS.openai}\` (key in OPENAI_API_KEY)`,
  `or \`--model anthropic:${EXAMPLE_MODELS.anthropic}\` (key in ANTHROPIC_API_KEY).`,
].join(" ");

const EXAMPLES: Readonly<Record<OfflineTool, readonly string[]>> = {
  list_dir: ["list the files", "list the files in src"],
  read_file: ["read notes.txt"],
  write_file: ["write hello to notes.txt", "create notes.txt with hello"],
  exec: ["run date"],
  recall: ["what did I say about the report"],
  remember: ["remember that I like tea"],
  load_skill: ["list the skills"],
};

/** Only what the tools at hand can do. */
export function helpText(tools: readonly string[]): string {
  const lines = OFFLINE_TOOLS.filter((tool) => tools.includes(tool)).flatMap((tool) =>
    EXAMPLES[tool].map((example) => `- ${example}`),
  );
  return ["You can say:", "", ...lines, "- what do you know about me", "- help"].join("\n");
}

export function notUnderstood(hint: string | undefined, tools: readonly string[]): string {
  const first = hint === undefined ? "I did not understand that." : `I did not understand that. ${hint}`;
  return `${first}\n\n${helpText(tools)}`;
}

export function toolMissing(tool: OfflineTool, tools: readonly string[]): string {
  return `That takes the tool ${tool}, which this agent does not have.\n\n${helpText(tools)}`;
}
