/** Calls and their results: which belongs to which, under ids of which each is there once. */

import type { Message, ToolCall } from "../../format/message.ts";
import type { LoggedMessage } from "../turns.ts";

export const NO_RESULT = "[no result: nothing was recorded for this call; whether it ran is unknown]";

/** Gives each call an id that no other call of the history has. */
export class CallIds {
  readonly #given = new Set<string>();
  /** The ids of all calls: a new id must not be one of them. */
  readonly #known = new Set<string>();
  readonly #nextNumber = new Map<string, number>();

  constructor(history: readonly LoggedMessage[]) {
    for (const { message } of history) for (const { id } of message.toolCalls ?? []) this.#known.add(id);
  }

  uniqueFor(id: string): string {
    if (id !== "" && !this.#given.has(id)) {
      this.#given.add(id);
      return id;
    }
    const base = id === "" ? "call" : id;
    for (let number = this.#nextNumber.get(id) ?? 2; ; number += 1) {
      const candidate = `${base}~${number}`;
      if (this.#known.has(candidate)) continue;
      this.#known.add(candidate);
      this.#given.add(candidate);
      this.#nextNumber.set(id, number + 1);
      return candidate;
    }
  }
}

interface Pair<M extends Message> {
  readonly call: ToolCall;
  readonly id: string;
  result: LoggedMessage<M> | undefined;
}

/** One assistant's message with calls, and the results that were found for them. */
export class PairedCalls<M extends Message> {
  readonly logged: LoggedMessage<M>;
  readonly #pairs: readonly Pair<M>[];
  /** By the id as the log has it; several calls of one message may have the same. */
  readonly #waiting = new Map<string, Pair<M>[]>();
  /** As they came. */
  readonly #results: LoggedMessage<M>[] = [];

  constructor(logged: LoggedMessage<M>, calls: readonly ToolCall[], ids: readonly string[]) {
    this.logged = logged;
    this.#pairs = calls.map((call, index) => ({ call, id: ids[index] ?? call.id, result: undefined }));
    // Reversed, so that taking the first that waits is a pop.
    for (const pair of this.#pairs.toReversed()) {
      const waiting = this.#waiting.get(pair.call.id);
      if (waiting === undefined) this.#waiting.set(pair.call.id, [pair]);
      else waiting.push(pair);
    }
  }

  /** False: every call of this id has a result already. */
  answer(id: string, result: LoggedMessage<M>): boolean {
    const pair = this.#waiting.get(id)?.pop();
    if (pair === undefined) return false;
    pair.result =
      result.message.toolCallId === pair.id
        ? result
        : { ...result, message: { ...result.message, toolCallId: pair.id } };
    this.#results.push(pair.result);
    return true;
  }

  unanswered(): ToolCall[] {
    return this.#pairs.filter(({ result }) => result === undefined).map(({ call }) => call);
  }

  messages(): LoggedMessage<M>[] {
    const missing = this.#pairs
      .filter(({ result }) => result === undefined)
      .map(({ call, id }) => ({ seq: this.logged.seq, message: noResult<M>(call, id) }));
    return [this.#caller(), ...this.#results, ...missing];
  }

  #caller(): LoggedMessage<M> {
    if (this.#pairs.every(({ call, id }) => call.id === id)) return this.logged;
    const toolCalls = this.#pairs.map(({ call, id }) => ({ ...call, id }));
    return { ...this.logged, message: { ...this.logged.message, toolCalls } };
  }
}

function noResult<M extends Message>({ name }: ToolCall, toolCallId: string): M {
  const named = name === "" ? {} : { name };
  const message: Message = { role: "tool", toolCallId, ...named, content: NO_RESULT, isError: true };
  // The caller's type may have more fields; a message that is made here has those that every message has.
  return message as M;
}
