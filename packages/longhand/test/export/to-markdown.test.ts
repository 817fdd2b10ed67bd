import { expect, test } from "vitest";
import type { SessionInfo, SessionRecord } from "@longhand/store";
import { toJson } from "../../src/export/to-json.ts";
import { toMarkdown } from "../../src/export/to-markdown.ts";
import type { RecordOrGap } from "../../src/sessions/records-with-gaps.ts";

const info: SessionInfo = {
  key: "telegram:1",
  id: "01",
  status: "active",
  seq: 3,
  count: 3,
  summary: "They met.\nThen they spoke.",
  title: "A talk",
  tags: [],
  created: "2026-11-15T10:00:00.000Z",
  updated: "2026-11-15T11:00:00.000Z",
  bytes: 100,
  damaged: 0,
};

/** All of them in the view. */
async function* view(...records: readonly SessionRecord[]): AsyncIterable<RecordOrGap> {
  for (const record of records) yield await Promise.resolve({ record, isLive: true });
}

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}

const at = "2026-11-15T10:00:00.000Z";

test("a conversation as Markdown", async () => {
  const records: SessionRecord[] = [
    { seq: 1, at, message: { role: "user", name: "Ana", content: "Hello \u001b[31m" } },
    {
      seq: 2,
      at,
      message: {
        role: "assistant",
        content: "",
        toolCalls: [{ id: "c1", name: "read", arguments: { path: "a" } }],
      },
    },
    { seq: 3, at, message: { role: "tool", toolCallId: "c1", content: "```\nfenced\n```" } },
  ];
  expect(await joined(toMarkdown(info, view(...records)))).toBe(
    [
      "# A talk",
      "",
      "Session `telegram:1`, 3 messages, 2026-11-15T10:00:00.000Z to 2026-11-15T11:00:00.000Z.",
      "",
      "> Summary of what came before: They met.",
      "> Then they spoke.",
      "",
      `## user Ana, #1, ${at}`,
      "",
      "Hello \\x1b[31m",
      "",
      `## assistant, #2, ${at}`,
      "",
      "Calls `read` (`c1`):",
      "",
      "```json",
      "{",
      '  "path": "a"',
      "}",
      "```",
      "",
      `## tool, #3, ${at}`,
      "",
      "Result of `c1`:",
      "",
      "````",
      "```",
      "fenced",
      "```",
      "````",
      "",
      "",
    ].join("\n"),
  );
});

test("a conversation as one JSON document, with or without messages", async () => {
  const message = { role: "user", content: "\u202e" } as const;
  expect(
    JSON.parse(await joined(toJson(info, view({ seq: 1, at, message }, { seq: 2, at, message })))),
  ).toEqual({
    info,
    messages: [message, message],
  });
  expect(JSON.parse(await joined(toJson(info, view())))).toEqual({ info, messages: [] });
});

test("a fork, which is younger than its messages, is told from the earlier to the later time", async () => {
  const fork = { ...info, created: info.updated, updated: info.created };
  expect(await joined(toMarkdown(fork, view()))).toContain(`${info.created} to ${info.updated}.`);
});
