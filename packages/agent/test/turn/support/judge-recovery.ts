/**
 * What must hold after a kill and a restart, whatever was killed and when. It looks at the log and at what was seen from
 * outside, and knows nothing of how a recovery works. Answers with what is wrong, or `undefined`.
 */

import type { Message, Session, SessionRecord } from "@longhand/store";
import { refusal } from "../../../../store/test/support/strict-provider.ts";
import type { AgentEvent } from "../../../src/events.ts";
import { plainText } from "./plain-text.ts";

export interface Seen {
  /** Events that left the process before it was killed. */
  readonly events: readonly AgentEvent[];
  /** How often the side effect has happened. */
  readonly effects: number;
}

export async function judgeRecovery(
  session: Session,
  { events, effects }: Seen,
): Promise<string | undefined> {
  const refused = refusal(await session.messages());
  if (refused !== undefined) return `the history is not valid: ${refused}`;
  const records: SessionRecord[] = [];
  for await (const record of session.records()) records.push(record);
  const messages = records.flatMap((record) => (record.op === undefined ? [record.message] : []));
  return (
    lostEvent(records, messages, events) ??
    lostParts(records, messages) ??
    wrongEnd(records, messages) ??
    wrongEffect(messages, effects)
  );
}

function lostEvent(
  records: readonly SessionRecord[],
  messages: readonly Message[],
  events: readonly AgentEvent[],
): string | undefined {
  for (const event of events) {
    const at = (seq: number): SessionRecord | undefined => records.find((record) => record.seq === seq);
    switch (event.type) {
      case "turn-start": {
        const record = at(event.seq);
        if (record?.op !== undefined || record?.message.role !== "user") return "the user's message is lost";
        break;
      }
      case "tool-call":
        if (!messages.some(({ toolCalls = [] }) => toolCalls.some(({ id }) => id === event.id)))
          return `the call ${event.id} is lost`;
        break;
      case "tool-result":
        if (!messages.some(({ toolCallId, content }) => toolCallId === event.id && content === event.content))
          return `the result of ${event.id} is lost`;
        break;
      case "compaction":
        if (at(event.seq)?.op !== "compact") return "the compaction is lost";
        break;
      case "turn-end": {
        const record = at(event.seq);
        if (record?.op !== "note" || !JSON.stringify(record.data).includes(`"${event.outcome}"`))
          return "the end that was told is not the one that was kept";
        break;
      }
      case "text-delta":
      case "reasoning-delta":
      case "usage":
      case "error":
        break;
    }
  }
  return undefined;
}

/** Each word that is in a note is in a message too. */
function lostParts(records: readonly SessionRecord[], messages: readonly Message[]): string | undefined {
  for (const record of records) {
    if (record.op !== "note" || record.kind !== "longhand/part") continue;
    const { text = "", reasoning = "" } = record.data as { text?: string; reasoning?: string };
    const isKept = messages.some(
      (message) =>
        message.role === "assistant" &&
        plainText(message.content).includes(text) &&
        (message.reasoning ?? "").includes(reasoning),
    );
    if (!isKept) return `what was shown is in no message: ${text}${reasoning}`;
  }
  return undefined;
}

function wrongEnd(records: readonly SessionRecord[], messages: readonly Message[]): string | undefined {
  const marks = records.flatMap((record) =>
    record.op === "note" && record.kind === "longhand/turn" ? [record.data as Record<string, string>] : [],
  );
  if (marks.filter(({ state }) => state === "open").length > 1) return "the turn was opened twice";
  const last = marks.at(-1);
  if (last === undefined) return undefined;
  if (last["state"] !== "ended") return "the turn is still open";
  if (marks.filter(({ state }) => state === "ended").length > 1) return "the turn has ended twice";
  const own = messages.filter((message) => "writtenBy" in message);
  const wasSaid = messages.some(({ content }) => content === "count, please");
  const expected = last["outcome"] === "answered" || !wasSaid ? 0 : 1;
  if (own.length !== expected) return `${own.length} notes say how the turn ended, not ${expected}`;
  if (expected === 1 && messages.at(-1) !== own[0]) return "the last message does not say how the turn ended";
  if (last["outcome"] === "answered" && messages.at(-1)?.content !== "It is one. Hello!") return "no answer";
  return undefined;
}

function wrongEffect(messages: readonly Message[], effects: number): string | undefined {
  if (effects > 1) return `the side effect has happened ${effects} times`;
  const results = messages.filter(({ toolCallId }) => toolCallId === "three");
  if (results.length > 1) return "the call has two results";
  const content = plainText(results[0]?.content);
  if (effects === 1 && !/^counted$|unknown outcome/.test(content))
    return `it has happened, but: "${content}"`;
  if (effects === 0 && content === "counted") return "it has not happened, but the result says so";
  return undefined;
}
