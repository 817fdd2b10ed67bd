import { afterAll, beforeAll, describe, expect, test } from "vitest";
import picocolors from "picocolors";
import type { Message, SessionRecord } from "@longhand/store";
import { timesFor } from "../../src/terminal/format-time.ts";
import { displayWidth } from "../../src/terminal/display-width.ts";
import { renderTranscript, type TranscriptStyle } from "../../src/terminal/transcript.ts";

const zone = process.env["TZ"];
beforeAll(() => {
  process.env["TZ"] = "UTC";
});
afterAll(() => {
  if (zone === undefined) delete process.env["TZ"];
  else process.env["TZ"] = zone;
});

const PLAIN: TranscriptStyle = {
  width: 60,
  times: timesFor({ isTerminal: true }),
  colors: picocolors.createColors(false),
  full: false,
  all: false,
};
const at = "2026-11-15T19:24:12.123Z";
const said = (seq: number, message: Message): SessionRecord => ({ seq, at, message });

/** Seqs in `cut` are not in the view. */
async function transcript(
  records: readonly SessionRecord[],
  style: Partial<TranscriptStyle> = {},
  cut: readonly number[] = [],
): Promise<string[]> {
  const marked = async function* (): AsyncIterable<{ record: SessionRecord; isLive: boolean }> {
    for (const record of records) {
      yield await Promise.resolve({ record, isLive: record.op === undefined && !cut.includes(record.seq) });
    }
  };
  const lines: string[] = [];
  for await (const line of renderTranscript(marked(), { ...PLAIN, ...style })) lines.push(line);
  return lines;
}

const CALLS = said(1, {
  role: "assistant",
  content: "I look.",
  model: "gemma4:e4b",
  toolCalls: [
    { id: "a", name: "list_dir", arguments: { path: "/usr" } },
    { id: "b", name: "read_file", arguments: { path: "x" } },
  ],
});
const LISTED = said(2, { role: "tool", toolCallId: "a", content: "bin\nlib\n".repeat(50) });
const FAILED = said(3, { role: "tool", toolCallId: "b", content: "ENOENT", isError: true });

describe("a transcript", () => {
  test("has days, speakers, times and wrapped text", async () => {
    const records = [
      said(1, {
        role: "user",
        name: "Ana",
        content: "one two three four five six seven eight nine ten eleven twelve",
      }),
      {
        seq: 2,
        at: "2026-11-16T08:00:00.000Z",
        message: { role: "assistant", content: "Good morning." },
      } as const,
    ];
    expect(await transcript(records)).toEqual([
      "── Sunday 15 November 2026 +00:00 ──",
      "",
      "user Ana  19:24 · #1",
      "  one two three four five six seven eight nine ten eleven",
      "  twelve",
      "",
      "── Monday 16 November 2026 +00:00 ──",
      "",
      "assistant  08:00 · #2",
      "  Good morning.",
      "",
    ]);
  });

  test("without a terminal has the times as they are kept, and no days", async () => {
    const records = [said(1, { role: "user", content: "x" })];
    expect(await transcript(records, { times: timesFor({ isTerminal: false }) })).toEqual([
      `user  ${at} · #1`,
      "  x",
      "",
    ]);
  });

  test("folds each tool call to a line, its result under it", async () => {
    expect((await transcript([CALLS, LISTED, FAILED])).slice(2)).toEqual([
      "assistant  19:24 · #1 · gemma4:e4b",
      "  I look.",
      '  → list_dir(path: "/usr")',
      "    ✓ bin lib bin lib bin lib bin lib bi… (100 lines, 400 B)",
      '  → read_file(path: "x")',
      "    ✗ ENOENT",
      "",
    ]);
  });

  test("unfolds them when everything is wanted", async () => {
    const lines = await transcript([CALLS, said(2, { role: "tool", toolCallId: "a", content: "bin\nlib" })], {
      full: true,
    });
    expect(lines.slice(4)).toEqual([
      "  → list_dir",
      "    {",
      '      "path": "/usr"',
      "    }",
      "    ✓",
      "      bin",
      "      lib",
      "  → read_file",
      "    {",
      '      "path": "x"',
      "    }",
      "    no result",
      "",
    ]);
  });

  test("finds a result behind a note, and shows one that has no call", async () => {
    const note: SessionRecord = { seq: 5, at, op: "note", kind: "usage", data: { tokens: 1 } };
    const withNote = await transcript([CALLS, note, LISTED, FAILED], { all: true });
    expect(withNote.join("\n")).toMatch(/ENOENT\n\n· note usage: \{"tokens":1\}/);
    const orphan = await transcript([said(4, { role: "tool", toolCallId: "z", content: "late" })]);
    expect(orphan.slice(2)).toEqual(["tool  19:24 · #4", "  result of z", "    ✓ late", ""]);
  });

  test("says how many messages were undone, and where", async () => {
    const records = [
      said(1, { role: "user", content: "a" }),
      CALLS,
      LISTED,
      said(4, { role: "user", content: "b" }),
    ];
    const lines = await transcript(
      records.map((record, index) => ({ ...record, seq: index + 1 })),
      {},
      [2, 3],
    );
    expect(lines.slice(2)).toEqual([
      "user  19:24 · #1",
      "  a",
      "",
      "2 messages were undone here",
      "",
      "user  19:24 · #4",
      "  b",
      "",
    ]);
  });

  test("with everything, marks what is cut and tells what happened", async () => {
    const records: SessionRecord[] = [
      said(1, { role: "user", content: "a" }),
      { seq: 2, at, op: "rewind", to: 0 },
      { seq: 3, at, op: "truncate", keepFrom: 3 },
      { seq: 4, at, op: "compact", keepFrom: 4, summary: "short" },
      { seq: 5, at, op: "meta", title: "T", tags: ["x", "y"] },
      { seq: 6, at, op: "summary", summary: "s" },
      { seq: 7, at, op: "reset" },
      { seq: 8, at, op: "unknown", raw: "{}" },
    ];
    const lines = (await transcript(records, { all: true, width: 100 }, [1])).filter((line) => line !== "");
    expect(lines).toEqual([
      "── Sunday 15 November 2026 +00:00 ──",
      "user  19:24 · #1 · cut from the view",
      "  a",
      "· rewound: the view is what it was after #0 · #2",
      "· truncated: the view begins at #3 · #3",
      "· compacted: the view begins at #4, before it the summary: short · #4",
      "· title: T; tags: x, y · #5",
      "· summary set: s · #6",
      "· history replaced by what follows · #7",
      "· a record of a kind that a newer version wrote · #8",
    ]);
  });

  test("names images and files instead of printing them", async () => {
    const content = [
      { type: "text", text: "See:" },
      { type: "image", mediaType: "image/png", data: "A".repeat(4000), name: "x.png" },
      { type: "file", mediaType: "text/plain", data: "https://example.org/a.txt" },
      { type: "audio", seconds: 3 },
    ];
    expect((await transcript([said(1, { role: "user", content })])).slice(3, 7)).toEqual([
      "  See:",
      "  [image, image/png, x.png, 3.0 KB]",
      "  [file, text/plain, https://example.org/a.txt]",
      "  [audio]",
    ]);
  });

  test("folds reasoning unless it is wanted", async () => {
    const record = said(1, {
      role: "assistant",
      content: "Yes.",
      reasoning: "line one\nline two ".repeat(20),
    });
    const [, , , folded] = await transcript([record]);
    expect(folded).toMatch(/^ {2}thinking: line one line two .*… \(21 lines, 360 B\)$/);
    expect((await transcript([record], { full: true })).length).toBeGreaterThan(20);
  });

  test("lets nothing through that a terminal would act on, and keeps to the width", async () => {
    const evil = "\u001b[2J\u001b]0;owned\u0007 \r \u202e \u009b";
    const records = [
      said(1, {
        role: "assistant",
        name: evil,
        model: evil,
        reasoning: evil,
        content: evil.repeat(10),
        toolCalls: [{ id: evil, name: evil, arguments: { [evil]: evil.repeat(20) } }],
      }),
      said(2, { role: "tool", toolCallId: evil, content: evil.repeat(20) }),
      said(3, { role: "tool", toolCallId: `${evil}other`, content: evil }),
      { seq: 4, at, op: "meta", title: evil, tags: [evil] },
      { seq: 5, at, op: "note", kind: evil, data: evil },
    ] satisfies SessionRecord[];
    for (const full of [false, true]) {
      const lines = await transcript(records, { all: true, full });
      expect(lines.join("\n")).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      for (const line of lines.filter((text) => !text.includes("assistant"))) {
        expect(displayWidth(line)).toBeLessThanOrEqual(60);
      }
    }
  });

  test("of nothing is nothing", async () => {
    expect(await transcript([])).toEqual([]);
  });
});
