import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/program.ts";
import { displayWidth } from "../../src/terminal/display-width.ts";
import { wrapColumns } from "../../src/terminal/wrap-columns.ts";
import { runIn, withTemporaryDirectory } from "../support/fake-world.ts";

const COMMAND_TO_COPY = /^ {2}\S/u;

describe("two columns", () => {
  test("what fits stays as it is, and nothing is broken without a width", () => {
    const text = "Options:\n  --all   everything there is to be seen";
    expect(wrapColumns(text, 80)).toBe(text);
    expect(wrapColumns(text, undefined)).toBe(text);
  });

  test("a description hangs below its own column", () => {
    expect(wrapColumns("  --all   everything there is to be seen", 34)).toBe(
      "  --all   everything there is to\n          be seen",
    );
  });

  test("a narrow description goes below the term", () => {
    expect(wrapColumns("  --workspace <dir>  the directory to work in, as you said", 30)).toBe(
      "  --workspace <dir>\n      the directory to work\n      in, as you said",
    );
  });
});

test.each(["--help", ...Object.keys(COMMANDS).map((name) => `${name} --help`)])(
  "longhand %s breaks no word in 40 columns",
  async (line) => {
    await withTemporaryDirectory(async (home) => {
      const wide = (await runIn(home, line.split(" "))).stdout;
      const narrow = (await runIn(home, line.split(" "), { width: 40 })).stdout;
      const words = (text: string): string[] => text.split(/\s+/u);
      expect(words(narrow)).toEqual(words(wide));
      for (const row of narrow.split("\n"))
        if (!COMMAND_TO_COPY.test(row)) expect(displayWidth(row), row).toBeLessThanOrEqual(40);
    });
  },
);
