import { describe, expect, test } from "vitest";
import picocolors from "picocolors";
import { MarkdownStream } from "../../src/chat/markdown-stream.ts";
import { visibleWidth } from "../../src/chat/wrap-spans.ts";
import { seededRandom } from "./support/seeded-random.ts";

const colored = picocolors.createColors(true);
const plain = picocolors.createColors(false);
const { bold, cyan, dim, italic, underline } = colored;

function render(parts: readonly string[], width: number | undefined = 40, colors = colored): string[] {
  const stream = new MarkdownStream({ colors, width: () => width });
  const lines = parts.flatMap((part) => stream.push(part));
  return [...lines, ...stream.end()];
}

const DOCUMENT = [
  "# A *big* heading",
  "",
  "Some **bold** and *italic* and `code` and [a link](https://example.org/a) in a paragraph that is longer than the width.",
  "",
  "- one",
  "  - two with **bold",
  "1. first",
  "> quoted 🎉 数据 text",
  "",
  "| name | size |",
  "| --- | ---: |",
  "| `a|b` | 12 |",
  "| äö | 3 |",
  "```ts",
  "const a = `b`; // **not bold**",
  "```",
  "~~gone~~ \\*not emphasis\\* snake_case_name \u001b[31mred",
  "***",
  "e\u0301 👩‍👩‍👧 最後の行",
].join("\n");

describe("markdown as it streams", () => {
  test("any cutting of the text gives the same lines", () => {
    const whole = render([DOCUMENT]);
    expect(render(DOCUMENT.split(""))).toEqual(whole);
    const random = seededRandom(7);
    for (let round = 0; round < 200; round++) {
      const parts: string[] = [];
      for (let rest = DOCUMENT; rest !== "";) {
        const length = 1 + Math.floor(random() * 12);
        parts.push(rest.slice(0, length));
        rest = rest.slice(length);
      }
      expect(render(parts)).toEqual(whole);
    }
  });

  test("no line is wider than the width, whole or pending, for texts made by chance", () => {
    const random = seededRandom(3);
    const pieces = [
      "**",
      "*",
      "`",
      "```\n",
      "| a | b |\n",
      "|---|---|\n",
      "- ",
      "> ",
      "# ",
      "\n",
      " ",
      "word ",
      "数据",
      "🎉",
      "e\u0301",
      "[x](http://y)",
      "longwordwithoutanyspace",
      "_",
      "~~",
      "\\",
      "\t",
      "\u001b[2J",
      "  ",
    ];
    for (let round = 0; round < 100; round++) {
      const width = 20 + Math.floor(random() * 40);
      const stream = new MarkdownStream({ colors: round % 2 === 0 ? colored : plain, width: () => width });
      const lines: string[] = [];
      for (let count = 0; count < 60; count++) {
        lines.push(...stream.push(pieces[Math.floor(random() * pieces.length)] ?? ""), ...stream.pending());
      }
      lines.push(...stream.end());
      for (const line of lines) {
        expect(visibleWidth(line)).toBeLessThanOrEqual(width);
        expect(line.replace(/\u001b\[[0-9;]*m/g, "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      }
    }
  });

  test("no word is lost", () => {
    const words = DOCUMENT.match(/[\p{L}\p{N}]{2,}/gu) ?? [];
    const shown = render([DOCUMENT], 200, plain).join("\n");
    expect(words.length).toBeGreaterThan(30);
    for (const word of words) expect(shown).toContain(word);
  });

  test.each([
    ["# Title", [bold(underline("Title"))]],
    ["a **b** c", [`a ${bold("b")} c`]],
    ["a *b* _c_", [`a ${italic("b")} ${italic("c")}`]],
    ["**a *b***", [bold("a ") + italic(bold("b"))]],
    ["`x y`", [cyan("x y")]],
    ["``a ` b``", [cyan("a ` b")]],
    ["[t](http://u)", [underline("t") + dim(" (http://u)")]],
    ["<http://u>", [underline("http://u")]],
    ["2 * 3 * 4 and snake_case_name", ["2 * 3 * 4 and snake_case_name"]],
    ["**never closed", ["**never closed"]],
    ["- item", ["• item"]],
    ["- [x] done", ["• ☑ done"]],
    ["12. item", ["12. item"]],
    ["> quote", [`${dim("│ ")}quote`]],
    ["---", [dim("─".repeat(40))]],
    ["a\n\n\n\nb", ["a", "", "b"]],
    ["\n\na", ["a"]],
    ["a\r\nb", ["a", "b"]],
  ])("%j", (text, lines) => {
    expect(render([text])).toEqual(lines);
  });

  test("code is neither looked into nor joined, and one that is not closed ends with the text", () => {
    expect(render(["```js\n**a**\n\n  b\n"])).toEqual([
      `  ${dim("js")}`,
      `  ${cyan("**a**")}`,
      "  ",
      `  ${cyan("  b")}`,
    ]);
    const stream = new MarkdownStream({ colors: colored, width: () => 40 });
    stream.push("```\ncode");
    stream.end();
    expect(stream.push("**a**\n")).toEqual([bold("a")]);
  });

  test("a table is aligned, and where it does not fit nothing of it is cut", () => {
    const table = "| name | size |\n|---|---:|\n| a`b` | 1 |\n| 数据 | 22 |\n\n";
    expect(render([table], 40, plain)).toEqual(["name  size", "────  ────", "a`b`     1", "数据    22", ""]);
    const long = `| name | text |\n|---|---|\n| a | ${"word ".repeat(10)}|\n| b | short |\n`;
    expect(render([long], 24, plain)).toEqual([
      "name: a",
      "text: word word word",
      "word word word word word",
      "word word",
      "────────────────────",
      "name: b",
      "text: short",
    ]);
    expect(render(["| no table |\nx"], 40, plain)).toEqual(["| no table |", "x"]);
  });

  test("control characters of the model are shown, not obeyed", () => {
    expect(render(["a\u001b]0;evil\u0007b\u202e"])).toEqual(["a\\x1b]0;evil\\x07b\\u202e"]);
  });

  test("without colours the marks stay", () => {
    expect(render(["# T\n**b** `c`\n- x\n```\ny\n```"], 40, plain)).toEqual([
      "# T",
      "**b** `c`",
      "- x",
      "```",
      "y",
      "```",
    ]);
  });

  test("what is pending is styled as far as it can be told", () => {
    const stream = new MarkdownStream({ colors: colored, width: () => 40 });
    expect(stream.push("a **b** **c")).toEqual([]);
    expect(stream.pending()).toEqual([`a ${bold("b")} **c`]);
    expect(stream.push("**\n")).toEqual([`a ${bold("b")} ${bold("c")}`]);
    expect(stream.pending()).toEqual([]);
  });

  test("a text that is made to be slow is not", () => {
    for (const text of [
      "*a ".repeat(6000),
      "[".repeat(19000),
      "`".repeat(100) + " `".repeat(5000),
      "**a".repeat(6000),
    ]) {
      expect(render([text], 80).length).toBeGreaterThan(0);
    }
  });
});
