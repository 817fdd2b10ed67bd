/** Shows where a conversation is when the chat comes to it: how long it is, and its last turns as they looked when they happened. */

import type { Conversation } from "@longhand/agent";
import type { Message } from "@longhand/store";
import type { ToPaste } from "../terminal/command-to-paste.ts";
import { escapeControls, escapeKey } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { relativeTime } from "../terminal/format-time.ts";
import { type Output, readableWidth } from "../terminal/output.ts";
import { contentText } from "../terminal/render-message.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import { PROMPT } from "./chat-notes.ts";
import { TurnView } from "./turn-view.ts";

const SHOWN_TURNS = 2;
/** Read first; more only where a turn with many tool calls is longer. */
const READ_MESSAGES = 40;
/** Of a long answer the end is shown: that is where one was. */
const SHOWN_LINES = 24;

/** `false`: nothing was said in it yet. */
export async function showConversation(
  { session, key }: Conversation,
  output: Output,
  toPaste: ToPaste,
): Promise<boolean> {
  const info = await session.state();
  if (info === undefined || info.count === 0) return false;
  const { bold, dim } = output.colors;
  const messages = lastTurns(await readLastTurn(session, info.count));
  const { lines, hidden } = shorten(messages, output);
  const earlier = info.count - messages.length;
  const notShown = [
    ...(earlier > 0 ? [countOf(earlier, "earlier message")] : []),
    ...(hidden > 0 ? [countOf(hidden, "line")] : []),
  ].join(" and ");
  const facts = `${countOf(info.count, "message")}, ${relativeTime(info.updated, output.now())}`;
  output.write(`${bold(escapeKey(key))}  ${dim(facts)}\n`);
  if (notShown !== "") output.write(`${dim(`… ${notShown}: ${toPaste("show", key)}`)}\n`);
  for (const line of ["", ...lines]) output.write(`${line}\n`);
  return true;
}

/** At least from the user's last message on, however many tool calls followed it. */
async function readLastTurn(session: Conversation["session"], count: number): Promise<readonly Message[]> {
  for (let last = READ_MESSAGES; ; last *= 4) {
    const messages = await session.messages({ last });
    if (last >= count || messages.some(({ role }) => role === "user")) return messages;
  }
}

/** Begins with a message of the user, whatever is left out behind it. */
function shorten(
  messages: readonly Message[],
  output: Output,
): { readonly lines: readonly string[]; readonly hidden: number } {
  const all = turnLines(messages, output);
  if (all.length <= SHOWN_LINES) return { lines: all, hidden: 0 };
  const start = messages.findLastIndex(({ role }) => role === "user");
  const turn = start === -1 ? all : turnLines(messages.slice(start), output);
  if (turn.length <= SHOWN_LINES) return { lines: turn, hidden: all.length - turn.length };
  const question = start === -1 ? [] : turnLines(messages.slice(start, start + 1), output);
  const head = question.slice(0, SHOWN_LINES / 2);
  const end = turn.slice(head.length - SHOWN_LINES);
  return { lines: [...head, ...end], hidden: all.length - head.length - end.length };
}

function lastTurns(messages: readonly Message[]): readonly Message[] {
  const starts = messages.flatMap(({ role }, index) => (role === "user" ? [index] : []));
  return messages.slice(starts.at(-SHOWN_TURNS) ?? starts[0] ?? 0);
}

/** As they were shown when they happened. */
function turnLines(messages: readonly Message[], output: Output): string[] {
  const width = (): number | undefined => readableWidth(output);
  const view = new TurnView({ colors: output.colors, width }, { isDrawn: true, hasCommands: true });
  const names = new Map<string, string>();
  const lines: string[] = [];
  const show = (event: Parameters<TurnView["take"]>[0]): void => void lines.push(...view.take(event));
  const place = { agent: "", key: "", turn: "" };
  const endTurn = (): void => {
    const before = lines.length;
    show({ ...place, type: "turn-end", outcome: "answered", seq: 0 });
    if (before > 0 || lines.length > before) lines.push("");
  };
  for (const [index, message] of messages.entries()) {
    const text = contentText(message);
    // Two answers in a row, such as one that was cut off and the note about it, are two paragraphs.
    const isNext = message.role === "assistant" && messages[index - 1]?.role === "assistant";
    if (isNext && text !== "") show({ ...place, type: "text-delta", text: "\n\n" });
    switch (message.role) {
      case "user":
        endTurn();
        lines.push(...echoLines(text, output), "");
        break;
      case "assistant":
        if (text !== "") show({ ...place, type: "text-delta", text });
        for (const call of message.toolCalls ?? []) {
          names.set(call.id, call.name);
          show({ ...place, type: "tool-call", ...call });
        }
        break;
      case "tool": {
        const id = message.toolCallId ?? "";
        const name = names.get(id) ?? message.name ?? "tool";
        show({ ...place, type: "tool-result", id, name, content: text, isError: message.isError === true });
        break;
      }
      case "system":
        break;
    }
  }
  endTurn();
  return lines;
}

function echoLines(text: string, { width, colors }: Output): string[] {
  const lines = wrapText(escapeControls(text), width === undefined ? undefined : width - PROMPT.length);
  return lines.map((line, index) => colors.cyan((index === 0 ? PROMPT : "  ") + line));
}
