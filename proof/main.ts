/** `npm run proof`: the command line, the display, the exit code. */

import { availableParallelism, release, totalmem, type } from "node:os";
import process from "node:process";
import { parseArgs } from "node:util";
import { parseDuration, tellDuration } from "./duration.ts";
import type { Part } from "./part.ts";
import { PARTS } from "./parts.ts";
import { notes, problems, progressLine, table, tellViolation } from "./report.ts";
import { ProofRun } from "./run-proof.ts";
import { runSlice } from "./run-slice.ts";
import { PartTally } from "./tally.ts";

const HELP = `Hurts stores in every way we know, and looks whether a promise is broken. docs/proof.md explains the parts.

  npm run proof                              the gate: a fixed amount of each part, half an hour or so on two cores
  npm run proof -- --quick                   a small part of the gate; what CI runs
  npm run proof -- --for 2h                  the gate, then on until the time is over (30s, 20m, 2h), on all cores
  npm run proof -- --part kills --part fuzz  these parts alone
  npm run proof -- --part fuzz --slice 17 --seed 3     one slice again, as a violation has named it

  --seed N      where chance begins; the same seed does the same again, but for real processes and disks (default 1)
  --workers N   so many at once (default: one for each core)
  --json        the result of a run as JSON on stdout, everything else on stderr (npm run --silent proof -- --json)
  --help

Parts: ${PARTS.map(({ name }) => name).join(", ")}

The table's times are those of all workers of a part, added up.
Slices of most parts go on for ever, each another one; of dangers and mutants there are no more than the gate has.
Ends with 0 if every promise was kept, every figure of the gate reached and every control found what it must;
with 1 if not, or if a part that was named, or with CI set any part, could not be run here; with 2 if the command
line is wrong.
`;

const EVERY_ON_TERMINAL = 1000;
const EVERY_ELSEWHERE = 30_000;

class UsageError extends Error {}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      for: { type: "string" },
      part: { type: "string", multiple: true },
      slice: { type: "string" },
      seed: { type: "string", default: "1" },
      workers: { type: "string" },
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const isCi = (process.env["CI"] ?? "") !== "";
  const parts = PARTS.filter(({ name }) => values.part?.includes(name) ?? true);
  for (const name of values.part ?? []) {
    if (!parts.some((part) => part.name === name)) {
      throw new UsageError(
        `There is no part ${name}. There are: ${PARTS.map((part) => part.name).join(", ")}`,
      );
    }
  }
  const seed = wholeNumber("--seed", values.seed);
  const abort = new AbortController();
  process.on("SIGINT", () => abort.abort());
  process.on("SIGTERM", () => abort.abort());
  if (values.slice !== undefined) {
    const [part] = parts;
    if (part === undefined || values.part?.length !== 1) throw new UsageError("--slice needs one --part.");
    if (values.for !== undefined || values.json || values.quick || values.workers !== undefined)
      throw new UsageError("--slice goes with --part and --seed alone.");
    return await again(part, wholeNumber("--slice", values.slice), seed, abort.signal);
  }
  const long = values.for === undefined ? undefined : parseDuration(values.for);
  if (values.for !== undefined && (long === undefined || long === 0)) {
    throw new UsageError(`--for ${values.for} is no time; write 30s, 20m or 2h.`);
  }
  const size = values.quick ? "quick" : "whole";
  const began = Date.now();
  const run = await ProofRun.prepare({
    parts,
    seed,
    workers: positive("--workers", values.workers ?? String(availableParallelism())),
    size,
    until: long === undefined ? undefined : began + long,
    abort: abort.signal,
    onViolation: (tally, violation) => console.error(`\n${tellViolation(tally, violation, seed)}\n`),
  });
  const stopShowing = show(run, began);
  await run.finish();
  stopShowing();
  const elapsed = Date.now() - began;
  const isInterrupted = abort.signal.aborted;
  // Cut short, it has of course not reached its figures.
  const wrong = problems(run.tallies, seed, isInterrupted ? "interrupted" : size);
  const leftOut = run.tallies.filter(({ obstacle }) => obstacle !== undefined);
  const isKept = wrong.length === 0 && !isInterrupted;
  const isProven = isKept && leftOut.length === 0;
  console.error(
    [
      `\n${machine()}, seed ${seed}, ${tellDuration(elapsed)}${isInterrupted ? ", interrupted" : ""}\n`,
      table(run.tallies),
      ...[notes(run.tallies), ...wrong].filter((text) => text !== "").map((text) => `\n${text}`),
      ...(wrong.length === 0 ? [`\n${tellOutcome(isInterrupted, leftOut, parts.length)}`] : []),
    ].join("\n"),
  );
  if (values.json) {
    const result = run.tallies.map(({ part, obstacle, counts, control, slices, violations }) => ({
      part: part.name,
      ...(obstacle === undefined ? { counts, control, slices, violations } : { leftOut: obstacle }),
    }));
    console.log(
      JSON.stringify(
        {
          ...{ machine: machine(), seed, milliseconds: elapsed, isProven, isInterrupted },
          ...{ problems: wrong, parts: result },
        },
        null,
        2,
      ),
    );
  }
  const mayLeaveOut = !isCi && values.part === undefined;
  return isProven || (isKept && mayLeaveOut) ? 0 : 1;
}

function tellOutcome(isInterrupted: boolean, leftOut: readonly PartTally[], parts: number): string {
  if (leftOut.length === parts) return "Nothing was run.";
  const zero = isInterrupted ? "Interrupted; until then zero violations" : "Zero violations";
  if (leftOut.length === 0) return `${zero}.`;
  return `${zero} in what was run. Not run: ${leftOut.map(({ part }) => part.name).join(", ")}.`;
}

async function again(part: Part, slice: number, seed: number, abort: AbortSignal): Promise<number> {
  if (part.weight === 0 && slice >= part.gateSlices) {
    throw new UsageError(`${part.name} has slices 0 to ${part.gateSlices - 1}, and no others.`);
  }
  const obstacle = await part.obstacle();
  if (obstacle !== undefined) {
    console.error(`${part.name} cannot be run here: ${obstacle}`);
    return 1;
  }
  const tally = new PartTally(part, undefined);
  const outcome = await runSlice(
    { part: part.name, slice, seed },
    (message) => tally.hear(slice, message),
    abort,
  );
  if (abort.aborted) {
    console.log("interrupted");
    return 1;
  }
  const violation = tally.end(slice, outcome);
  if (violation !== undefined) {
    console.log(tellViolation(tally, violation, seed));
    return 1;
  }
  const counts = Object.entries(tally.counts).map(([name, count]) => `${count} ${name}`);
  const chance =
    part.isLeftToChance === true ? " (the moments are left to chance: another time may differ)" : "";
  console.log(
    `${part.name}, slice ${slice}, seed ${seed}: every promise kept${chance} (${counts.join(", ")})`,
  );
  return 0;
}

/** One line that is written over on a terminal; a line now and then elsewhere. */
function show(run: ProofRun, began: number): () => void {
  const { isTTY, columns } = process.stderr;
  const write = (): void => {
    const line = progressLine(run.tallies, Date.now() - began);
    process.stderr.write(isTTY ? `\r\u001b[K${line.slice(0, columns - 1)}` : `${line}\n`);
  };
  const timer = setInterval(write, isTTY ? EVERY_ON_TERMINAL : EVERY_ELSEWHERE);
  return () => {
    clearInterval(timer);
    if (isTTY) process.stderr.write("\r\u001b[K");
  };
}

function positive(option: string, text: string): number {
  const number = wholeNumber(option, text);
  if (number === 0) throw new UsageError(`${option} 0: at least one is needed.`);
  return number;
}

function wholeNumber(option: string, text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new UsageError(`${option} ${text}: a whole number of at most nine digits is needed.`);
  return Number(text);
}

function machine(): string {
  const memory = Math.round(totalmem() / 2 ** 30);
  return `Node ${process.version}, ${type()} ${release()}, ${availableParallelism()} cores, ${memory} GiB`;
}

try {
  process.exitCode = await main();
} catch (error) {
  const isUsage =
    error instanceof UsageError || (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS");
  if (isUsage !== true) throw error;
  console.error(`${(error as Error).message}\nSee npm run proof -- --help.`);
  process.exitCode = 2;
}
