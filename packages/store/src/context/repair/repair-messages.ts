/**
 * From any history to one that strict providers take: at most one system message, first; then a user's; behind each
 * assistant's calls exactly one result for each of them and nothing else; no id twice; no message that says nothing.
 * A history that is so already comes back as it is, the same array. Nothing is guessed: a result that cannot be told to
 * belong to a call is left out, and a call without a result gets one that says so. Pure, and linear in the messages.
 */

import type { Message } from "../../format/message.ts";
import { joinContents, saysNothing } from "../message-content.ts";
import { CallIds, PairedCalls } from "./pair-results.ts";
import { separateMoved } from "./separate-moved.ts";
import type { LoggedMessage } from "../turns.ts";
import type { HistoryRepair } from "../types.ts";

export interface RepairedMessages<M extends Message = Message> {
  /** A message of ours has the seq of the one that it was needed for. */
  readonly messages: readonly LoggedMessage<M>[];
  readonly repairs: readonly HistoryRepair[];
}

export const EMPTY_MESSAGE = "[empty message]";

/** Strict providers refuse a conversation that begins with an answer. */
export const BEGINS_WITH_ANSWER = "[not said by anyone: the conversation shown here begins with an answer]";

export function repairMessages<M extends Message>(history: readonly LoggedMessage<M>[]): RepairedMessages<M> {
  const repair = new Repair(history);
  for (const [index, logged] of history.entries()) repair.take(logged, index);
  return repair.outcome(history);
}

/** The same for calls and results alone: every other message stays where and as it is, and so do the ids. */
export function pairMessages<M extends Message>(history: readonly LoggedMessage<M>[]): RepairedMessages<M> {
  const repair = new Repair(history);
  for (const logged of history) repair.pair(logged);
  return repair.outcome(history);
}

class Repair<M extends Message> {
  readonly #repairs: HistoryRepair[] = [];
  readonly #systems: LoggedMessage<M>[] = [];
  readonly #body: (LoggedMessage<M> | PairedCalls<M>)[] = [];
  /** Of each id as the log has it, the newest message that calls it: a result belongs there, or nowhere. */
  readonly #callers = new Map<string, PairedCalls<M>>();
  readonly #ids: CallIds;

  constructor(history: readonly LoggedMessage<M>[]) {
    this.#ids = new CallIds(history);
  }

  take(logged: LoggedMessage<M>, index: number): void {
    const { role } = logged.message;
    if (role === "system") this.#takeSystem(logged, index);
    else if (role === "user") this.#takeUser(logged);
    else if (role === "assistant") this.#takeAssistant(logged);
    else this.#takeResult(logged);
  }

  pair(logged: LoggedMessage<M>): void {
    const { role, toolCalls = [] } = logged.message;
    if (role === "tool") this.#takeResult(logged);
    else if (role === "assistant" && toolCalls.length > 0)
      this.#takeCalls(
        logged,
        toolCalls.map(({ id }) => id),
      );
    else this.#body.push(logged);
  }

  outcome(history: readonly LoggedMessage<M>[]): RepairedMessages<M> {
    const paired = this.#body.map((item) => {
      if (!(item instanceof PairedCalls)) return [item];
      for (const call of item.unanswered()) {
        this.#report(item.logged, "missing-result", `no result of the call ${quoted(call.id)} was recorded`);
      }
      return item.messages();
    });
    if (this.#repairs.length === 0) return { messages: history, repairs: [] };
    const repairs = this.#repairs.toSorted((one, other) => one.seq - other.seq);
    return { messages: separateMoved(history, [...this.#system(), ...paired.flat()]), repairs };
  }

  #takeSystem(logged: LoggedMessage<M>, index: number): void {
    if (saysNothing(logged.message.content)) {
      this.#report(logged, "empty-message", "a system message that says nothing is left out");
      return;
    }
    if (index > 0)
      this.#report(logged, "moved-system", "it is part of the one system message at the beginning");
    this.#systems.push(logged);
  }

  #takeUser(logged: LoggedMessage<M>): void {
    if (!saysNothing(logged.message.content)) {
      this.#body.push(logged);
      return;
    }
    this.#report(logged, "empty-message", "a user message that says nothing says so");
    this.#body.push({ ...logged, message: { ...logged.message, content: EMPTY_MESSAGE } });
  }

  #takeAssistant(logged: LoggedMessage<M>): void {
    const { content, toolCalls = [] } = logged.message;
    if (toolCalls.length === 0) {
      if (saysNothing(content))
        this.#report(logged, "empty-message", "an answer that says nothing is left out");
      else {
        this.#beginBefore(logged);
        this.#body.push(logged);
      }
      return;
    }
    this.#beginBefore(logged);
    const ids = toolCalls.map(({ id }) => {
      const unique = this.#ids.uniqueFor(id);
      if (unique !== id) this.#report(logged, "renamed-call", `${quoted(id)} is called ${quoted(unique)}`);
      return unique;
    });
    this.#takeCalls(logged, ids);
  }

  #beginBefore(logged: LoggedMessage<M>): void {
    if (this.#body.length > 0) return;
    this.#report(logged, "leading-answer", "a user message of ours stands before it");
    const message: Message = { role: "user", content: BEGINS_WITH_ANSWER };
    this.#body.push({ seq: logged.seq, message: message as M });
  }

  /** `ids`: those that they get. */
  #takeCalls(logged: LoggedMessage<M>, ids: readonly string[]): void {
    const { toolCalls = [] } = logged.message;
    const calls = new PairedCalls(logged, toolCalls, ids);
    for (const { id } of toolCalls) this.#callers.set(id, calls);
    this.#body.push(calls);
  }

  #takeResult(logged: LoggedMessage<M>): void {
    const id = logged.message.toolCallId ?? "";
    const caller = this.#callers.get(id);
    if (caller === undefined) {
      this.#report(logged, "orphan-result", `there is no call ${quoted(id)} before it`);
    } else if (!caller.answer(id, logged)) {
      this.#report(logged, "second-result", `the call ${quoted(id)} has a result already`);
    } else if (this.#body.at(-1) !== caller) {
      this.#report(logged, "moved-result", `it is put behind its call in message ${caller.logged.seq}`);
    }
  }

  #system(): LoggedMessage<M>[] {
    const [first, ...others] = this.#systems;
    if (first === undefined || others.length === 0) return this.#systems;
    const content = joinContents(this.#systems.map(({ message }) => message.content));
    return [{ ...first, message: { ...first.message, content } }];
  }

  #report({ seq }: LoggedMessage, kind: HistoryRepair["kind"], detail: string): void {
    this.#repairs.push({ seq, kind, detail });
  }
}

function quoted(id: string): string {
  return JSON.stringify(id.length > 80 ? `${id.slice(0, 80)}…` : id);
}
