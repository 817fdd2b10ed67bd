import { describe, expect, test } from "vitest";
import { escapeControls, escapeKey, escapeLine, onOneLine } from "../../src/terminal/escape-controls.ts";
import { jsonLine } from "../../src/terminal/json-line.ts";

describe("text from outside is safe to print", () => {
  test.each([
    ["ESC", "\u001b[31m", "\\x1b[31m"],
    ["a lone CR", "a\rb", "a\\rb"],
    ["BEL and NUL", "\u0007\u0000", "\\x07\\x00"],
    ["DEL", "\u007f", "\\x7f"],
    ["a C1 control (CSI in one character)", "\u009b31m", "\\x9b31m"],
    ["bidi overrides", "\u202eabc\u202c", "\\u202eabc\\u202c"],
    ["bidi isolates", "\u2066abc\u2069", "\\u2066abc\\u2069"],
    ["line separators", "\u2028\u2029", "\\u2028\\u2029"],
    ["invisible tag characters", "\u{e0041}", "\\u{e0041}"],
  ])("%s", (_, text, expected) => {
    expect(escapeControls(text)).toBe(expected);
    expect(escapeLine(text)).toBe(expected);
    expect(escapeKey(text)).toBe(expected);
  });

  test("lines stay lines in a text, and become visible in a line", () => {
    expect(escapeControls("a\r\nb\n\tc")).toBe("a\nb\n    c");
    expect(escapeLine("a\r\nb\n\tc")).toBe("a\\r\\nb\\n\\tc");
    expect(onOneLine("  a\r\n\n b \u001b ")).toBe("a b \\x1b");
  });

  test("what people write is left alone", () => {
    for (const text of ["naïve café", "你好，世界", "👩‍👩‍👧", "שלום\u200f!", "a\\nb", "😀"]) {
      expect(escapeControls(text)).toBe(text);
    }
  });

  test("keys that would look the same do not", () => {
    expect(escapeKey("a\u200bb")).toBe("a\\u200bb");
    expect(escapeKey("a\u200eb")).toBe("a\\u200eb");
    expect(escapeKey("\ufeffab")).toBe("\\ufeffab");
  });

  test("JSON says the same with nothing in it that a terminal would act on", () => {
    const value = { text: "\u001b[31m \u009b \u202e \u2028 \u{e0041} \u007f é 😀" };
    const line = jsonLine(value);
    expect(JSON.parse(line)).toEqual(value);
    expect(line.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e]|\udb40/);
    expect(line).toContain("é 😀");
  });
});
