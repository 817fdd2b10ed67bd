/** A run in words: the line while it goes on, the table at its end, and what to do about a violation. */

import { tellDuration } from "./duration.ts";
import type { Extent, FoundViolation, PartTally } from "./tally.ts";

export function progressLine(tallies: readonly PartTally[], elapsed: number): string {
  const parts = tallies
    .filter(({ obstacle }) => obstacle === undefined)
    .map(({ part, counts, violations }) => {
      const [first] = Object.keys(part.counts);
      const alarm = violations.length > 0 ? " VIOLATED" : "";
      return `${part.name} ${figure(counts[first ?? ""] ?? 0)}${alarm}`;
    });
  return `${tellDuration(elapsed)}  ${parts.join("  ")}`;
}

export function table(tallies: readonly PartTally[]): string {
  const rows = tallies.flatMap((tally): string[][] => {
    const { part, obstacle, counts } = tally;
    if (obstacle !== undefined) return [[part.title, "left out:", obstacle, "", ""]];
    return Object.entries(part.counts).map(([name, gate], index) => [
      index === 0 ? part.title : "",
      figure(counts[name] ?? 0),
      gate > 0 ? `${name} (gate: ${figure(gate)})` : name,
      index === 0 ? tellControl(tally) : "",
      index === 0 ? tellDuration(tally.milliseconds) : "",
    ]);
  });
  return layOut([["Part", "Reached", "of what", "Control", "Time"], ...rows]);
}

export function notes(tallies: readonly PartTally[]): string {
  return tallies
    .filter((tally) => tally.notes.length > 0)
    .map(
      (tally) =>
        `${tally.part.title}:\n${[...tally.notes]
          .sort()
          .map((line) => `  ${line}`)
          .join("\n")}`,
    )
    .join("\n\n");
}

export function tellViolation(
  { part: { name } }: PartTally,
  { slice, story, isFailure }: FoundViolation,
  seed: number,
): string {
  const what = isFailure ? "FAILED" : "VIOLATION";
  const again = `Again: npm run proof -- --part ${name} --slice ${slice} --seed ${seed}`;
  return `${what} in ${name}, slice ${slice}, seed ${seed}:\n${story}\n${again}`;
}

/** What is wrong, part by part; empty: nothing. */
export function problems(tallies: readonly PartTally[], seed: number, extent: Extent = "whole"): string[] {
  return tallies.flatMap((tally) => [
    ...tally.violations.map((violation) => tellViolation(tally, violation, seed)),
    ...(typeof tally.control === "object"
      ? [`The control of ${tally.part.name} failed:\n${tally.control.failed}`]
      : []),
    ...tally.shortcomings(extent).map((text) => `${tally.part.title}: ${text}`),
  ]);
}

function tellControl({ control }: PartTally): string {
  if (typeof control === "object") return "failed";
  return control === "missed" ? "FOUND NOTHING" : control;
}

function figure(value: number): string {
  return value.toLocaleString("en-US");
}

/** The second column to the right, the others to the left. */
function layOut(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column === 1 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
