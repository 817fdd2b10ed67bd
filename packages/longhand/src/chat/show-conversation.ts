/** Shows where a conversation is, to who comes to it: how long it is, and what was said last. */

import type { Conversation } from "@longhand/agent";
import { escapeKey } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { relativeTime, timesFor } from "../terminal/format-time.ts";
import { type Output, readableWidth } from "../terminal/output.ts";
import type { Marked } from "../terminal/pair-tool-results.ts";
import { renderTranscript } from "../terminal/transcript.ts";

/** Enough to know where one was. */
const SHOWN = 4;

/** `false`: nothing was said in it yet. */
export async function showConversation({ session, key }: Conversation, output: Output): Promise<boolean> {
  const info = await session.state();
  if (info === undefined || info.count === 0) return false;
  const { colors } = output;
  const facts = `${countOf(info.count, "message")}, ${relativeTime(info.updated, output.now())}`;
  output.write(`${colors.bold(escapeKey(key))}  ${colors.dim(facts)}\n\n`);
  if (info.count > SHOWN) output.write(colors.dim(`… ${info.count - SHOWN} before\n\n`));
  const marked = async function* (): AsyncIterable<Marked> {
    for await (const record of session.records({ live: true, last: SHOWN })) yield { record, isLive: true };
  };
  const style = { width: readableWidth(output), colors, times: timesFor(output), all: false, full: false };
  for await (const line of renderTranscript(marked(), style)) output.write(`${line}\n`);
  return true;
}
