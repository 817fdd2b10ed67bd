/** What is wrong with a store that has been examined, each with its remedy. Pure. */

import { countOf } from "../terminal/format-count.ts";
import { shellQuote } from "../terminal/shell-quote.ts";
import type { ContentFacts, DirectoryFacts, WriterFacts } from "./examine-store.ts";
import { describeDamage } from "./with-store.ts";

export interface Problem {
  readonly problem: string;
  readonly remedy: string;
}

export function findProblems(
  path: string,
  directory: DirectoryFacts,
  content: ContentFacts,
  writer: WriterFacts,
): Problem[] {
  return [
    ...directoryProblems(path, directory),
    ...content.failures.map((problem) => ({
      problem,
      remedy: "mend what it names and run longhand doctor again; nothing was changed",
    })),
    ...content.damage.map((damage) => ({
      problem: describeDamage(damage),
      remedy:
        "the records around it are served and appends go on; copy the file before you change it, and put these bytes back from a backup if you have one",
    })),
    ...(writer.state === "failed"
      ? [
          {
            problem: `the store cannot be opened for writing: ${writer.reason ?? ""}`,
            remedy: "mend what it names; reading works meanwhile",
          },
        ]
      : []),
  ];
}

function directoryProblems(path: string, directory: DirectoryFacts): Problem[] {
  const { exists, isDirectory, isOwn, mode, owner, openFiles } = directory;
  if (!exists) return [];
  if (!isDirectory) {
    return [{ problem: `${path} is not a directory`, remedy: "give another one with --sessions DIR" }];
  }
  const problems: Problem[] = [];
  if (!isOwn) {
    problems.push({
      problem: `${path} belongs to user ${owner}, not to you`,
      remedy: "run longhand as that user, or give another directory with --sessions DIR",
    });
  }
  if (!mode.endsWith("00")) {
    problems.push({
      problem: `${path} has mode ${mode}: others may look into it`,
      remedy: `chmod 700 ${shellQuote(path)}`,
    });
  }
  if (openFiles.length > 0) {
    problems.push({
      problem: `others may read ${countOf(openFiles.length, "session file")}, such as ${openFiles[0] ?? ""}`,
      remedy: `chmod 600 ${shellQuote(path)}/*.jsonl`,
    });
  }
  return problems;
}
