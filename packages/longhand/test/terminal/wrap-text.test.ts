import { describe, expect, test } from "vitest";
import { displayWidth, fitToWidth, padToWidth, splitAtWidth } from "../../src/terminal/display-width.ts";
import { wrapMessage, wrapText } from "../../src/terminal/wrap-text.ts";

describe("the width of text on a terminal", () => {
  test.each([
    ["abc", 3],
    ["你好", 4],
    ["e\u0301", 1],
    ["😀", 2],
    ["👩‍👩‍👧", 2],
    ["🇩🇪", 2],
    ["…", 1],
    ["가나", 4],
    ["ｆｕｌｌ", 8],
    ["", 0],
  ])("%s is %i wide", (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  test("cutting keeps what is seen as one character whole", () => {
    expect(fitToWidth("hello world", 8)).toBe("hello w…");
    expect(fitToWidth("hello", 5)).toBe("hello");
    expect(fitToWidth("你好世界", 5)).toBe("你好…");
    expect(fitToWidth("你好世界", 4)).toBe("你…");
    expect(splitAtWidth("a👩‍👩‍👧b", 2)).toEqual(["a", "👩‍👩‍👧b"]);
    expect(fitToWidth("x".repeat(100_000), 3)).toBe("xx…");
  });

  test("padding counts columns, not characters", () => {
    expect(padToWidth("你", 4)).toBe("你  ");
    expect(padToWidth("1", 3, "right")).toBe("  1");
  });
});

describe("wrapping", () => {
  test("breaks between words and drops the space there", () => {
    expect(wrapText("the quick brown fox jumps", 10)).toEqual(["the quick", "brown fox", "jumps"]);
  });

  test("keeps line ends, empty lines and indentation", () => {
    expect(wrapText("a\n\n  indented text that is long", 14)).toEqual([
      "a",
      "",
      "  indented",
      "  text that is",
      "  long",
    ]);
  });

  test("breaks a word that is too long anywhere", () => {
    expect(wrapText("abcdefghijklmnopqrst uv", 10)).toEqual(["abcdefghij", "klmnopqrst", "uv"]);
  });

  test("breaks scripts without spaces by their width", () => {
    expect(wrapText("这是一个很长的句子", 8)).toEqual(["这是一个", "很长的句", "子"]);
  });

  test("no line is wider than asked, whatever the text", () => {
    const text = "mixed 中文 and English, averyveryverylongword中文中文 😀😀😀😀😀😀😀 e\u0301e\u0301 end";
    for (let width = 8; width < 40; width++) {
      const lines = wrapText(text, width);
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
      expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
    }
  });

  test("without a limit only the text's own line ends break it", () => {
    expect(wrapText(`${"word ".repeat(100)}\nend`, undefined)).toHaveLength(2);
  });
});

describe("a message with something to copy in it", () => {
  test("a command and a long path stay whole, other lines are broken as ever", () => {
    const command = "what to do: longhand repair --home /a/b key";
    const path = `the file /${"d".repeat(30)}/k.jsonl is damaged`;
    const prose = "a sentence that does not fit into a line of this width";
    expect(wrapMessage([command, path, prose].join("\n"), 30)).toEqual([
      command,
      path,
      ...wrapText(prose, 30),
    ]);
    expect(wrapText(prose, 30).length).toBeGreaterThan(1);
    expect(wrapMessage("longhand: no session of that name is there", 30)).toHaveLength(2);
    expect(wrapMessage(prose, undefined)).toEqual([prose]);
  });
});
