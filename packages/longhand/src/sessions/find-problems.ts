/** What is wrong with a store that has been examined, each with its remedy. */

import type { Damage } from "@longhand/store";
import type { ToPaste } from "../terminal/command-to-paste.ts";
import { countOf } from "../terminal/format-count.ts";
import { shellQuote } from "../terminal/shell-quote.ts";
import { damageRemedy } from "./damage-remedy.ts";
import type { DirectoryFacts } from "./examine-directory.ts";
import type { ContentFacts } from "./examine-store.ts";
import { permissionRemedy } from "../terminal/permission-remedy.ts";
import { describeUnreadable } from "./unreadable-session.ts";
import { describeDamage } from "./with-store.ts";

export interface Problem {
  readonly problem: string;
  readonly remedy: string;
}

export interface Examined {
  readonly path: string;
  readonly directory: DirectoryFacts;
  readonly content: ContentFacts;
  /** What says where it is, on the command line. */
  readonly option: "--sessions" | "--memory";
}

export const NO_CONTENT: ContentFacts = {
  sessions: 0,
  archived: 0,
  trashed: 0,
  records: 0,
  messagesInView: 0,
  damage: [],
  unreadable: [],
  failures: [],
};

const OTHERS_MAY_WRITE = 0o002;
const STICKY = 0o1000;

export function findProblems({ path, directory, content, option }: Examined, toPaste: ToPaste): Problem[] {
  // A file that cannot be read is told of once.
  const unreadable = new Set(content.unreadable.map(({ file }) => file));
  const notWritable = directory.notWritable.filter((file) => !unreadable.has(file));
  return [
    ...directoryProblems(path, { ...directory, notWritable }, option),
    ...content.failures.map((problem) => ({
      problem,
      remedy: `mend what it names, then look again: ${toPaste("doctor")}`,
    })),
    ...content.unreadable.map((session) => ({
      problem: `a session cannot be read: ${describeUnreadable(session)}`,
      remedy: session.remedy,
    })),
    ...damageBeside(content).map((damage) => ({
      problem: describeDamage(damage),
      remedy: damageRemedy(damage, toPaste),
    })),
  ];
}

/** That a session cannot be read is its first damage, and told already. */
function damageBeside({ damage, unreadable }: ContentFacts): readonly Damage[] {
  const told = new Set(unreadable.map(({ file }) => file));
  return damage.filter(({ file }) => !told.delete(file));
}

function directoryProblems(path: string, facts: DirectoryFacts, option: Examined["option"]): Problem[] {
  const { exists, isDirectory, isOwn, mode, owner, openFiles, notWritable, failure } = facts;
  const problems: Problem[] = [];
  if (failure !== undefined) {
    problems.push({
      problem: `${path} cannot be read: ${failure.reason}`,
      remedy: failureRemedy(path, facts, option),
    });
  } else if (exists && !isDirectory) {
    return [{ problem: `${path} is not a directory`, remedy: `give another one with ${option} DIR` }];
  }
  if (isDirectory && !isOwn) {
    problems.push({
      problem: `${path} belongs to user ${owner}, not to you`,
      remedy: `run longhand as that user, or give another directory with ${option} DIR`,
    });
  }
  if (isDirectory) problems.push(...modeProblems(path, mode));
  if (openFiles.length > 0) {
    problems.push({
      problem: `the mode of ${countOf(openFiles.length, "session file")} lets others in, such as that of ${openFiles[0] ?? ""}`,
      remedy: `chmod 600 ${shellQuote(path)}/*.jsonl`,
    });
  }
  const [first] = notWritable;
  if (first !== undefined && !exists) {
    problems.push({
      problem: `${path} cannot be made: you may not write to ${first}`,
      remedy: `give another place with --home DIR or ${option} DIR`,
    });
  } else if (first !== undefined && isOwn && failure === undefined) {
    const others = notWritable.length === 1 ? "" : ` and ${notWritable.length - 1} more`;
    problems.push({ problem: `you may not write to ${first}${others}`, remedy: permissionRemedy(first) });
  }
  return problems;
}

function modeProblems(path: string, mode: string): Problem[] {
  const bits = Number.parseInt(mode, 8);
  if ((bits & OTHERS_MAY_WRITE) !== 0 && (bits & STICKY) === 0) {
    return [
      {
        problem: `${path} has mode ${mode}: anyone may WRITE to it, so the store refuses to write there`,
        remedy: `chmod o-w ${shellQuote(path)}  (for you alone: chmod 700)`,
      },
    ];
  }
  if (mode.endsWith("00")) return [];
  return [
    {
      problem: `${path} has mode ${mode}: others may look into it`,
      remedy: `chmod 700 ${shellQuote(path)}`,
    },
  ];
}

function failureRemedy(
  path: string,
  { isDirectory, failure }: DirectoryFacts,
  option: Examined["option"],
): string {
  switch (failure?.errno ?? "") {
    case "EACCES":
    case "EPERM":
      // Where not even its owner can be seen, it is a directory above that is closed.
      return isDirectory
        ? permissionRemedy(path)
        : `a directory above it is closed to you: ask its owner, or give another place with ${option} DIR`;
    case "ENOTDIR":
      return `there is a file where a directory must be; give another place with ${option} DIR`;
    default:
      return `mend what it names, or give another place with ${option} DIR`;
  }
}
