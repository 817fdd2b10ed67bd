/** A model that says what a test wants: a function from the request to the events of the answer. */

import type { Model, ModelEvent, ModelRequest } from "../../src/models/model.ts";

export type Script = (
  request: ModelRequest,
  signal: AbortSignal,
) => Iterable<ModelEvent> | AsyncIterable<ModelEvent>;

const NO_USAGE = { inputTokens: undefined, outputTokens: undefined, cachedTokens: undefined };

export function scriptedModel(script: Script, name = "scripted"): Model {
  return {
    name,
    stream: async function* (request, signal) {
      yield* script(request, signal);
    },
  };
}

export function says(text: string): ModelEvent[] {
  return [
    { type: "text", text },
    { type: "finish", reason: "stop", usage: NO_USAGE },
  ];
}

export function calls(name: string, input: unknown, id = "call-1"): ModelEvent[] {
  return [
    { type: "tool-call", id, name, arguments: JSON.stringify(input) },
    { type: "finish", reason: "tool-calls", usage: NO_USAGE },
  ];
}

/** What the newest message says. */
export function lastText({ messages }: ModelRequest): string {
  const content = messages.at(-1)?.content;
  return typeof content === "string" ? content : JSON.stringify(content);
}

/** Waits until it is let go, or the call is aborted. */
export function gate(): { opened: (signal: AbortSignal) => Promise<void>; open: () => void } {
  let open!: () => void;
  const promise = new Promise<void>((resolve) => (open = resolve));
  const opened = async (signal: AbortSignal): Promise<void> =>
    await Promise.race([
      promise,
      new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      }),
    ]);
  return { opened, open: () => open() };
}
