import { describe, expect, test } from "vitest";
import { bareFile } from "../candidates/bare-file.ts";
import { longhand } from "../candidates/longhand.ts";
import { pi } from "../candidates/pi.ts";
import { sqliteFull } from "../candidates/sqlite.ts";
import { countSyncs } from "../count-syncs.ts";
import { charts } from "../report/charts.ts";
import { figure } from "../report/figure.ts";
import { toJson } from "../report/json.ts";
import { problems, summary, tables } from "../report/table.ts";
import { times } from "../report/verdicts.ts";
import { Result } from "../result.ts";
import type { Candidate } from "../candidate.ts";
import type { Workload } from "../workload.ts";
import { durableAppend } from "../workloads/append-to-one.ts";
import { coldTail } from "../workloads/read-big.ts";
import { SWEEPS } from "../workloads/sweeps.ts";

function resultOf(workload: Workload, candidate: Candidate, values: readonly number[], point = 0): Result {
  const result = new Result(workload, candidate, point);
  for (const value of values)
    result.repetitions.push(workload.unit === "ms" ? { ms: value } : { ops: value });
  return result;
}

describe("the tables", () => {
  test("say a loss as plainly as a win", () => {
    const lost = [resultOf(durableAppend, longhand, [50]), resultOf(durableAppend, sqliteFull, [100])];
    expect(tables(lost)).toContain("Longhand is 0.50x as fast as sqlite-full: SLOWER; goal 1.15x: MISSED");
    expect(summary(lost)).toBe("0 of 1 goals reached, 1 missed.");
    const won = [resultOf(durableAppend, longhand, [230]), resultOf(durableAppend, sqliteFull, [100])];
    expect(tables(won)).toContain("not slower; goal 1.15x: reached");
    expect(summary(won)).toBe("1 of 1 goals reached, 0 missed.");
  });

  test("know that fewer milliseconds are better", () => {
    const won = [resultOf(coldTail, longhand, [2]), resultOf(coldTail, sqliteFull, [24])];
    expect(tables(won)).toContain("12.0x as fast");
    expect(tables(won)).toContain("goal 2.00x: reached");
  });

  test("show medians with both ends", () => {
    const text = tables([resultOf(durableAppend, longhand, [1500, 1000, 1200])]);
    expect(text).toMatch(/\| Longhand +\| +1,200 \| 1,000\.\.1,500 \|/);
  });

  test("name what is missing and what is wrong", () => {
    const missing = resultOf(durableAppend, pi, []);
    missing.problem = { kind: "missing", reason: "it cannot be loaded" };
    const wrong = resultOf(durableAppend, bareFile, [1]);
    wrong.problem = { kind: "wrong", reason: "19 messages, not 20\nand more" };
    const text = tables([missing, wrong]);
    expect(text).toContain("not installed: it cannot be loaded");
    expect(text).toContain("WRONG RESULT: 19 messages, not 20");
    expect(problems([missing, wrong])).toEqual(["W1, bare-file: wrong: 19 messages, not 20\nand more"]);
  });

  test("judge the flatness of a sweep", () => {
    const [tail] = SWEEPS as readonly [Workload];
    const sweep = (slow: number): string =>
      tables([resultOf(tail, longhand, [2], 100), resultOf(tail, longhand, [slow], 1000)]);
    expect(sweep(3)).toContain("slowest to fastest 1.50x: flat within 1.5x");
    expect(sweep(3.2)).toContain("slowest to fastest 1.60x: NOT flat within 1.5x");
  });
});

test("figures have three digits that matter, and counts all of them", () => {
  expect([0.01234, 1.234, 12.34, 123.4, 12_345.6, 2000].map(figure)).toEqual([
    ...["0.012", "1.23", "12.3", "123", "12,346", "2,000"],
  ]);
});

test("ratios keep what matters of them, however small", () => {
  expect([0.000384, 0.0241, 0.5, 12.34, 1234].map(times)).toEqual([
    ...["0.00038x", "0.024x", "0.50x", "12.3x", "1234x"],
  ]);
});

test("a chart is drawn for each workload with figures, with the longest bar for the largest", () => {
  const [tail] = SWEEPS as readonly [Workload];
  const drawn = charts([
    resultOf(durableAppend, longhand, [100]),
    resultOf(durableAppend, sqliteFull, [400]),
    resultOf(tail, longhand, [2], 100),
    resultOf(tail, longhand, [2], 1000),
    resultOf(coldTail, pi, []),
  ]);
  expect([...drawn.keys()]).toEqual(["w1.svg", "sweep-tail.svg"]);
  const bars = [...(drawn.get("w1.svg") ?? "").matchAll(/<rect x=.* width="([\d.]+)"/g)].map(([, width]) =>
    Number(width),
  );
  expect(bars).toHaveLength(2);
  expect((bars[0] ?? 0) / (bars[1] ?? 0)).toBeCloseTo(4);
  const heights = [...(drawn.get("sweep-tail.svg") ?? "").matchAll(/<circle .*cy="([\d.]+)"/g)].map(
    ([, height]) => height,
  );
  expect(heights).toHaveLength(2);
  expect(new Set(heights).size).toBe(1);
  for (const svg of drawn.values()) expect(svg).not.toMatch(/NaN|undefined/);
});

test("the JSON has every repetition", () => {
  const facts = { date: "", command: "", machine: "", sizes: "tiny", repetitions: 2, peers: {} };
  const json = JSON.parse(toJson(facts, [resultOf(durableAppend, longhand, [3, 5])])) as unknown;
  expect(json).toMatchObject({
    workloads: [
      { name: "W1", results: [{ median: 4, min: 3, max: 5, repetitions: [{ ops: 3 }, { ops: 5 }] }] },
    ],
  });
});

test("syncs are counted in a trace: by call, and by writes to a descriptor that flushes", () => {
  const trace = [
    '7  openat(AT_FDCWD</d>, "/d/journal", O_RDWR|O_CREAT|O_DSYNC|O_CLOEXEC, 0666) = 18</d/journal>',
    '7  openat(AT_FDCWD</d>, "/d/journal", O_RDWR|O_CLOEXEC) = 19</d/journal>',
    '7  pwrite64(18</d/journal>, ""..., 100, 0) = 100',
    '7  pwrite64(19</d/journal>, ""..., 100, 0) = 100',
    "8  fdatasync(19</d/journal> <unfinished ...>",
    '9  openat(AT_FDCWD</d>, "/d/other", O_WRONLY|O_SYNC <unfinished ...>',
    "8  <... fdatasync resumed>)             = 0",
    "9  <... openat resumed>)                = 20</d/other>",
    '9  write(20</d/other>, ""..., 1)         = 1',
    "7  msync(0x7f, 4096, MS_ASYNC)          = 0",
    "7  fsync(19</d/journal>)                = 0",
  ].join("\n");
  expect(countSyncs(trace)).toBe(4);
});
