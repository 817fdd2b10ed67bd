/** `longhand search`: finds messages, and what is remembered, by their words, in everything that is kept. */

import { Option } from "commander";
import type { OnProgress, SearchHit, SessionInfo, Store } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { readAmongForeign } from "../sessions/foreign-sessions.ts";
import { findKeptFiles, tellKeptFiles } from "../sessions/kept-aside.ts";
import { commandsElsewhere, findOtherWorkspaces } from "../sessions/other-workspaces.ts";
import { type MemoryHit, searchMemory } from "../sessions/search-memory.ts";
import { nothingRemembered } from "../sessions/with-memory.ts";
import { escapeKey, escapeLine, onOneLine } from "../terminal/escape-controls.ts";
import { highlightWords } from "../terminal/highlight-words.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { readableWidth } from "../terminal/output.ts";
import { showPercent, withProgress } from "../terminal/progress.ts";
import { formatScope } from "../terminal/scope-text.ts";
import { shellQuote } from "../terminal/shell-quote.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import { addExamples } from "./add-examples.ts";
import { parseCount } from "./parse-whole-number.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";

export interface SearchCommandOptions extends JsonOption {
  readonly limit: number;
  readonly in: "memory" | "sessions" | "all";
}

type Hit =
  | (SearchHit & { readonly from: "session"; readonly status: SessionInfo["status"] | undefined })
  | ({ readonly from: "memory" } & MemoryHit);

const DEFAULT_LIMIT = 20;

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand search quarterly report", "messages that have both words, the best first"],
    ["longhand search invoice --limit 5", "the five best"],
    ["longhand search tea --in memory", "what is remembered, of every scope"],
    ["longhand search -- --force", "words that begin with a dash"],
    ["longhand search invoice --json | jq -r .key", "for a program"],
  ]);
  command
    .argument("<words...>", "a message must have all of them; upper and lower case are the same")
    .option("-n, --limit <n>", "at most that many", parseCount, DEFAULT_LIMIT)
    .addOption(
      new Option("--in <where>", "where to look; all: in both")
        .choices(["memory", "sessions", "all"])
        .default("sessions"),
    )
    .option("--json", "JSON lines: one hit a line, the best first")
    .action(async (words: string[], options: SearchCommandOptions) => {
      const query = words.join(" ").trim();
      if (query === "") throw new CommandError("USAGE_INVALID", "there is no word to search for");
      const surroundings = begin(options);
      await withProgress(surroundings.output, async (progress) => {
        const given = { ...surroundings, output: progress.output };
        const remembered = options.in === "sessions" ? [] : await searchMemory(given, query, options.limit);
        const hits: Hit[] = (remembered ?? []).map((hit) => ({ from: "memory", ...hit }));
        if (options.in !== "memory") {
          const onProgress = showPercent(progress, "searching");
          const use = async (store: Store): Promise<readonly Hit[]> => {
            await tellKeptFiles(store, await findKeptFiles(given), given);
            return await searchSessions(store, query, options.limit, onProgress);
          };
          hits.push(...(await readAmongForeign(given, use, { onFlawed: () => given.markFailed() })));
        }
        if (options.in === "all") hits.sort((one, other) => other.score - one.score);
        // Where there is no memory, that says it all.
        if (remembered !== undefined || options.in === "all" || given.json)
          await tell(hits.slice(0, options.limit), query, options, given);
        if (remembered === undefined && !given.json) given.output.write(`${nothingRemembered(given)}\n`);
      });
    });
};

async function searchSessions(
  store: Store,
  query: string,
  limit: number,
  onProgress: OnProgress,
): Promise<readonly Hit[]> {
  const hits = await store.search(query, { limit, onProgress });
  const statuses = await statusesOf(store, hits);
  return hits.map((hit) => ({ ...hit, status: statuses.get(hit.key), from: "session" }));
}

async function tell(
  hits: readonly Hit[],
  query: string,
  { limit, in: where }: SearchCommandOptions,
  { output, json, places, toPaste }: Surroundings,
): Promise<void> {
  if (json) {
    for (const hit of hits) output.write(jsonLine(hit));
    return;
  }
  if (hits.length === 0) {
    const paths = [
      ...(where === "memory" ? [] : [places.sessions.path]),
      ...(where === "sessions" ? [] : [places.memory.path]),
    ];
    output.write(`Nothing has “${onOneLine(query)}” in ${paths.map(escapeLine).join(" or ")}.\n`);
    const others = where === "memory" ? [] : await findOtherWorkspaces(places);
    if (others.length > 0) output.write("To search other workspaces:\n");
    for (const command of commandsElsewhere(others, `search ${shellQuote(query)}`, toPaste))
      output.write(`  ${command}\n`);
    return;
  }
  for (const hit of hits)
    output.write(
      hitLines(hit, query, output)
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

function hitLines(hit: Hit, query: string, output: Surroundings["output"]): string[] {
  const { colors } = output;
  const width = readableWidth(output);
  const found = wrapText(escapeLine(hit.snippet), width === undefined ? undefined : width - 2);
  const mark = (word: string): string => colors.bold(colors.yellow(word));
  return [headingOf(hit, output), ...found.map((line) => `  ${highlightWords(line, query, mark)}`), ""];
}

function headingOf(hit: Hit, { colors }: Surroundings["output"]): string {
  if (hit.from === "memory") {
    const { id, kind, scope } = hit.entry;
    return `${colors.magenta(`memory ${id}`)}  ${colors.dim(`${kind} · ${formatScope(scope)}`)}`;
  }
  const { key, seq, message, status } = hit;
  return `${colors.cyan(escapeKey(key))}${status === "archived" ? " (archived)" : ""}  ${colors.dim(`#${seq} · ${message.role}`)}`;
}
