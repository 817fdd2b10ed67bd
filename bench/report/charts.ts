/** One chart for each workload: bars with their spread, or a line for each candidate of a sweep. */

import type { Result } from "../result.ts";
import { spreadOf } from "../statistics.ts";
import type { Workload } from "../workload.ts";
import { figure, range } from "./figure.ts";
import { document, dot, FAINT, INK, line, OURS_COLOUR, rectangle, text, THEIRS_COLOUR } from "./svg.ts";
import { OURS } from "./verdicts.ts";

const WIDTH = 820;
const LABELS = 370;
const VALUES = 150;
const TOP = 56;
const ROW = 30;
const BAR = 18;

/** By the name of the file. Workloads without figures have no chart. */
export function charts(results: readonly Result[]): ReadonlyMap<string, string> {
  const workloads = [...new Set(results.map(({ workload }) => workload))];
  return new Map(
    workloads.flatMap((workload): [string, string][] => {
      const measured = results.filter((one) => one.workload === workload && one.mainValues.length > 0);
      if (measured.length === 0) return [];
      const chart =
        workload.points === undefined ? barChart(workload, measured) : lineChart(workload, measured);
      return [[`${workload.name.toLowerCase()}.svg`, chart]];
    }),
  );
}

function barChart(workload: Workload, results: readonly Result[]): string {
  const bars = results.map((result) => ({ result, spread: spreadOf(result.mainValues) }));
  const sign = workload.unit === "ms" ? 1 : -1;
  bars.sort((a, b) => sign * (a.spread.median - b.spread.median));
  const largest = Math.max(...bars.map(({ spread }) => spread.max));
  const scale = (WIDTH - LABELS - VALUES) / largest;
  const parts = bars.flatMap(({ result: { candidate, title }, spread }, index) => {
    const y = TOP + index * ROW;
    const middle = y + BAR / 2;
    const isOurs = candidate.name === OURS;
    return [
      text({ x: LABELS - 10, y: middle + 4, text: title, anchor: "end", isBold: isOurs }),
      rectangle(LABELS, y, Math.max(1, spread.median * scale), BAR, isOurs ? OURS_COLOUR : THEIRS_COLOUR),
      line(
        [
          [LABELS + spread.min * scale, middle],
          [LABELS + spread.max * scale, middle],
        ],
        INK,
      ),
      text({
        x: LABELS + spread.max * scale + 8,
        y: middle + 4,
        text: `${figure(spread.median)} (${range(spread)})`,
        size: 11,
        isBold: isOurs,
      }),
    ];
  });
  return document(WIDTH, TOP + bars.length * ROW + 10, [...titleOf(workload), ...parts]);
}

const CHART_HEIGHT = 320;
const LEFT = 70;
const RIGHT = 400;
const LABEL_HEIGHT = 16;

/** Both axes are logarithmic: flat is flat, and twice as slow is the same step everywhere. */
function lineChart(workload: Workload, results: readonly Result[]): string {
  const points = results.map(({ point, mainValues }) => ({ point, value: spreadOf(mainValues).median }));
  const across = logScale(
    points.map(({ point }) => point),
    LEFT,
    WIDTH - RIGHT,
  );
  const bottom = CHART_HEIGHT - 40;
  const up = logScale(
    points.map(({ value }) => value),
    bottom,
    TOP + 10,
  );
  const candidates = [...new Set(results.map(({ candidate }) => candidate))];
  const axis = [...new Set(points.map(({ point }) => point))].flatMap((point) => [
    line(
      [
        [across(point), TOP],
        [across(point), bottom],
      ],
      FAINT,
    ),
    text({
      x: across(point),
      y: bottom + 18,
      text: point.toLocaleString("en-US"),
      anchor: "middle",
      size: 11,
    }),
  ]);
  const ends: { readonly y: number; readonly words: string; readonly isOurs: boolean }[] = [];
  const lines = candidates.flatMap((candidate) => {
    const own = results
      .filter((result) => result.candidate === candidate)
      .map((result) => ({ result, x: across(result.point), value: spreadOf(result.mainValues).median }));
    const isOurs = candidate.name === OURS;
    const colour = isOurs ? OURS_COLOUR : THEIRS_COLOUR;
    const last = own.at(-1);
    if (last !== undefined) {
      const words = `${figure(last.value)}  ${last.result.title}`;
      ends.push({ y: up(last.value), words, isOurs });
    }
    return [
      line(
        own.map(({ x, value }) => [x, up(value)] as const),
        colour,
        2,
      ),
      ...own.map(({ x, value }) => dot(x, up(value), colour)),
      // The figures of the others would cover each other; their last one stands beside their name.
      ...(isOurs ? own.slice(0, -1) : []).map(({ x, value }) =>
        text({ x, y: up(value) - 8, text: figure(value), anchor: "middle", size: 11, isBold: true }),
      ),
    ];
  });
  let free = 0;
  const labels = ends
    .sort((a, b) => a.y - b.y)
    .map(({ y, words, isOurs }) => {
      const at = Math.max(y + 4, free);
      free = at + LABEL_HEIGHT;
      return text({ x: WIDTH - RIGHT + 14, y: at, text: words, size: 12, isBold: isOurs });
    });
  const unit = text({ x: LEFT, y: CHART_HEIGHT - 6, text: workload.pointsAre ?? "", size: 11 });
  return document(WIDTH, CHART_HEIGHT, [...titleOf(workload), ...axis, ...lines, ...labels, unit]);
}

function titleOf({ name, title, unit, points }: Workload): string[] {
  const better = unit === "ms" ? "lower is better" : "higher is better";
  const shown = points === undefined ? "median (min..max)" : "medians, both axes logarithmic";
  return [
    text({ x: 14, y: 24, text: `${name}: ${title}`, size: 15, isBold: true }),
    text({ x: 14, y: 42, text: `${unit}, ${better}; ${shown}`, size: 11 }),
  ];
}

/** Spans at least a decade, so that what is nearly flat looks flat. */
function logScale(values: readonly number[], from: number, to: number): (value: number) => number {
  const [low, high] = [Math.log10(Math.min(...values)), Math.log10(Math.max(...values))];
  const span = Math.max(1, high - low);
  const start = (low + high - span) / 2;
  return (value) => from + ((Math.log10(value) - start) / span) * (to - from);
}
