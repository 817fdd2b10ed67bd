/** `longhand doctor`: where things are and why, whether they are well, and what to do where they are not. */

import { arch, platform, release } from "node:os";
import {
  type ContentFacts,
  type DirectoryFacts,
  examineContent,
  examineDirectory,
  examineWriter,
  type WriterFacts,
} from "../sessions/examine-store.ts";
import { findProblems, type Problem } from "../sessions/find-problems.ts";
import { escapeKey, escapeLine } from "../terminal/escape-controls.ts";
import { countOf, formatBytes } from "../terminal/format-count.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { startProgress } from "../terminal/progress.ts";
import { addExamples } from "./add-examples.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand doctor", "the places, and every session read through once"],
    ["longhand doctor --sessions ./sessions", "of another store"],
    ["longhand doctor --json | jq .problems", "for a program"],
  ]);
  command
    .option("--json", "one JSON document")
    .addHelpText(
      "after",
      "\nReads every record, and opens the store for writing for a moment to see whether another process has it.\n" +
        "Exits with 1 if there is a problem.",
    )
    .action(async (options: JsonOption) => {
      const surroundings = begin(options);
      if ((await doctor(surroundings)) > 0) surroundings.markFailed();
    });
};

interface Report {
  readonly directory: DirectoryFacts;
  readonly content: ContentFacts;
  readonly writer: WriterFacts;
  readonly problems: readonly Problem[];
}

/** Returns the number of problems. */
export async function doctor(surroundings: Surroundings): Promise<number> {
  const { output, places, json } = surroundings;
  const report = await examine(surroundings);
  const { directory, content, writer, problems } = report;
  const system = { node: process.version, platform: platform(), release: release(), architecture: arch() };
  if (json) output.write(jsonLine({ system, places, directory, ...content, writer, problems }));
  else for (const line of reportLines(report, surroundings)) output.write(`${line}\n`);
  return problems.length;
}

async function examine({ output, places }: Surroundings): Promise<Report> {
  const { path } = places.sessions;
  const directory = await examineDirectory(path);
  const readable = directory.exists && directory.isDirectory;
  const progress = startProgress(output);
  const content = readable
    ? await examineContent(path, (key, number) => {
        progress.show(`reading session ${number}: ${escapeKey(key)}`);
      })
    : { sessions: 0, messages: 0, messagesInView: 0, bytes: 0, damage: [], failures: [] };
  progress.end();
  const writer: WriterFacts = readable ? await examineWriter(path) : { state: "untried" };
  return { directory, content, writer, problems: findProblems(path, directory, content, writer) };
}

function reportLines(
  { directory, content, writer, problems }: Report,
  { output, places }: Surroundings,
): string[] {
  const { bold, dim, green, red } = output.colors;
  const row = (name: string, value: string, why = ""): string =>
    `  ${name.padEnd(10)} ${escapeLine(value)}${why === "" ? "" : `  ${dim(`(${why})`)}`}`;
  const { home, workspace, sessions } = places;
  return [
    bold("Places"),
    row("home", home.path, home.why),
    row("workspace", workspace.path, workspace.why),
    row("sessions", sessions.path, sessions.why),
    "",
    bold("Store"),
    row("directory", describeDirectory(directory)),
    row("sessions", `${content.sessions} (${formatBytes(content.bytes)})`),
    row("messages", `${content.messages} kept, ${content.messagesInView} in the views`),
    row("damage", content.damage.length === 0 ? "none found" : countOf(content.damage.length, "place")),
    row("writer", describeWriter(writer)),
    "",
    bold("System"),
    row("node", process.version),
    row("platform", `${platform()} ${release()} ${arch()}`),
    "",
    ...(problems.length === 0
      ? [green("No problems found.")]
      : [red(bold(countOf(problems.length, "problem")))]),
    ...problems.flatMap(({ problem, remedy }) => [
      `  ${red("•")} ${escapeLine(problem)}`,
      `    ${dim("remedy:")} ${escapeLine(remedy)}`,
    ]),
  ];
}

function describeDirectory({ exists, isDirectory, mode, owner, isOwn }: DirectoryFacts): string {
  if (!exists) return "not there yet; the first append creates it";
  if (!isDirectory) return "not a directory";
  return `mode ${mode}, owner ${owner}${isOwn ? " (you)" : ""}`;
}

function describeWriter({ state, owner, reason }: WriterFacts): string {
  switch (state) {
    case "free":
      return "no other process has it open for writing";
    case "held":
      return `open for writing by ${owner ?? "another process"}; reading works meanwhile`;
    case "failed":
      return `could not be opened for writing: ${reason ?? ""}`;
    case "untried":
      return "not tried; there is no store here yet";
  }
}
