/** What `longhand doctor` found, as lines for a person. Pure. */

import { arch, platform, release } from "node:os";
import { basename } from "node:path";
import type { ExaminedAgents } from "../assembly/examine-agents.ts";
import type { KnownWorkspace } from "../config/find-workspaces.ts";
import type { Older } from "../config/workspace-record.ts";
import { describeOpen } from "../sessions/describe-open.ts";
import type { DirectoryFacts } from "../sessions/examine-directory.ts";
import type { ExaminedMemory } from "../sessions/examine-memory.ts";
import { isDamagedPlace } from "../sessions/count-damage.ts";
import type { ContentFacts } from "../sessions/examine-store.ts";
import type { Examined, Problem } from "../sessions/find-problems.ts";
import { DISK_PARTS, type DiskUse } from "../sessions/measure-disk.ts";
import { describeOlder } from "../sessions/older-state.ts";
import { type ExaminedOwner, ownerLines } from "../sessions/owners.ts";
import { displayWidth } from "../terminal/display-width.ts";
import { escapeLine } from "../terminal/escape-controls.ts";
import { countOf, formatBytes } from "../terminal/format-count.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import { agentRows } from "./agent-rows.ts";
import type { Surroundings } from "./surroundings.ts";

const SHOWN_FOREIGN = 10;

export interface DoctorReport extends Examined {
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

export function doctorLines(
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
  }: DoctorReport,
  { output, places, toPaste }: Surroundings,
): string[] {
  const { bold, dim, green, red } = output.colors;
  const row = (name: string, value: string, why = ""): string => {
    const start = `  ${name.padEnd(10)} `;
    const text = escapeLine(value);
    const reason = why === "" ? "" : `  (${why})`;
    if (displayWidth(start + text + reason) <= (output.width ?? Infinity)) return start + text + dim(reason);
    return hanging(start, text + reason, output.width);
  };
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
      hanging("  • ", escapeLine(problem), output.width).replace("•", red("•")),
      `    ${dim("remedy:")} ${escapeLine(remedy)}`,
    ]),
  ];
}

/** Broken between words below its start; as it is where a word, such as a path, is too long: it can then be copied whole. */
function hanging(start: string, text: string, width: number | undefined): string {
  const room = (width ?? Infinity) - start.length;
  if (text.split(" ").some((word) => displayWidth(word) > room)) return start + text;
  return start + wrapText(text, room).join(`\n${" ".repeat(start.length)}`);
}

function contentRows(content: ContentFacts): (readonly [name: string, value: string])[] {
  const { sessions, archived, trashed, records, messagesInView, unreadable } = content;
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
    ["damage", describeDamaged(content)],
  ];
}

/** The number of `longhand verify`. */
function describeDamaged({ damage, unreadable }: ContentFacts): string {
  const places = damage.filter(isDamagedPlace).length;
  if (places > 0) return countOf(places, "place");
  return unreadable.length === 0 ? "none found" : "none in what can be read";
}

/** Its entries are records of a store of its own. */
function describeMemory(
  content: ContentFacts,
  { waiting, open }: Pick<ExaminedMemory, "waiting" | "open">,
): string {
  const damaged = describeDamaged(content);
  const behind = waiting === 0 ? "" : `; ${countOf(waiting, "conversation")} waiting to be taken in`;
  const unanswered = open === 0 ? "" : `; ${describeOpen(open)}, taken in once it is continued`;
  return `${countOf(content.records, "record")} kept; damage: ${damaged}${behind}${unanswered}`;
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
