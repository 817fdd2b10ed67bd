/** `longhand search`: finds messages by their words, in everything that is kept. */

import type { OnProgress, SearchHit, SessionInfo, Store } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { readAmongForeign } from "../sessions/foreign-sessions.ts";
import { escapeKey, escapeLine, onOneLine } from "../terminal/escape-controls.ts";
import { highlightWords } from "../terminal/highlight-words.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { readableWidth } from "../terminal/output.ts";
import { showPercent, withProgress } from "../terminal/progress.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import { addExamples } from "./add-examples.ts";
import { parseCount } from "./parse-whole-number.ts";
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
    .option("--limit <n>", "at most that many", parseCount, DEFAULT_LIMIT)
    .option("--json", "JSON lines: one hit a line, the best first")
    .action(async (words: string[], options: SearchCommandOptions) => {
      const query = words.join(" ").trim();
      if (query === "") throw new CommandError("USAGE_INVALID", "there is no word to search for");
      const surroundings = begin(options);
      await withProgress(surroundings.output, async (progress) => {
        const given = { ...surroundings, output: progress.output };
        const onProgress = showPercent(progress, "searching");
        const use = async (store: Store): Promise<void> => search(store, query, options, given, onProgress);
        await readAmongForeign(given, use, { always: true, onFlawed: () => given.markFailed() });
      });
    });
};

export async function search(
  store: Store,
  query: string,
  { limit }: SearchCommandOptions,
  { output, json, places }: Surroundings,
  onProgress: OnProgress,
): Promise<void> {
  const hits = await store.search(query, { limit, onProgress });
  const statuses = await statusesOf(store, hits);
  if (json) {
    for (const hit of hits) output.write(jsonLine({ ...hit, status: statuses.get(hit.key) }));
    return;
  }
  if (hits.length === 0) {
    output.write(`Nothing has “${onOneLine(query)}” in ${escapeLine(places.sessions.path)}.\n`);
    return;
  }
  for (const hit of hits)
    output.write(
      hitLines(hit, statuses.get(hit.key) === "archived", query, output)
        .map((line) => `${line}\n`)
        .join(""),
    );
  if (hits.length === limit) {
    output.write(
      output.colors.dim(
        `${limit === 1 ? "This is the best hit" : `These are the best ${limit} hits`}; --limit shows more.\n`,
      ),
    );
  }
}

/** A key with an active session counts as active: a hit does not say which session of the key it is in. */
async function statusesOf(
  store: Store,
  hits: readonly SearchHit[],
): Promise<ReadonlyMap<string, SessionInfo["status"]>> {
  const statuses = new Map<string, SessionInfo["status"]>();
  for (const key of new Set(hits.map((hit) => hit.key))) {
    const info = await store.session(key).state();
    if (info !== undefined) statuses.set(key, info.status);
  }
  return statuses;
}

function hitLines(
  { key, seq, snippet, message }: SearchHit,
  isArchived: boolean,
  query: string,
  output: Surroundings["output"],
): string[] {
  const { colors } = output;
  const width = readableWidth(output);
  const found = wrapText(escapeLine(snippet), width === undefined ? undefined : width - 2);
  const mark = (word: string): string => colors.bold(colors.yellow(word));
  return [
    `${colors.cyan(escapeKey(key))}${isArchived ? " (archived)" : ""}  ${colors.dim(`#${seq} · ${message.role}`)}`,
    ...found.map((line) => `  ${highlightWords(line, query, mark)}`),
    "",
  ];
}
