import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { displayWidth } from "../../src/terminal/display-width.ts";
import { countOf, formatBytes } from "../../src/terminal/format-count.ts";
import { clockTime, longDay, relativeTime, timesFor } from "../../src/terminal/format-time.ts";
import { highlightWords } from "../../src/terminal/highlight-words.ts";
import { wantsColors } from "../../src/terminal/process-output.ts";
import { keyInCommand, shellQuote } from "../../src/terminal/shell-quote.ts";
import { renderTable } from "../../src/terminal/table.ts";

const zone = process.env["TZ"];
beforeAll(() => {
  process.env["TZ"] = "UTC";
});
afterAll(() => {
  if (zone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zone;
});

describe("times", () => {
  const now = new Date("2026-11-15T12:00:00.000Z");
  test.each([
    ["2026-11-15T11:59:30.000Z", "just now"],
    ["2026-11-15T12:00:30.000Z", "just now"],
    ["2026-11-15T11:57:00.000Z", "3 min ago"],
    ["2026-11-15T11:00:01.000Z", "59 min ago"],
    ["2026-11-15T07:00:00.000Z", "5 h ago"],
    ["2026-11-14T11:00:00.000Z", "1 day ago"],
    ["2026-11-01T12:00:00.000Z", "14 days ago"],
    ["2026-01-02T12:00:00.000Z", "2026-01-02"],
    ["2027-01-02T12:00:00.000Z", "2027-01-02 12:00"],
    ["nonsense", "nonsense"],
  ])("%s is %s", (at, expected) => {
    expect(relativeTime(at, now)).toBe(expected);
  });

  test("are local with the offset on a terminal, UTC elsewhere", () => {
    const at = "2026-11-15T23:24:12.123Z";
    process.env["TZ"] = "Asia/Kolkata";
    const local = timesFor({ isTerminal: true });
    expect([local.moment(at), local.day(at), local.clock(at)]).toEqual([
      "2026-11-16 04:54 +05:30",
      "Monday 16 November 2026 +05:30",
      "04:54",
    ]);
    process.env["TZ"] = "America/New_York";
    expect(local.moment(at)).toBe("2026-11-15 18:24 -05:00");
    process.env["TZ"] = "UTC";
    expect(timesFor({ isTerminal: false }).moment(at)).toBe(at);
  });

  test("of a transcript", () => {
    expect(longDay("2026-11-15T19:24:12.123Z")).toBe("Sunday 15 November 2026");
    expect(clockTime("2026-11-15T09:04:12.123Z")).toBe("09:04");
  });
});

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1.0 KB"],
  [4230, "4.2 KB"],
  [9999, "10 KB"],
  [999_950, "1.0 MB"],
  [64 * 1024 * 1024, "67 MB"],
])("%i bytes are %s", (bytes, expected) => {
  expect(formatBytes(bytes)).toBe(expected);
});

test("one message, two messages", () => {
  expect([countOf(1, "message"), countOf(2, "message"), countOf(0, "message")]).toEqual([
    "1 message",
    "2 messages",
    "0 messages",
  ]);
});

describe("a table", () => {
  const table = {
    columns: [
      { heading: "KEY", least: 6 },
      { heading: "TITLE", least: 5 },
      { heading: "N", align: "right" },
    ],
    rows: [
      ["a-very-long-key", "some words", "1"],
      ["b", "你好，世界", "1000"],
    ],
    shrinks: [1, 0],
  } as const;
  const plain = (cell: string): string => cell;

  test("for a pipe has tabs, and nothing is cut or padded", () => {
    expect(renderTable(table, undefined, plain)).toEqual([
      "KEY\tTITLE\tN",
      "a-very-long-key\tsome words\t1",
      "b\t你好，世界\t1000",
    ]);
  });

  test("has columns that are never wider than they may be", () => {
    const [key, ...others] = table.columns;
    const capped = { ...table, columns: [{ ...key, most: 8 }, ...others] };
    expect(renderTable(capped, 80, plain)[1]).toBe("a-very-…  some words     1");
  });

  test("is as wide as its cells where there is room", () => {
    expect(renderTable(table, 80, plain)).toEqual([
      "KEY              TITLE          N",
      "a-very-long-key  some words     1",
      "b                你好，世界  1000",
    ]);
  });

  test("shrinks first the one column, then the other, to the terminal's width", () => {
    expect(renderTable(table, 30, plain)).toEqual([
      "KEY              TITLE       N",
      "a-very-long-key  some w…     1",
      "b                你好，…  1000",
    ]);
    expect(renderTable(table, 20, plain)[1]).toBe("a-very…  some…     1");
  });

  test("goes on in further lines where its columns do not fit beside each other; what may shrink is cut, an id or a path stays whole", () => {
    expect(renderTable(table, 16, plain)).toEqual([
      "KEY        TITLE",
      "     N",
      "a-very-l…  some…",
      "     1",
      "b          你好…",
      "  1000",
    ]);
    const widthOfNumbers = "  1000".length;
    for (let width = 3; width <= 40; width++) {
      const lines = renderTable(table, width, plain);
      const most = Math.max(width, widthOfNumbers);
      expect(Math.max(...lines.map(displayWidth)), `${width} columns`).toBeLessThanOrEqual(most);
    }
    const paths = { columns: [{ heading: "PATH" }], rows: [["/a/path/to/be/copied"]], shrinks: [] };
    expect(renderTable(paths, 8, plain)).toContain("/a/path/to/be/copied");
  });

  test("is styled by cell, without counting the colours", () => {
    const lines = renderTable(table, 80, (cell, row, column) =>
      row === 0 && column === 0 ? `<${cell}>` : cell,
    );
    expect(lines[1]).toBe("<a-very-long-key>  some words     1");
  });
});

describe("colours", () => {
  test.each([
    ["on a terminal", {}, [], true, true],
    ["not in a pipe", {}, [], false, false],
    ["not on a dumb terminal", { TERM: "dumb" }, [], true, false],
    ["not with NO_COLOR", { NO_COLOR: "1" }, [], true, false],
    ["an empty NO_COLOR says nothing", { NO_COLOR: "" }, [], true, true],
    ["not with --no-color, even if forced", { FORCE_COLOR: "1" }, ["--no-color"], true, false],
    ["with FORCE_COLOR in a pipe too", { FORCE_COLOR: "1" }, [], false, true],
    ["FORCE_COLOR=0 forces none", { FORCE_COLOR: "0" }, [], true, false],
    ["CI is no terminal", { CI: "true" }, [], false, false],
  ] as const)("%s", (_, environment, commandLine, isTerminal, expected) => {
    expect(wantsColors(environment, commandLine, isTerminal)).toBe(expected);
  });
});

describe("words of a query", () => {
  const mark = (word: string): string => `<${word}>`;

  test("are marked whatever their case, wherever they are", () => {
    expect(highlightWords("The Report of reports", "report", mark)).toBe("The <Report> of <report>s");
    expect(highlightWords("abc ab", "ab abc", mark)).toBe("<abc> <ab>");
  });

  test("are no pattern", () => {
    expect(highlightWords("a.c abc (x) [y] c++ a-b", ". (x) [y] c++ a-b", mark)).toBe(
      "a<.>c abc <(x)> <[y]> <c++> <a-b>",
    );
    expect(highlightWords("abc", "  ", mark)).toBe("abc");
  });
});

describe("words for a shell", () => {
  test("are quoted where they must be", () => {
    expect(shellQuote("/a/b-c_d.e:f")).toBe("/a/b-c_d.e:f");
    expect(shellQuote("/my home")).toBe("'/my home'");
    expect(shellQuote("it's $HOME")).toBe("'it'\\''s $HOME'");
    expect(shellQuote("")).toBe("''");
    expect(shellQuote("~/x")).toBe("'~/x'");
  });

  test("a key that cannot be printed is written so that a shell makes it", () => {
    expect(keyInCommand("a b")).toBe("'a b'");
    expect(keyInCommand("-x")).toBe("-- -x");
    expect(keyInCommand("new\nline")).toBe("$'new\\nline'");
    expect(keyInCommand("-\u001b[31m")).toBe("-- $'-\\x1b[31m'");
  });
});
