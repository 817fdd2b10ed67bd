/**
 * `longhand memory prompt`: what a model in a scope would be told. Standard output has that text and nothing else, so that it
 * can be put into a prompt; that there is none is said on standard error.
 */

import type { PromptSection, Scope } from "@longhand/store/memory";
import { withMemory } from "../sessions/with-memory.ts";
import { escapeControls } from "../terminal/escape-controls.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { formatScope, parseScope } from "../terminal/scope-text.ts";
import { addExamples } from "./add-examples.ts";
import { parseCount } from "./parse-whole-number.ts";
import type { DefineCommand, JsonOption } from "./surroundings.ts";

interface MemoryPromptOptions extends JsonOption {
  readonly scope: Scope;
  readonly tokens?: number;
  readonly about?: string;
}

const DEFAULT_TOKENS = 2000;
const NOTHING: PromptSection = { text: "", entries: [] };

export const definePrompt: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand memory prompt --scope user=ann,channel=web", "what a model is told there, wider scopes too"],
    ["longhand memory prompt --scope user=ann --tokens 500", "within fewer tokens"],
    [
      'longhand memory prompt --scope user=ann --about "lunch in Rome"',
      "facts that have to do with it first",
    ],
  ]);
  command
    .requiredOption("--scope <scope>", "such as user=ann,channel=web, or global", parseScope)
    .option("--tokens <n>", `at most that many, estimated (default: ${DEFAULT_TOKENS})`, parseCount)
    .option("--about <text>", "what the conversation is about: facts that share words with it come first")
    .option("--json", "one JSON document: the text, and the entries in it")
    .action(async ({ scope, tokens = DEFAULT_TOKENS, about, ...options }: MemoryPromptOptions) => {
      const surroundings = begin(options);
      const { output, json } = surroundings;
      const { text, entries } =
        (await withMemory(surroundings, async (memory) =>
          memory.promptSection({ scope, maxTokens: tokens, ...(about === undefined ? {} : { about }) }),
        )) ?? NOTHING;
      if (json) output.write(jsonLine({ text, entries }));
      else if (text !== "") output.write(`${escapeControls(text)}\n`);
      else {
        output.writeError(
          `Nothing is remembered that a model in ${formatScope(scope)} could be told in ${tokens} tokens.\n`,
        );
      }
    });
};
