/** `longhand doctor`: where things are and why, who has them, whether they are well, and what to do where they are not. */

import { arch, platform, release } from "node:os";
import { CommandError } from "../command-error.ts";
import { findDamagedRecords } from "../config/find-damaged-records.ts";
import { findWorkspaces } from "../config/find-workspaces.ts";
import { checkNamedDirectory } from "../sessions/check-named-store.ts";
import { examineConsolidation } from "../sessions/examine-consolidation.ts";
import { examineDirectory } from "../sessions/examine-directory.ts";
import { examineMemory } from "../sessions/examine-memory.ts";
import { examineOwners } from "../sessions/examine-owners.ts";
import { type ContentFacts, examineContent } from "../sessions/examine-store.ts";
import { findProblems, NO_CONTENT, type Problem } from "../sessions/find-problems.ts";
import { foreignTeller } from "../sessions/with-store.ts";
import { type DiskUse, measureDisk, NO_DISK_USE } from "../sessions/measure-disk.ts";
import type { ExaminedOwner } from "../sessions/owners.ts";
import { olderIn } from "../sessions/older-state.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { showPercent, withProgress } from "../terminal/progress.ts";
import { addExamples } from "./add-examples.ts";
import { breakLease } from "./break-lease.ts";
import { doctorLines, type DoctorReport } from "./doctor-lines.ts";
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
  else for (const line of doctorLines(report, surroundings)) output.write(`${line}\n`);
  return problems.length;
}

async function examine(surroundings: Surroundings): Promise<DoctorReport> {
  const { output, places, toPaste } = surroundings;
  const { path } = places.sessions;
  const { foreign, ...directory } = await examineDirectory(path);
  let [content, disk, owners]: [ContentFacts, DiskUse, readonly ExaminedOwner[]] = [
    NO_CONTENT,
    NO_DISK_USE,
    [],
  ];
  if (directory.isDirectory && directory.failure === undefined) {
    // Before the content: a reader meets what the dead have left, and would say the same of it.
    const failures: string[] = [];
    owners = await orFailure([], failures, async () => examineOwners(path));
    if (foreign.length > 0) foreignTeller(surroundings)(foreign);
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
  const records = (await findDamagedRecords(places.home.path)).map((file) => ({
    problem: `${file} cannot be read, or a newer version wrote it; nothing is approved by it`,
    remedy: `approve its directory again: ${toPaste("workspace approve DIR")}`,
  }));
  const problems = [
    ...[...findProblems(examined, toPaste), ...memory.problems],
    ...[...waiting, ...agents.problems, ...records],
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
