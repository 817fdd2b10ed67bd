/** The estimate against a real tokenizer (o200k), on texts that it was not calibrated with. */

import { readdirSync, readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { estimateTokens } from "../../../src/context/tokens/estimate-tokens.ts";
import { encode } from "../../support/o200k.ts";
import { base64, logLines, records, seededNumbers } from "../samples/generated.ts";

const SAMPLES = new URL("../samples/", import.meta.url);
const SOURCES = new URL("../../../src/store/", import.meta.url);
const CHARACTERS_A_TOKEN = 4;

function sample(name: string): string {
  return readFileSync(new URL(name, SAMPLES), "utf8");
}

/** This package's own, whatever they are today. */
function sources(): string {
  const names = readdirSync(SOURCES).filter((name) => name.endsWith(".ts"));
  return names.map((name) => readFileSync(new URL(name, SOURCES), "utf8")).join("\n");
}

function minified(source: string): string {
  const bare = source.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "").replaceAll(/\s+/g, " ");
  return bare.replaceAll(/ ?([{}()[\];:,=<>+?&|]) ?/g, "$1");
}

function errorOf(text: string, estimate: (text: string) => number = estimateTokens): number {
  const real = encode(text).length;
  return (estimate(text) - real) / real;
}

function charactersByFour(text: string): number {
  return Math.ceil(text.length / CHARACTERS_A_TOKEN);
}

const TEXTS: readonly (readonly [name: string, text: () => string, bound: number])[] = [
  ["English prose", () => sample("english.txt"), 0.15],
  ["Russian", () => sample("russian.txt"), 0.15],
  ["Chinese", () => sample("chinese.txt"), 0.15],
  ["Japanese", () => sample("japanese.txt"), 0.25],
  ["Korean", () => sample("korean.txt"), 0.25],
  ["Arabic", () => sample("arabic.txt"), 0.25],
  ["German", () => sample("german.txt"), 0.25],
  ["Python", () => sample("inventory.py.txt"), 0.15],
  ["Go", () => sample("lighthouse.go.txt"), 0.15],
  ["SQL", () => sample("orders.sql.txt"), 0.15],
  ["TypeScript", sources, 0.15],
  ["minified source", () => minified(sources()), 0.15],
  ["Markdown", () => sample("handbook.md.txt"), 0.15],
  ["JSON, indented", () => JSON.stringify(records(60), undefined, 2), 0.15],
  ["JSON, minified", () => JSON.stringify(records(60)), 0.15],
  ["JSON in JSON", () => JSON.stringify({ arguments: JSON.stringify(records(40)) }), 0.15],
  ["logs", () => logLines(120), 0.15],
  ["base64", () => base64(12_000), 0.4],
];

describe("against o200k", () => {
  test.each(TEXTS)("%s", (_name, text, bound) => {
    const whole = text();
    expect(Buffer.byteLength(whole)).toBeGreaterThanOrEqual(4096);
    expect(Math.abs(errorOf(whole))).toBeLessThanOrEqual(bound);
  });

  test("a mixed conversation: everything above, in pieces of 400 characters", () => {
    const pieces = TEXTS.flatMap(
      ([, text]) =>
        text()
          .slice(0, 4000)
          .match(/[^]{1,400}/g) ?? [],
    );
    const next = seededNumbers(11);
    const mixed = pieces.map((piece) => [next(1_000_000), piece] as const).sort((a, b) => a[0] - b[0]);
    expect(Math.abs(errorOf(mixed.map(([, piece]) => piece).join("\n")))).toBeLessThanOrEqual(0.15);
  });

  test("control: four characters a token misses several of these bounds", () => {
    const missed = TEXTS.filter(([, text, bound]) => Math.abs(errorOf(text(), charactersByFour)) > bound);
    expect(missed.map(([name]) => name)).toEqual(expect.arrayContaining(["Chinese", "base64"]));
  });
});

describe("short texts", () => {
  test("nothing has no tokens, everything else has at least one", () => {
    expect(estimateTokens("")).toBe(0);
    const few = [
      "a",
      " ",
      "\n",
      "\0",
      ".",
      "7",
      "я",
      "中",
      "あ",
      "한",
      "ع",
      "é",
      "\ud800",
      "\udc00",
      "😀",
      "\u200b",
    ];
    for (const text of few) expect([text, estimateTokens(text)]).toEqual([text, expect.toSatisfy(isSmall)]);
  });

  test.each([
    "hello",
    "Yes.",
    "I don't think so, but let's try it anyway.",
    "What's the weather like in Lisbon on Thursday?",
    "Спасибо, завтра посмотрю.",
    "你好，请问洗手间在哪里？",
    "明日は雨が降るそうです。",
    '{"path":"src/index.ts","lines":[1,20]}',
    "npm ERR! code ELIFECYCLE",
    "const answer = await fetch(url);",
    "https://example.org/a/b?c=1&d=2#e",
    "2026-11-15T19:24:12.123Z",
    "550e8400-e29b-41d4-a716-446655440000",
    "\t\t\treturn null;\n",
    "🎉🎉 done 👍",
  ])("%j is off by a few tokens at most", (text) => {
    const real = encode(text).length;
    expect(Math.abs(estimateTokens(text) - real)).toBeLessThanOrEqual(Math.max(3, 0.25 * real));
  });

  function isSmall(tokens: unknown): boolean {
    return typeof tokens === "number" && tokens >= 1 && tokens <= 3;
  }
});

describe("linear on any input", () => {
  const MEGABYTE = 1_048_576;
  // eslint-disable-next-line @typescript-eslint/unbound-method -- put back as it was
  const charCodeAt = String.prototype.charCodeAt;

  afterEach(() => {
    String.prototype.charCodeAt = charCodeAt;
  });

  /** Every way to look at a character that the estimate uses goes through `charCodeAt`. */
  function charactersVisited(action: () => void): number {
    let visited = 0;
    String.prototype.charCodeAt = function (this: string, index: number): number {
      visited += 1;
      return charCodeAt.call(this, index);
    };
    action();
    String.prototype.charCodeAt = charCodeAt;
    return visited;
  }

  const INPUTS: readonly (readonly [string, () => string])[] = [
    ["one letter", () => "a".repeat(MEGABYTE)],
    ["spaces", () => " ".repeat(MEGABYTE)],
    ["newlines", () => "\n".repeat(MEGABYTE)],
    ["NULs", () => "\0".repeat(MEGABYTE)],
    ["emoji", () => "👍🏽".repeat(MEGABYTE / 4)],
    ["lone surrogates", () => "\ud83d".repeat(MEGABYTE)],
    ["base64", () => base64(700_000)],
    ["minified source", () => minified(sources()).repeat(8)],
    ["changes all the time", () => "aA1. ".repeat(MEGABYTE / 5)],
    ["Chinese", () => "中文".repeat(MEGABYTE / 2)],
  ];

  test.each(INPUTS)("%s: each character is looked at once", (_name, text) => {
    const input = text();
    let tokens = 0;
    expect(charactersVisited(() => (tokens = estimateTokens(input)))).toBe(input.length);
    expect(tokens).toBeGreaterThan(0);
    expect(tokens).toBeLessThanOrEqual(2 * input.length);
  });

  test("control: looking back from each character is noticed", () => {
    const text = "a".repeat(1000);
    const visited = charactersVisited(() => {
      for (let end = 0; end < text.length; end += 1) for (let at = 0; at < end; at += 1) text.charCodeAt(at);
    });
    expect(visited).toBeGreaterThan(text.length);
  });

  test("twice the text has twice the tokens, within a token a seam", () => {
    for (const [, text] of INPUTS) {
      const once = text().slice(0, 50_000);
      expect(Math.abs(estimateTokens(once + once) - 2 * estimateTokens(once))).toBeLessThanOrEqual(4);
    }
  });
});
