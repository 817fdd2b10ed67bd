/** A conversation as turns: a user's message with everything up to the next one. Nothing is cut inside of a turn. */

import type { Message } from "../format/message.ts";

/** A message and the place it has in the log. */
export interface LoggedMessage<M extends Message = Message> {
  readonly seq: number;
  readonly message: M;
}

export interface Turn<M extends Message = Message> {
  /** The first is the user's, except in a turn of what comes before the first user's message. */
  readonly messages: readonly LoggedMessage<M>[];
  /** The answer is still to come. Only the last turn can be open. */
  readonly isOpen: boolean;
}

export function turnsOf<M extends Message>(messages: readonly LoggedMessage<M>[]): Turn<M>[] {
  const turns: LoggedMessage<M>[][] = [];
  for (const logged of messages) {
    const last = turns.at(-1);
    if (last === undefined || logged.message.role === "user") turns.push([logged]);
    else last.push(logged);
  }
  return turns.map((turn, index) => ({
    messages: turn,
    isOpen: index === turns.length - 1 && isUnanswered(turn),
  }));
}

/** It ends with something other than an answer, or a call in it has no result. */
function isUnanswered(turn: readonly LoggedMessage[]): boolean {
  const spoken = turn.map(({ message }) => message).filter(({ role }) => role !== "system");
  const last = spoken.at(-1);
  if (last === undefined) return false;
  if (last.role === "user") return true;
  const answered = new Map<string, number>();
  for (const { role, toolCallId = "" } of spoken) {
    if (role === "tool") answered.set(toolCallId, (answered.get(toolCallId) ?? 0) + 1);
  }
  let hasAnswer = false;
  for (const { role, toolCalls = [] } of spoken) {
    if (role !== "assistant") continue;
    hasAnswer = toolCalls.length === 0;
    for (const { id } of toolCalls) {
      const results = answered.get(id) ?? 0;
      if (results === 0) return true;
      answered.set(id, results - 1);
    }
  }
  return !hasAnswer;
}
