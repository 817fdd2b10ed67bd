/**
 * One message made shorter, with a visible mark wherever something is missing: how much, and where the whole of it is.
 * What is short enough comes back as it is, the same object.
 */

import type { ContentPart, Message } from "../../format/message.ts";
import { isTextPart } from "../message-content.ts";
import { shortenMiddle } from "../shorten-middle.ts";
import { textOf } from "../transcript.ts";
import type { LoggedMessage } from "../turns.ts";
import type { Shortened } from "../types.ts";

/** Limits are characters that stay of a text that is cut, besides the mark. */
export interface ShorteningPlan {
  readonly resultLimit: number;
  readonly textLimit: number;
  /** Parts that a mark stands for. */
  readonly mediaOut: ReadonlySet<ContentPart>;
  readonly reasoningOut: boolean;
  /** Nothing stays but role and text. */
  readonly isBare: boolean;
}

export interface ShortenedMessage<M extends Message> {
  readonly logged: LoggedMessage<M>;
  readonly shortened: readonly Shortened[];
}

export function shortenMessage<M extends Message>(
  logged: LoggedMessage<M>,
  key: string,
  plan: ShorteningPlan,
): ShortenedMessage<M> {
  const { seq, message } = logged;
  const shortened: Shortened[] = [];
  const changes: { -readonly [Field in keyof Message]?: Message[Field] } = {};
  const note = (what: Shortened["what"], before: number, after: number): void => {
    shortened.push({ seq, what, before, after });
  };
  const cut = (text: string, limit: number): string => shortenText(text, limit, place(key, seq));

  let { content } = message;
  if (typeof content !== "string" && content.some((part) => plan.mediaOut.has(part))) {
    content = content.map((part) => {
      if (!plan.mediaOut.has(part)) return part;
      const mark = mediaMark(part, place(key, seq));
      note("media", JSON.stringify(part).length, mark.length);
      return { type: "text", text: mark };
    });
  }
  if (message.role === "tool") {
    const limit = Math.min(plan.resultLimit, plan.textLimit);
    const result = cutTexts(content, (text) => cut(text, limit));
    if (result !== content) note("tool-result", textLength(content), textLength(result));
    content = result;
  } else if (plan.textLimit !== Infinity) {
    const text = cut(textOf({ ...message, content }), plan.textLimit);
    for (const part of typeof content === "string" ? [] : content) {
      if (!isTextPart(part)) note("media", JSON.stringify(part).length, 0);
    }
    if (typeof content !== "string" || text !== content) {
      if (text.length < textLength(content)) note("text", textLength(content), text.length);
      content = text;
    }
  }
  if (content !== message.content) changes.content = content;
  if (plan.isBare) return { logged: { seq, message: { role: message.role, content } as M }, shortened };

  if (message.toolCalls !== undefined && plan.textLimit !== Infinity) {
    changes.toolCalls = message.toolCalls.map((call) => {
      const json = JSON.stringify(call.arguments);
      const text = cut(json, plan.textLimit);
      if (text === json) return call;
      note("text", json.length, text.length);
      return { ...call, arguments: { shortened: text } };
    });
  }
  const kept: Message = { ...message, ...changes };
  if (plan.reasoningOut && message.reasoning !== undefined) {
    note("reasoning", message.reasoning.length, 0);
    delete (kept as { reasoning?: string }).reasoning;
  } else if (Object.keys(changes).length === 0) return { logged, shortened };
  return { logged: { seq, message: kept as M }, shortened };
}

/** `where`: as from `place`. The mark comes on top of the limit. */
export function shortenText(text: string, limit: number, where: string): string {
  const mark = (left: number): string => `\n[… ${left} characters left out to fit the context; ${where} …]\n`;
  return shortenMiddle(text, limit + mark(text.length).length, mark);
}

/** Where the whole of it can be read. */
export function place(key: string, seq: number): string {
  return `the whole is message ${seq} of session ${JSON.stringify(key)}`;
}

export function mediaMark(part: ContentPart, where: string): string {
  const kind = "mediaType" in part && typeof part.mediaType === "string" ? part.mediaType : part.type;
  return `[${kind.slice(0, 60)} left out to fit the context; ${where}]`;
}

function cutTexts(content: Message["content"], cut: (text: string) => string): Message["content"] {
  if (typeof content === "string") return cut(content);
  const parts = content.map((part) => {
    if (!isTextPart(part)) return part;
    const text = cut(part.text);
    return text === part.text ? part : { ...part, text };
  });
  return parts.some((part, index) => part !== content[index]) ? parts : content;
}

function textLength(content: Message["content"]): number {
  if (typeof content === "string") return content.length;
  return content.reduce((length, part) => length + (isTextPart(part) ? part.text.length : 0), 0);
}
