/** A conversation as Markdown, to read and to keep beside other texts. Control characters are escaped. */

import type { Message, SessionInfo, ToolCall } from "@longhand/store";
import type { RecordOrGap } from "../sessions/records-with-gaps.ts";
import { textOf } from "../sessions/session-label.ts";
import { escapeControls, escapeKey, escapeLine, onOneLine } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { lostLine } from "../terminal/lost-line.ts";

export async function* toMarkdown(
  info: SessionInfo,
  records: AsyncIterable<RecordOrGap>,
): AsyncIterable<string> {
  yield headOf(info);
  for await (const each of records) {
    if ("lost" in each) yield `*${lostLine(each.lost)}*\n\n`;
    else if (each.record.op === undefined)
      yield messageSection(each.record.message, each.record.seq, each.record.at);
  }
}

function headOf({ key, title, count, created, updated, summary }: SessionInfo): string {
  const name = title === undefined || title === "" ? escapeKey(key) : onOneLine(title);
  // A fork is younger than the messages it began with.
  const [first, last] = created < updated ? [created, updated] : [updated, created];
  const facts = `Session \`${escapeKey(key)}\`, ${countOf(count, "message")}, ${first} to ${last}.`;
  const before = summary === "" ? "" : `${quoted(`Summary of what came before: ${summary}`)}\n\n`;
  return `# ${name}\n\n${facts}\n\n${before}`;
}

function messageSection(message: Message, seq: number, at: string): string {
  const { role, name, toolCalls = [], toolCallId, isError = false } = message;
  const speaker = name === undefined ? role : `${role} ${escapeLine(name)}`;
  const text = textOf(message);
  const parts = [`## ${speaker}, #${seq}, ${at}`];
  if (role === "tool") {
    const call = toolCallId === undefined ? "" : ` of \`${escapeLine(toolCallId)}\``;
    parts.push(`${isError ? "Error" : "Result"}${call}:`, fenced(text, ""));
  } else if (text !== "") parts.push(escapeControls(text));
  parts.push(...toolCalls.map(callSection));
  return `${parts.join("\n\n")}\n\n`;
}

function callSection({ id, name, arguments: given }: ToolCall): string {
  return `Calls \`${escapeLine(name)}\` (\`${escapeLine(id)}\`):\n\n${fenced(JSON.stringify(given, undefined, 2), "json")}`;
}

/** The fence is longer than any in the text, so that the text cannot end it. */
function fenced(text: string, language: string): string {
  const escaped = escapeControls(text);
  const longest = Math.max(2, ...(escaped.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${escaped}\n${fence}`;
}

function quoted(text: string): string {
  return escapeControls(text)
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}
