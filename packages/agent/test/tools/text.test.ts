/** What a model sees of a text: T18, caps and markers. */

import { describe, expect, test } from "vitest";
import { capResult } from "../../src/tools/cap-result.ts";
import { CollectedOutput } from "../../src/tools/collect-output.ts";
import { decodeText, visibleText } from "../../src/tools/visible-text.ts";

describe("visibleText (T18)", () => {
  test.each([
    ["plain text\twith a tab\nand a line", "plain text\twith a tab\nand a line"],
    ["\u001b[31mred\u001b[0m", "␛[31mred␛[0m"],
    ["\u001b]0;title\u0007", "␛]0;title␇"],
    ["one\r\ntwo\rthree", "one\ntwo␍three"],
    ["nul \0 delete \u007f csi \u009b31m", "nul ␀ delete ␡ csi <U+009B>31m"],
    ["file\u202Etxt.exe", "file<U+202E>txt.exe"],
    ["tag \u{e0041} here", "tag <U+E0041> here"],
    ["half \ud83d of a pair", "half \ufffd of a pair"],
    ["family 👨‍👩‍👧 and 漢字", "family 👨‍👩‍👧 and 漢字"],
  ])("shows %j as %j", (text, shown) => {
    expect(visibleText(text)).toBe(shown);
    expect(visibleText(shown)).toBe(shown);
  });

  test("bytes that are not UTF-8 are replaced", () => {
    expect(decodeText(Buffer.from([0x61, 0xff, 0xc3, 0x28, 0x62]))).toBe("a\ufffd\ufffd(b");
  });
});

describe("capResult", () => {
  test("leaves what fits alone", () => {
    expect(capResult("short", 5)).toBe("short");
  });

  test.each(["a", "é", "漢", "👍"])(
    "keeps the beginning and the end of many %s, on whole characters",
    (letter) => {
      const text = `BEGIN${letter.repeat(1000)}END`;
      for (let maxBytes = 60; maxBytes < 140; maxBytes++) {
        const capped = capResult(text, maxBytes);
        expect(Buffer.byteLength(capped)).toBeLessThanOrEqual(maxBytes);
        expect(Buffer.byteLength(capped)).toBeGreaterThan(maxBytes - 16);
        expect(capped).toMatch(/^BEGIN/);
        expect(capped).toMatch(/END$/);
        expect(capped).not.toContain("\ufffd");
        const kept = capped.replace(/\n\[\.\.\. \d+ bytes left out here \.\.\.\]\n/, "");
        const said = Number(/(\d+) bytes left out/.exec(capped)?.[1]);
        expect(Buffer.byteLength(kept) + said).toBe(Buffer.byteLength(text));
      }
    },
  );
});

describe("CollectedOutput", () => {
  test.each([1, 7, 1000, 100_000])("keeps all of it in chunks of %d bytes while it fits", (size) => {
    const text = "zeile für zeile 漢字\n".repeat(50);
    expect(collect(text, size, 100_000).text()).toBe(text);
  });

  test.each([1, 7, 64, 1000, 100_000])("keeps both ends in chunks of %d bytes", (size) => {
    const text = `first${"é漢👍".repeat(2000)}last`;
    for (const keptBytes of [100, 101, 102, 103, 104, 105]) {
      const output = collect(text, size, keptBytes);
      expect(output.total).toBe(Buffer.byteLength(text));
      const shown = output.text();
      expect(shown).toMatch(/^first/);
      expect(shown).toMatch(/last$/);
      expect(shown).not.toContain("\ufffd");
      const [marker, said] = /\n\[\.\.\. (\d+) bytes left out here \.\.\.\]\n/.exec(shown) ?? [];
      expect(Buffer.byteLength(shown) - Buffer.byteLength(marker ?? "") + Number(said)).toBe(output.total);
    }
  });
});

function collect(text: string, size: number, keptBytes: number): CollectedOutput {
  const output = new CollectedOutput(keptBytes);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) output.add(bytes.subarray(at, at + size));
  return output;
}
