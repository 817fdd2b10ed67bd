/** `longhand doctor`: where things are and why, who has them, whether they are well, and what to do where they are not. */

import { arch, platform, release } from "node:os";
import { basename } from "node:path";
import type { ExaminedAgents } from "../assembly/examine-agents.ts";
import { CommandError } from "../command-error.ts";
import { findWorkspaces, type KnownWorkspace } from "../config/find-workspaces.ts";
import type { Older } from "../config/workspace-record.ts";
import { checkNamedDirectory } from "../sessions/check-named-store.ts";
import { describeOpen } from "../sessions/describe-open.ts";
import { examineConsolidation } from "../sessions/examine-consolidation.ts";
import { type DirectoryFacts, examineDirectory } from "../sessions/examine-directory.ts";
import { type ExaminedMemory, examineMemory } from "../sessions/examine-memory.ts";
import { examineOwners } from "../sessions/examine-owners.ts";
import { type ContentFacts, examineContent } from "../sessions/examine-store.ts";
import { type Examined, findProblems, NO_CONTENT, type Problem } from "../sessions/find-problems.ts";
import { foreignTeller } from "../sessions/with-store.ts";
import { DISK_PARTS, type DiskUse, measureDisk, NO_DISK_USE } from "../sessions/measure-disk.ts";
import { type ExaminedOwner, ownerLines } from "../sessions/owners.ts";
import { describeOlder, olderIn } from "../sessions/older-state.ts";
import { escapeLine } from "../terminal/escape-controls.ts";
import { countOf, formatBytes } from "../terminal/format-count.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { showPercent, withProgress } from "../terminal/progress.ts";
import { agentRows } from "./agent-rows.ts";
import { addExamples } from "./add-examples.ts";
import { breakLease } from "./break-lease.ts";
import { parseNotEmpty } from "./parse-not-empty.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";

export interface DoctorCommandOptions extends JsonOption {
  readonly breakLease?: string;
  readonly yes?: boolean;
}

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand doctor", "the places, the owners, and every session read through once"],
    ["longhand doctor --sessions ./sessions", "of another store"],
    ["longhand doctor --json | jq .problems", "for a program"],
    ["longhand doctor --break-lease my-notes", "its owner is gone for good, and only you can know that"],
  ]);
  command
    .option(
      "--break-lease <key>",
      "instead: lets go of this session (the whole key), whose owner has ended though that cannot be proven from here; asks first",
      parseNotEmpty,
    )
    .option("--yes", "do not ask before --break-lease")
    .option("--json", "one JSON document")
    .addHelpText("after", "\nReads every record and changes nothing. Exits with 1 if there is a problem.")
    .action(async (options: DoctorCommandOptions) => {
      const surroundings = begin(options);
      const { breakLease: key, yes = false } = options;
      if (key !== undefined) {
        await breakLease(key, yes, surroundings, await import("@longhand/store"));
        return;
      }
      if (yes)
        throw new CommandError("USAGE_INVALID", "--yes is for --break-lease; without it nothing is asked");
      if ((await doctor(surroundings)) > 0) surroundings.markFailed();
    });
};

const SHOWN_FOREIGN = 10;

interface Report extends Examined {
  readonly disk: DiskUse;
  /** Paths of files that look like another program's sessions. */
  readonly foreign: readonly string[];
  readonly owners: readonly ExaminedOwner[];
  readonly memory: ExaminedMemory;
  readonly agents: ExaminedAgents;
  readonly workspaces: readonly KnownWorkspace[];
  /** What an older version left in the workspace. */
  readonly older: readonly Older[];
  /** Of the memory and the agents too. */
  readonly problems: readonly Problem[];
}

/** Returns the number of problems. */
export async function doctor(surroundings: Surroundings): Promise<number> {
  const { output, places, json } = surroundings;
  await checkNamedDirectory(places);
  const report = await examine(surroundings);
  const { directory, content, disk, owners, workspaces, older, problems } = report;
  const { content: inMemory, waiting, open } = report.memory;
  const memory = inMemory === undefined ? null : { ...inMemory, waiting, open };
  const { sandbox, configFiles, agents } = report.agents;
  const { foreign } = report;
  const system = { node: process.version, platform: platform(), release: release(), architecture: arch() };
  if (json)
    output.write(
      jsonLine({
        ...{ system, places, directory, ...content, foreign, disk, owners, memory },
        ...{ configFiles, agents, sandbox, workspaces, older, problems },
      }),
    );
  else for (const line of reportLines(report, surroundings)) output.write(`${line}\n`);
  return problems.length;
}

async function examine(surroundings: Surroundings): Promise<Report> {
  const { output, places, toPaste } = surroundings;
  const { path } = places.sessions;
  const directory = await examineDirectory(path);
  let [content, disk, owners]: [ContentFacts, DiskUse, readonly ExaminedOwner[]] = [
    NO_CONTENT,
    NO_DISK_USE,
    [],
  ];
  let foreign: readonly string[] = [];
  if (directory.isDirectory && directory.failure === undefined) {
    // Before the content: a reader meets what the dead have left, and would say the same of it.
    const failures: string[] = [];
    owners = await orFailure([], failures, async () => examineOwners(path));
    foreign = await orFailure([], failures, async () => {
      const { findForeign } = await import("@longhand/store");
      const { similar } = await findForeign(path);
      if (similar.length > 0) foreignTeller(surroundings)(similar);
      return similar;
    });
    content = await withProgress(output, async (progress) =>
      examineContent(path, toPaste, showPercent(progress, "reading")),
    );
    disk = await measureDisk(path, (reason) => failures.push(reason));
    content = { ...content, failures: [...new Set([...content.failures, ...failures])] };
  }
  const memory = await withProgress(output, async (progress) =>
    examineMemory(
      places.memory.path,
      output.now().getTime(),
      toPaste,
      showPercent(progress, "reading the memory"),
    ),
  );
  const examined = { path, directory, content, option: "--sessions" } as const;
  // Loaded only now: what is told of a lease needs no agent.
  const { examineAgents } = await import("../assembly/examine-agents.ts");
  const agents = await examineAgents(places, surroundings.environment, toPaste);
  const waiting: Problem[] = [];
  for (const other of agents.memories.filter((each) => each !== places.memory.path))
    waiting.push(...(await examineConsolidation(other, output.now().getTime(), toPaste)).problems);
  const problems = [
    ...[...findProblems(examined, toPaste), ...memory.problems],
    ...[...waiting, ...agents.problems],
  ];
  const workspaces = await findWorkspaces(places.home.path);
  const older = olderIn(places.workspace);
  return { ...examined, disk, foreign, owners, memory, agents, workspaces, older, problems };
}

async function orFailure<T>(otherwise: T, failures: string[], look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    failures.push(error instanceof Error ? error.message : String(error));
    return otherwise;
  }
}

function reportLines(
  {
    directory,
    content,
    disk,
    foreign,
    owners,
    memory: remembered,
    agents,
    workspaces,
    older,
    problems,
  }: Report,
  { output, places, toPaste }: Surroundings,
): string[] {
  const { bold, dim, green, red } = output.colors;
  const row = (name: string, value: string, why = ""): string =>
    `  ${name.padEnd(10)} ${escapeLine(value)}${why === "" ? "" : `  ${dim(`(${why})`)}`}`;
  const { home, workspace, sessions, memory } = places;
  return [
    bold("Places"),
    row("home", home.path, home.why),
    row("workspace", workspace.path, workspace.why),
    row("sessions", sessions.path, sessions.why),
    row("memory", memory.path, memory.why),
    ...workspaces
      .filter(({ approved }) => approved !== null)
      .map(({ path, approved }) => row("approved", path, approved?.slice(0, 10))),
    ...(older.length === 0
      ? []
      : [row("older", `${describeOlder(workspace.path, older)}; to move: ${toPaste("workspace move")}`)]),
    "",
    bold("Store"),
    row("directory", describeDirectory(directory)),
    ...contentRows(content).map(([name, value]) => row(name, value)),
    ...(foreign.length === 0 ? [] : [row("foreign", foreignNames(foreign), "left alone")]),
    row("disk", describeDisk(disk), "as the files are, compressed or not; one that forks share counts once"),
    ...(remembered.content === undefined
      ? []
      : [row("memory", describeMemory(remembered.content, remembered))]),
    "",
    bold("Open for writing"),
    ...(owners.length === 0
      ? ["  by nobody"]
      : owners.flatMap((owner) => ownerLines(owner, toPaste)).map((line) => `  ${line}`)),
    "",
    bold("Agents"),
    ...agentRows(agents).map(([name, value]) => row(name, value)),
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
  const { sessions, archived, trashed, records, messagesInView, damage, unreadable } = content;
  const putAway = [
    ...(archived === 0 ? [] : [`${archived} archived`]),
    ...(trashed === 0 ? [] : [`${trashed} in the trash`]),
  ];
  return [
    ["sessions", [`${sessions} active`, ...putAway].join(", ")],
    ...(unreadable.length === 0
      ? []
      : [["unreadable", `${countOf(unreadable.length, "session")} more, see below`] as const]),
    ["records", `${records} kept; ${countOf(messagesInView, "message")} in the views of active sessions`],
    ["damage", describeDamaged(damage.length, unreadable.length)],
  ];
}

function describeDamaged(places: number, unreadable: number): string {
  if (places > 0) return countOf(places, "place");
  return unreadable === 0 ? "none found" : "sessions that cannot be read, see below; no damage in the others";
}

/** Its entries are records of a store of its own. */
function describeMemory(
  { records, damage, unreadable }: ContentFacts,
  { waiting, open }: Pick<ExaminedMemory, "waiting" | "open">,
): string {
  const damaged = describeDamaged(damage.length, unreadable.length);
  const behind = waiting === 0 ? "" : `; ${countOf(waiting, "conversation")} waiting to be taken in`;
  const unanswered = open === 0 ? "" : `; ${describeOpen(open)}, taken in once it is continued`;
  return `${countOf(records, "record")} kept; damage: ${damaged}${behind}${unanswered}`;
}

function foreignNames(files: readonly string[]): string {
  const names = files.map((file) => basename(file));
  const more = names.length - SHOWN_FOREIGN;
  const shown = names.slice(0, SHOWN_FOREIGN).join(", ") + (more > 0 ? ` and ${more} more` : "");
  return `${countOf(names.length, "file")} like another program's sessions: ${shown}`;
}

function describeDisk(disk: DiskUse): string {
  const parts = DISK_PARTS.filter((part) => disk[part] > 0);
  const total = parts.reduce((sum, part) => sum + disk[part], 0);
  if (parts.length === 0) return "nothing";
  return `${formatBytes(total)}: ${parts.map((part) => `${part} ${formatBytes(disk[part])}`).join(", ")}`;
}

function describeDirectory({ exists, isDirectory, mode, owner, isOwn, failure }: DirectoryFacts): string {
  if (failure !== undefined && !isDirectory) return "cannot be looked at";
  if (!exists) return "not there yet; the first append creates it";
  if (!isDirectory) return "not a directory";
  return `mode ${mode}, owner ${owner}${isOwn ? " (you)" : ""}`;
}
