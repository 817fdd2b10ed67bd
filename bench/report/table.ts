/** The tables of a run, for a terminal; as Markdown they can go into docs/performance.md. */

import type { Result } from "../result.ts";
import { spreadOf } from "../statistics.ts";
import { figure, range } from "./figure.ts";
import { flatness, goalVerdicts, OURS, ratioToOurs, times } from "./verdicts.ts";

/** Figures beside the main one, where a workload has them. */
const COLUMNS: Readonly<Record<string, string>> = {
  appliedOps: "ops/s until closed",
  ackedOps: "ops/s acknowledged",
  p50Ms: "p50 ms",
  p99Ms: "p99 ms",
  loopDelayP99Ms: "loop delay p99 ms",
  loopDelayMaxMs: "loop delay max ms",
  n: "n",
  rssMb: "peak MB",
  importMs: "import ms",
  wallMs: "process ms",
};

export function tables(results: readonly Result[]): string {
  const workloads = [...new Set(results.map(({ workload }) => workload))];
  return workloads
    .map((workload) => {
      const own = results.filter((result) => result.workload === workload);
      return [
        `${workload.name}: ${workload.title} (${workload.unit}, ${workload.unit === "ms" ? "lower" : "higher"} is better)`,
        workload.points === undefined ? plainTable(own) : sweepTable(own),
        ...goalVerdicts(workload, own).map(({ text }) => `Longhand ${text}`),
      ].join("\n");
    })
    .join("\n\n");
}

function plainTable(results: readonly Result[]): string {
  const extras = Object.keys(COLUMNS).filter((name) =>
    results.some((result) => result.values(name).length > 0),
  );
  const hasSyncs = results.some(({ syncs }) => syncs !== undefined);
  const head = [
    "candidate",
    "median",
    "min..max",
    ...extras.map((name) => COLUMNS[name] ?? name),
    ...(hasSyncs ? ["syncs"] : []),
    "Longhand is",
  ];
  const rows = results.map((result) => {
    if (result.problem !== undefined || result.mainValues.length === 0)
      return [result.title, problemOf(result)];
    const main = spreadOf(result.mainValues);
    const ratio = ratioToOurs(result, results);
    return [
      result.title,
      figure(main.median),
      range(main),
      ...extras.map((name) => {
        const values = result.values(name);
        return values.length === 0 ? "" : figure(spreadOf(values).median);
      }),
      ...(hasSyncs ? [result.syncs === undefined ? "" : figure(result.syncs)] : []),
      ratio === undefined ? "" : `${times(ratio.median)} as fast`,
    ];
  });
  return layOut([head, ...rows]);
}

/** A row for each candidate and figure, a column for each point. */
function sweepTable(results: readonly Result[]): string {
  const points = [...new Set(results.map(({ point }) => point))];
  const candidates = [...new Set(results.map(({ candidate }) => candidate))];
  const names = ["main", "firstMs", "rssMb"] as const;
  const labels = { main: "", firstMs: ", first", rssMb: ", peak MB" };
  const rows = candidates.flatMap((candidate) => {
    const own = results.filter((result) => result.candidate === candidate);
    return names.flatMap((name) => {
      const cells = points.map((point) => {
        const result = own.find((one) => one.point === point);
        if (result === undefined) return "";
        const values = name === "main" ? result.mainValues : result.values(name);
        if (values.length > 0) return figure(spreadOf(values).median);
        return name === "main" ? problemOf(result) : "";
      });
      if (cells.every((cell) => cell === "")) return [];
      const verdict =
        name === "main" && own[0] !== undefined ? flatness(own[0].workload, own)?.text : undefined;
      return [[`${own[0]?.title ?? ""}${labels[name]}`, ...cells, verdict ?? ""]];
    });
  });
  const unit = results[0]?.workload.pointsAre ?? "";
  return layOut([[unit, ...points.map((point) => point.toLocaleString("en-US")), ""], ...rows]);
}

function problemOf({ problem }: Result): string {
  if (problem === undefined) return "not measured";
  const reason = problem.reason.split("\n", 1)[0] ?? "";
  if (problem.kind === "missing") return `not installed: ${reason}`;
  return problem.kind === "wrong" ? `WRONG RESULT: ${reason}` : `FAILED: ${reason}`;
}

/** As Markdown, so that it can be read in a terminal and pasted into a document. Numbers to the right. */
function layOut(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(...rows.map(({ length }) => length));
  const isLong = (row: readonly string[]): boolean => row.length < columns;
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(3, ...rows.filter((row) => column === 0 || !isLong(row)).map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    `| ${widths
      .map((width, column) => {
        const cell = row[column] ?? "";
        return column === 0 || isLong(row) ? cell.padEnd(width) : cell.padStart(width);
      })
      .join(" | ")} |`;
  const [head = [], ...body] = rows;
  const rule = widths.map((width, column) =>
    column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [line(head), line(rule), ...body.map(line)].join("\n");
}

export function problems(results: readonly Result[]): string[] {
  return results.flatMap(({ workload, candidate, point, problem }) =>
    problem === undefined || problem.kind === "missing"
      ? []
      : [
          `${workload.name}${point === 0 ? "" : ` at ${point}`}, ${candidate.name}: ${problem.kind}: ${problem.reason}`,
        ],
  );
}

export function summary(results: readonly Result[]): string {
  const workloads = [...new Set(results.map(({ workload }) => workload))];
  const verdicts = workloads.flatMap((workload) => [
    ...goalVerdicts(workload, results),
    ...(workload.flatWithin === undefined
      ? []
      : [
          flatness(
            workload,
            results.filter(({ candidate }) => candidate.name === OURS),
          ),
        ].flatMap((one) => one ?? [])),
  ]);
  if (verdicts.length === 0) return "";
  const reached = verdicts.filter(({ isReached }) => isReached).length;
  return `${reached} of ${verdicts.length} goals reached, ${verdicts.length - reached} missed.`;
}
