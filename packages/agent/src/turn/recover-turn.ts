/**
 * Closes a turn that a crash has left open. Nothing is run again: what was shown becomes a message, a call whose outcome is
 * unknown gets a result that says so, and a message of ours says what happened. All of it is one atomic write, and what
 * is still to be done is told by the log alone: a recovery that is killed is simply begun anew.
 */

import { isLonghandError, type Message, type Session, type ToolCall } from "@longhand/store";
import type { TurnOutcome } from "../events.ts";
import { messageText } from "../message-text.ts";
import { LONGEST_LOCK_WAIT } from "./longest-lock-wait.ts";
import { openCalls, readTurn, type LoggedTurn } from "./read-turn.ts";
import { saysSomething } from "./says-something.ts";
import { closeTurn, isOutcome, isOwnMessage, openTurnOf, ownMessage } from "./turn-log.ts";
import type { TurnResult, TurnSettings } from "./types.ts";

const UNKNOWN =
  "[unknown outcome: the program ended while this ran; look at what it has done before you do it again]";
const NOT_RUN =
  "[not run: the program ended before this had begun, or while it only read; nothing was changed by it]";

/**
 * `undefined`: no turn was open; or, with `wait`, somebody has been working on the session for so many milliseconds, and a turn in somebody's
 * hand was left open by no crash. Without `wait` it stands in line for them.
 */
export async function recoverTurn(
  session: Session,
  settings: Pick<TurnSettings, "agent" | "events">,
  { wait }: { readonly wait?: number } = {},
): Promise<TurnResult | undefined> {
  // Without a lock first: a session that is whole is not to be waited for.
  if ((await openTurnOf(session)) === undefined) return undefined;
  let lock: AsyncDisposable;
  try {
    lock = await session.lock({ wait: wait ?? LONGEST_LOCK_WAIT });
  } catch (error) {
    if (wait !== undefined && isLonghandError(error, "SESSION_LOCKED")) return undefined;
    throw error;
  }
  try {
    return await closeOpenTurn(session, settings);
  } finally {
    await lock[Symbol.asyncDispose]();
  }
}

/** For those who hold the lock: nobody works on the turn then. */
export async function closeOpenTurn(
  session: Session,
  { agent, events }: Pick<TurnSettings, "agent" | "events">,
): Promise<TurnResult | undefined> {
  const open = await openTurnOf(session);
  if (open === undefined) return undefined;
  const { turn } = open;
  const logged = await readTurn(session, open.seq);
  const outcome = outcomeOf(logged);
  const missing = outcome === undefined ? await whatIsMissing(session, logged) : [];
  const ended = { turn, state: "ended", outcome: outcome ?? "interrupted" } as const;
  const error = ended.outcome === "interrupted" ? INTERRUPTED : undefined;
  const mark = error === undefined ? ended : { ...ended, error };
  const seq = await closeTurn(session, missing, mark);
  events({ agent, key: session.key, turn, type: "turn-end", outcome: ended.outcome, seq });
  const text = lastAnswer([...logged.messages, ...missing]);
  return { turn, outcome: ended.outcome, text, seq, ...(error === undefined ? {} : { error }) };
}

const INTERRUPTED = {
  code: "TURN_INTERRUPTED",
  message: "the program ended before the turn was over; it was closed afterwards",
} as const;

/** The last text that a model has written, as it was shown. */
export function lastAnswer(messages: readonly Message[]): string {
  const answer = messages.findLast(
    (message) =>
      message.role === "assistant" && !isOwnMessage(message) && saysSomething(messageText(message.content)),
  );
  return answer === undefined ? "" : messageText(answer.content);
}

/** `undefined`: it was still to be decided. Otherwise only the mark is missing. */
function outcomeOf({ messages, text, reasoning }: LoggedTurn): TurnOutcome | undefined {
  const last = messages.at(-1);
  if (last?.role !== "assistant" || text !== "" || reasoning !== "") return undefined;
  if (isOwnMessage(last)) return isOutcome(last.stopReason) ? last.stopReason : undefined;
  return (last.toolCalls ?? []).length === 0 ? "answered" : undefined;
}

async function whatIsMissing(session: Session, logged: LoggedTurn): Promise<Message[]> {
  const { messages, text, reasoning, begun } = logged;
  // The words were never kept: there is nothing to answer, unless somebody else has asked something.
  if (messages.length === 0 && text === "" && reasoning === "") {
    const [last] = await session.messages({ last: 1 });
    return last?.role === "user" ? [ownMessage("interrupted", words([]))] : [];
  }
  const calls = openCalls(messages);
  const unknown = calls.filter(({ id }) => begun.has(id));
  const shown: Message = {
    role: "assistant",
    content: text,
    ...(reasoning === "" ? {} : { reasoning }),
    stopReason: "interrupted",
  };
  return [
    ...calls.map((call) => resultOf(call, begun.has(call.id) ? UNKNOWN : NOT_RUN)),
    ...(saysSomething(text) ? [shown] : []),
    ownMessage("interrupted", words(unknown), saysSomething(text) ? "" : reasoning),
  ];
}

function resultOf({ id, name }: ToolCall, content: string): Message {
  return { role: "tool", toolCallId: id, ...(name === "" ? {} : { name }), content, isError: true };
}

function words(unknown: readonly ToolCall[]): string {
  const what = "The program ended before this turn was over.";
  if (unknown.length === 0) return what;
  const names = unknown.map(({ name }) => name).join(", ");
  return `${what} Whether this was done is unknown, and it was not done again: ${names}.`;
}
