/**
 * The offline assistant: it has the face of a model and is none. It maps a few plain requests to real tool calls and then says what the
 * tools answered. Pure: what it says is a function of the request alone; it touches nothing, and it never invents. It says so
 * itself, first thing in a conversation.
 */

import { createHash } from "node:crypto";
import type { Message } from "@longhand/store";
import { AgentError, assertNever } from "../errors.ts";
import { messageText } from "../message-text.ts";
import type { Model, ModelEvent, ModelRequest } from "../models/model.ts";
import { knownNotes } from "./known-notes.ts";
import { helpText, NOTICE, NOTICE_BEGINS, notUnderstood, toolMissing } from "./offline-words.ts";
import { understandRequest, type Wish } from "./understand-request.ts";
import { type CallResult, wordResult } from "./word-result.ts";

export const OFFLINE_MODEL = "offline";

export function offlineModel(): Model {
  return { name: OFFLINE_MODEL, canSummarise: false, stream: answer };
}

async function* answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
  signal.throwIfAborted();
  if (request.tools.length === 0) {
    // Such as a request for a summary: only a model could write one, and the caller has a way without.
    throw new AgentError(
      "MODEL_REFUSED",
      "the offline assistant is no model: without tools it can answer nothing, and it writes no summaries",
      { model: OFFLINE_MODEL },
    );
  }
  const { paragraphs, calls } = replyTo(request);
  for (const word of wordsOf(paragraphs.join("\n\n"))) {
    yield { type: "text", text: word };
    // Whoever waits for a promise has a turn between two words: the signal may come from there.
    await Promise.resolve();
    signal.throwIfAborted();
  }
  for (const call of calls) yield call;
  const usage = { inputTokens: undefined, outputTokens: undefined, cachedTokens: undefined };
  yield { type: "finish", reason: calls.length > 0 ? "tool-calls" : "stop", usage };
}

interface Reply {
  readonly paragraphs: readonly string[];
  readonly calls: readonly Extract<ModelEvent, { type: "tool-call" }>[];
}

/** To everything since the last answer: the results of its calls, then what was said. */
function replyTo({ messages, tools, maxTokens }: ModelRequest): Reply {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const names = tools.map(({ name }) => name);
  const longest = Math.min(LONGEST_RESULT, maxTokens * CHARACTERS_FOR_A_TOKEN);
  const paragraphs = wasIntroduced(messages) ? [] : [NOTICE];
  const calls: Reply["calls"][number][] = [];
  const id = idFor(messages);
  for (const message of messages.slice(last + 1)) {
    if (message.role === "tool") paragraphs.push(wordResult(resultOf(message, messages[last]), longest));
    if (message.role !== "user") continue;
    const wish = withTools(understandRequest(messageText(message.content)), names);
    if (typeof wish === "string") paragraphs.push(wish);
    else if (wish.kind === "known") paragraphs.push(sayKnown(messages));
    else
      calls.push({
        type: "tool-call",
        id: `${id}-${calls.length + 1}`,
        name: wish.tool,
        arguments: JSON.stringify(wish.arguments),
      });
  }
  if (paragraphs.length === 0 && calls.length === 0) paragraphs.push(helpText(names));
  return { paragraphs, calls };
}

/** Of a result, so that a page of it is enough to see that the tool works. */
const LONGEST_RESULT = 8000;
const CHARACTERS_FOR_A_TOKEN = 2;

/** Text: that is the answer. */
function withTools(wish: Wish, tools: readonly string[]): string | Extract<Wish, { kind: "known" | "call" }> {
  switch (wish.kind) {
    case "help":
      return helpText(tools);
    case "unclear":
      return notUnderstood(wish.hint, tools);
    case "call":
      return tools.includes(wish.tool) ? wish : toolMissing(wish.tool, tools);
    case "known":
      return wish;
    default:
      return assertNever(wish);
  }
}

function sayKnown(messages: readonly Message[]): string {
  const notes = knownNotes(messages);
  return notes === undefined || notes.trim() === ""
    ? "Nothing is remembered about you yet. Say: remember that …"
    : `This is what is remembered:\n\n${notes}`;
}

function wasIntroduced(messages: readonly Message[]): boolean {
  return messages.some(
    (message) => message.role === "assistant" && messageText(message.content).includes(NOTICE_BEGINS),
  );
}

function resultOf(result: Message, asked: Message | undefined): CallResult {
  const call = asked?.toolCalls?.find(({ id }) => id === result.toolCallId);
  return {
    tool: call?.name ?? "a tool",
    arguments: call?.arguments,
    content: messageText(result.content),
    isError: result.isError === true,
  };
}

/** Another one for each request, though it is made of nothing else. */
function idFor(messages: readonly Message[]): string {
  return `offline-${createHash("sha256").update(JSON.stringify(messages)).digest("hex").slice(0, 16)}`;
}

/** Each with the white space after it: together they are the text. */
function wordsOf(text: string): readonly string[] {
  return text.match(/\s*\S+\s*/gu) ?? [];
}
