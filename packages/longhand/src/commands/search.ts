/** `longhand search`: finds messages by their words, in everything that is kept. */

import type { SearchHit, Store } from "@longhand/store";
import { withStoreForReading } from "../sessions/with-store.ts";
import { escapeKey, escapeLine, onOneLine } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { highlightWords } from "../terminal/highlight-words.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { readableWidth } from "../terminal/output.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import { addExamples } from "./add-examples.ts";
import { parseWholeNumber } from "./parse-whole-number.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";

export interface SearchCommandOptions extends JsonOption {
  readonly limit: number;
}

const DEFAULT_LIMIT = 20;

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand search quarterly report", "messages that have both words, the best first"],
    ["longhand search invoice --limit 5", "the five best"],
    ["longhand search -- --force", "words that begin with a dash"],
    ["longhand search invoice --json | jq -r .key", "for a program"],
  ]);
  command
    .argument("<words...>", "a message must have all of them; upper and lower case are the same")
    .option("--limit <n>", "at most that many", parseWholeNumber, DEFAULT_LIMIT)
    .option("--json", "JSON lines: one hit a line, the best first")
    .action(async (words: string[], options: SearchCommandOptions) => {
      const surroundings = begin(options);
      await withStoreForReading(surroundings, async (store) =>
        search(store, words.join(" "), options, surroundings),
      );
    });
};

export async function search(
  store: Store,
  query: string,
  { limit }: SearchCommandOptions,
  { output, json, places }: Surroundings,
): Promise<void> {
  const hits = await store.search(query, { limit });
  if (json) {
    for (const hit of hits) output.write(jsonLine(hit));
    return;
  }
  if (hits.length === 0) {
    output.write(`Nothing has “${onOneLine(query)}” in ${escapeLine(places.sessions.path)}.\n`);
    return;
  }
  for (const hit of hits)
    output.write(
      hitLines(hit, query, output)
        .map((line) => `${line}\n`)
        .join(""),
    );
  if (hits.length === limit) {
    output.write(output.colors.dim(`These are the best ${countOf(limit, "hit")}; --limit shows more.\n`));
  }
}

function hitLines(
  { key, seq, snippet, message }: SearchHit,
  query: string,
  output: Surroundings["output"],
): string[] {
  const { colors } = output;
  const width = readableWidth(output);
  const found = wrapText(escapeLine(snippet), width === undefined ? undefined : width - 2);
  const mark = (word: string): string => colors.bold(colors.yellow(word));
  return [
    `${colors.cyan(escapeKey(key))}  ${colors.dim(`#${seq} · ${message.role}`)}`,
    ...found.map((line) => `  ${highlightWords(line, query, mark)}`),
    "",
  ];
}
