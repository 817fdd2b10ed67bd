/** `npm run bench`: installs the peers, runs, prints the tables, writes JSON and charts. */

import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release, totalmem, type } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { hasStrace } from "./count-syncs.ts";
import { installPeers, peerVersions } from "./install-peers.ts";
import { HELP, parseOptions, UsageError } from "./options.ts";
import { charts } from "./report/charts.ts";
import { toJson } from "./report/json.ts";
import { problems, summary, tables } from "./report/table.ts";
import { BenchRun } from "./run-bench.ts";
import { runInChild } from "./run-child.ts";
import { Scratch } from "./scratch.ts";

/** bench/dist: on the disk of the repository, and nothing there is checked, tested or committed. */
const DEFAULT_SCRATCH = fileURLToPath(new URL(".", import.meta.url));
const BYTES_PER_GIB = 2 ** 30;

async function main(): Promise<number> {
  const parameters = process.argv.slice(2);
  const options = parseOptions(parameters);
  if (options.isHelp) {
    process.stdout.write(HELP);
    return 0;
  }
  const { sizes, workloads, candidates, repetitions } = options;
  const say = (text: string): void => console.error(text);
  const needsPeers = candidates.some(
    ({ name, peer }) =>
      peer !== undefined && workloads.some((workload) => workload.candidates.includes(name)),
  );
  const obstacle = needsPeers ? installPeers(say) : undefined;
  if (obstacle !== undefined) say(obstacle);

  const scratch = new Scratch(resolve(options.scratch ?? DEFAULT_SCRATCH));
  process.once("exit", () => scratch.remove());
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
  if (scratch.isInMemory)
    say("The scratch directory is in memory (tmpfs): syncs cost nothing there. See --scratch.");

  const facts = {
    date: new Date().toISOString(),
    command: `npm run bench${parameters.length > 0 ? ` -- ${parameters.join(" ")}` : ""}`,
    machine: machine(),
    sizes: sizes.name,
    repetitions,
    peers: peerVersions(),
  };
  const run = new BenchRun(
    { workloads, candidates, sizes, repetitions },
    { runTask: runInChild, scratch, canCountSyncs: hasStrace(), onStep: showStep() },
  );
  await run.finish();

  const [load = 0] = loadavg();
  console.log(
    [
      `\n${facts.command}\n${facts.date.slice(0, 10)}, ${facts.machine}, load ${load.toFixed(1)} at the end, ${repetitions} ${repetitions === 1 ? "repetition" : "repetitions"}`,
      ...(sizes.name === "full"
        ? []
        : [`Sizes: ${sizes.name}. These figures show that it runs; do not publish them.`]),
      `\n${tables(run.results)}`,
      `\n${summary(run.results)}`,
      ...problems(run.results).map((problem) => `\n${problem}`),
    ].join("\n"),
  );
  if (options.json !== undefined) writeFileSync(options.json, toJson(facts, run.results));
  if (options.charts !== undefined) writeCharts(options.charts, charts(run.results));
  return run.isFailed ? 1 : 0;
}

function writeCharts(directory: string, files: ReadonlyMap<string, string>): void {
  mkdirSync(directory, { recursive: true });
  for (const [name, svg] of files) writeFileSync(join(directory, name), svg);
}

/** One line that is written over on a terminal; a line for each step elsewhere. */
function showStep(): (step: string) => void {
  const { isTTY, columns } = process.stderr;
  return (step) => {
    process.stderr.write(isTTY ? `\r\u001b[K${step.slice(0, columns - 1)}` : `${step}\n`);
  };
}

function machine(): string {
  const memory = Math.round(totalmem() / BYTES_PER_GIB);
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  return `Node ${process.version}, ${type()} ${release()}, ${availableParallelism()} cores (${model}), ${memory} GiB`;
}

try {
  process.exitCode = await main();
} catch (error) {
  const isUsage =
    error instanceof UsageError || (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS") === true;
  if (!isUsage) throw error;
  console.error(`${(error as Error).message}\nSee npm run bench -- --help.`);
  process.exitCode = 2;
}
