/**
 * A fetch for providers that read server-sent events: it reads them before the provider does, so that line ends, comments and
 * unknown events make no difference, and what is no event stream at all is said to be so instead of looking like a short answer.
 */

import { AgentError } from "../errors.ts";
import { tryParseJson } from "../parse-json.ts";
import { describeBody } from "./describe-body.ts";
import { readLines } from "./read-lines.ts";
import { rewrittenResponse } from "./rewritten-response.ts";

/** The event as the provider shall see it; `undefined`: not at all. */
export type RewriteEvent = (event: unknown) => unknown;

export function makeEventFetch(rewrite: RewriteEvent): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await globalThis.fetch(input, init);
    if (!response.ok || response.body === null) return response;
    return rewrittenResponse(response, rewriteEvents(response.body, rewrite));
  };
}

async function* rewriteEvents(
  body: ReadableStream<Uint8Array>,
  rewrite: RewriteEvent,
): AsyncGenerator<string, void, undefined> {
  let data: string[] = [];
  let other = "";
  let sawEvent = false;
  for await (const line of readLines(body)) {
    // By the specification an event that the end of the stream cuts off does not count.
    if (line.isWhole && line.text === "" && data.length > 0) {
      const text = data.join("\n");
      data = [];
      const event = rewriteData(text, rewrite);
      sawEvent = true;
      if (event !== undefined) yield `data: ${event}\n\n`;
      if (event === DONE) return;
    } else if (line.isWhole && line.text.startsWith("data:")) {
      data.push(line.text.slice(line.text.startsWith("data: ") ? 6 : 5));
    } else if (other.length < LONGEST_SAMPLE) {
      other += line.text.slice(0, LONGEST_SAMPLE);
    }
  }
  if (!sawEvent && other.trim() !== "")
    throw new AgentError("MODEL_BROKEN", `answered with ${describeBody(other)} instead of an event stream`);
}

const LONGEST_SAMPLE = 2_000;
/** What OpenAI ends an answer with; many servers do not. */
const DONE = "[DONE]";

function rewriteData(data: string, rewrite: RewriteEvent): string | undefined {
  if (data.trim() === DONE) return DONE;
  const event = tryParseJson(data);
  if (event === undefined)
    throw new AgentError("MODEL_BROKEN", `sent an event that is not JSON: ${describeBody(data)}`);
  const rewritten = rewrite(event);
  if (rewritten === undefined) return undefined;
  return rewritten === event ? data.replaceAll("\n", " ") : JSON.stringify(rewritten);
}
