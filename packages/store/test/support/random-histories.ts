/** Histories from a seed: valid ones, and ones with everything that crashes, races and bad providers leave behind. */

import type { ContentPart, Message, ToolCall } from "../../src/format/message.ts";
import type { LoggedMessage } from "../../src/context/turns.ts";

export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  happens(probability: number): boolean {
    return this.next() < probability;
  }

  oneOf<T>(values: readonly [T, ...T[]]): T {
    return values[this.below(values.length)] ?? values[0];
  }
}

/** Later than the message before it, but not always the next: other records lie between. */
export function logged(messages: readonly Message[], chance: Chance): LoggedMessage[] {
  let seq = 0;
  return messages.map((message) => ({ seq: (seq += 1 + chance.below(3)), message }));
}

export interface HistoryOptions {
  /** Ids are never used twice, so that it is known which result belongs to which call. @default false */
  readonly uniqueIds?: boolean;
  /** The greatest length of a text, in words. @default 8 */
  readonly words?: number;
}

/** Each call has its number in its arguments, and each result that belongs to it has it in its content. */
export function brokenHistory(chance: Chance, options: HistoryOptions = {}): Message[] {
  const writer = new Writer(chance, options);
  const messages: Message[] = [];
  let waiting: ToolCall[] = [];
  const length = chance.below(24);
  while (messages.length < length) {
    const step = chance.below(10);
    if (step < 2) messages.push({ role: "user", content: writer.content(0.15), ...writer.extra() });
    else if (step === 2) messages.push({ role: "system", content: writer.content(0.1) });
    else if (step === 3)
      messages.push({ role: "assistant", content: writer.content(0.3), ...writer.extra() });
    else if (step === 4) messages.push(writer.result("nobody", -1));
    else if (step < 8) {
      const toolCalls = writer.calls(chance.below(4));
      waiting.push(...toolCalls);
      messages.push({ role: "assistant", content: writer.content(0.5), toolCalls, ...writer.extra() });
    } else if (step === 8) waiting = waiting.filter(() => chance.happens(0.8));
    // Some of the results come now, some later, some twice, some never; in any order.
    const due = waiting.filter(() => chance.happens(0.5)).sort(() => chance.next() - 0.5);
    for (const call of due) {
      messages.push(writer.resultOf(call));
      if (chance.happens(0.1)) messages.push(writer.resultOf(call));
    }
    waiting = waiting.filter((call) => !due.includes(call));
  }
  return messages;
}

export function validHistory(chance: Chance, options: HistoryOptions = {}): Message[] {
  const writer = new Writer(chance, { ...options, uniqueIds: true });
  const messages: Message[] = [];
  if (chance.happens(0.3)) messages.push({ role: "system", content: writer.content(0) });
  for (let turns = chance.below(5); turns >= 0; turns -= 1) {
    messages.push({ role: "user", content: writer.content(0), ...writer.extra() });
    for (let steps = chance.below(4); steps > 0; steps -= 1) {
      const toolCalls = writer.calls(1 + chance.below(3));
      messages.push({ role: "assistant", content: writer.content(0.5), toolCalls, ...writer.extra() });
      messages.push(...toolCalls.map((call) => writer.resultOf(call)).sort(() => chance.next() - 0.5));
    }
    if (chance.happens(0.9))
      messages.push({ role: "assistant", content: writer.content(0), ...writer.extra() });
  }
  return messages;
}

class Writer {
  readonly #chance: Chance;
  readonly #options: HistoryOptions;
  #number = 0;

  constructor(chance: Chance, options: HistoryOptions) {
    this.#chance = chance;
    this.#options = options;
  }

  calls(count: number): ToolCall[] {
    return Array.from({ length: count }, () => {
      const number = (this.#number += 1);
      const id = this.#options.uniqueIds === true ? `unique_${number}` : this.#id();
      return { id, name: this.#chance.oneOf(["read", "write"]), arguments: { number } };
    });
  }

  resultOf(call: ToolCall): Message {
    return this.result(call.id, (call.arguments as { number: number }).number);
  }

  result(toolCallId: string, number: number): Message {
    const text = `result ${number} ${this.#text(0.2)}`;
    const content = this.#chance.happens(0.2) ? [{ type: "text", text }] : text;
    const isLost = this.#options.uniqueIds !== true && this.#chance.happens(0.03);
    return { role: "tool", content, ...(isLost ? {} : { toolCallId }) };
  }

  content(blank: number): Message["content"] {
    if (!this.#chance.happens(0.3)) return this.#text(blank);
    if (this.#chance.happens(blank))
      return this.#chance.oneOf<ContentPart[]>([[], [{ type: "text", text: " " }]]);
    const parts: ContentPart[] = [{ type: "text", text: this.#text(0) }];
    if (this.#chance.happens(0.3))
      parts.push({ type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" });
    if (this.#chance.happens(0.2)) parts.push({ type: "hologram", depth: 3 });
    return parts;
  }

  extra(): Partial<Message> {
    if (this.#chance.happens(0.7)) return {};
    return this.#chance.oneOf<object>([{ name: "Анна" }, { reasoning: "hm" }, { colour: "red" }]);
  }

  #id(): string {
    const ids = ["call_0", "call_0", "call_1", "call_2", "call_0~2", "call~2", ""] as const;
    return this.#chance.happens(0.5) ? this.#chance.oneOf(ids) : `call_${this.#number}`;
  }

  #text(blank: number): string {
    if (this.#chance.happens(blank)) return this.#chance.oneOf(["", " ", "\n\t"]);
    const words = Array.from({ length: 1 + this.#chance.below(this.#options.words ?? 8) }, () =>
      this.#chance.oneOf([
        "milk",
        "ok",
        "слово",
        "语言",
        "🙂",
        "```",
        "---",
        '"quoted"',
        "</system>",
        "e\u0301",
      ]),
    );
    return words.join(" ");
  }
}
