/** What the log has of a turn that is open: its messages, what was shown since the last of them, which calls had begun. */

import type { Message, Session, ToolCall } from "@longhand/store";
import { CALLS_NOTE, isObject, PART_NOTE } from "./turn-log.ts";

export interface LoggedTurn {
  readonly messages: readonly Message[];
  /** Shown, and not in any message yet. */
  readonly text: string;
  readonly reasoning: string;
  readonly begun: ReadonlySet<string>;
  /** Of the newest record. */
  readonly seq: number;
}

/** Reads from the note at `openSeq` on: no more than the turn itself. */
export async function readTurn(session: Session, openSeq: number): Promise<LoggedTurn> {
  let messages: { readonly seq: number; readonly message: Message }[] = [];
  let text = "";
  let reasoning = "";
  let seq = openSeq;
  const begun = new Set<string>();
  for await (const record of session.records({ from: openSeq })) {
    ({ seq } = record);
    if (record.op === undefined) {
      messages.push(record);
      if (record.message.role === "assistant") text = reasoning = "";
    } else if (record.op === "rewind" && record.undoesCut !== true) {
      // Somebody has taken it back: what was shown then is nothing to be answered for any more.
      messages = messages.filter((kept) => kept.seq <= record.to);
      text = reasoning = "";
    } else if (record.op === "reset") {
      messages = [];
      text = reasoning = "";
    } else if (record.op === "note" && isObject(record.data)) {
      if (record.kind === PART_NOTE) {
        text += textOf(record.data["text"]);
        reasoning += textOf(record.data["reasoning"]);
      } else if (record.kind === CALLS_NOTE) {
        for (const id of idsOf(record.data["begun"])) begun.add(id);
      }
    }
  }
  return { messages: messages.map(({ message }) => message), text, reasoning, begun, seq };
}

/** The calls without a result. A result belongs to the newest call of its id before it. */
export function openCalls(messages: readonly Message[]): ToolCall[] {
  const open = new Map<string, ToolCall>();
  for (const { role, toolCalls = [], toolCallId = "" } of messages) {
    if (role === "assistant") for (const call of toolCalls) open.set(call.id, call);
    else if (role === "tool") open.delete(toolCallId);
  }
  return [...open.values()];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function idsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((id) => typeof id === "string") : [];
}
