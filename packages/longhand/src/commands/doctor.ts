/** `longhand doctor`: where things are and why, whether they are well, and what to do where they are not. */

import { arch, platform, release } from "node:os";
import { type DirectoryFacts, examineDirectory } from "../sessions/examine-directory.ts";
import {
  type ContentFacts,
  examineContent,
  examineWriter,
  type WriterFacts,
} from "../sessions/examine-store.ts";
import { type Examined, findProblems, type Problem } from "../sessions/find-problems.ts";
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

interface Report extends Examined {
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

const NOTHING: ContentFacts = {
  sessions: 0,
  archived: 0,
  trashed: 0,
  messages: 0,
  messagesInView: 0,
  bytes: 0,
  damage: [],
  unreadable: [],
  failures: [],
};

async function examine({ output, places, toPaste }: Surroundings): Promise<Report> {
  const { path } = places.sessions;
  const directory = await examineDirectory(path);
  const isReadable = directory.isDirectory && directory.failure === undefined;
  const progress = startProgress(output);
  const content = isReadable
    ? await examineContent(path, (key, number) => {
        progress.show(`reading session ${number}: ${escapeKey(key)}`);
      })
    : NOTHING;
  progress.end();
  const damage = [...content.damage];
  const writer: WriterFacts = isReadable
    ? await examineWriter(path, (found) => damage.push(found))
    : { state: "untried" };
  const examined = { path, directory, content: { ...content, damage }, writer };
  return { ...examined, problems: findProblems(examined, toPaste) };
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
    ...contentRows(content).map(([name, value]) => row(name, value)),
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

function contentRows(content: ContentFacts): (readonly [name: string, value: string])[] {
  const { sessions, archived, trashed, messages, messagesInView, bytes, damage, unreadable } = content;
  const putAway = [
    ...(archived === 0 ? [] : [`${archived} archived`]),
    ...(trashed === 0 ? [] : [`${trashed} in the trash`]),
  ];
  return [
    ["sessions", [`${sessions} active`, ...putAway].join(", ") + ` (${formatBytes(bytes)})`],
    ...(unreadable.length === 0
      ? []
      : [["unreadable", `${countOf(unreadable.length, "session")} more, see below`] as const]),
    ["messages", `${messages} kept, ${messagesInView} in the views, in active sessions`],
    ["damage", damage.length === 0 ? "none found" : countOf(damage.length, "place")],
  ];
}

function describeDirectory({ exists, isDirectory, mode, owner, isOwn, failure }: DirectoryFacts): string {
  if (failure !== undefined && !isDirectory) return "cannot be looked at";
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
      return "not tried; there is no store here that could be opened";
  }
}
