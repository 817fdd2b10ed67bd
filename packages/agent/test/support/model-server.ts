/**
 * A model server on loopback that follows a script: what ollama-server.ts, openai-server.ts and anthropic-server.ts have in
 * common. Each request takes the next entry of the script (or what a function makes of the request); an entry is an answer, put
 * into the wire format by the server, or a body sent as it is. Both can be sent in small pieces and stopped after some bytes.
 * A request beyond the end of the script gets status 501, so that a test which asks too often fails instead of hanging.
 *
 *   const server = await startOpenaiServer([{ text: "Hello" }, { status: 429, headers: { "retry-after": "2" }, body: "{}" }]);
 *   const server = await startOllamaServer((request, index) => ({ text: `answer ${index}` }));
 *   await server.close();   // always, in afterEach: it ends connections that hang
 */

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ScriptedCall {
  /** @default the server's way of making one; with Ollama none is sent */
  readonly id?: string;
  readonly name: string;
  /** An object, or the JSON text as a model might have written it (with Ollama an object only). */
  readonly arguments: unknown;
}

/** `then`: end the answer cleanly, tear the connection, stay silent until closed, or go on when the promise resolves. */
export interface Stop {
  readonly afterBytes: number;
  readonly then: "end" | "destroy" | "stall" | Promise<void>;
}

export interface Sending {
  /** Bytes of each write; between two the event loop turns once. @default all at once */
  readonly piece?: number;
  readonly stop?: Stop;
}

export interface ScriptedAnswer extends Sending {
  /** Several strings are several events. */
  readonly text?: string | readonly string[];
  readonly reasoning?: string;
  readonly calls?: readonly ScriptedCall[];
  /** @default "tool-calls" where there are calls, else "stop" */
  readonly finish?: "stop" | "tool-calls" | "length";
  /** `null`: the answer says nothing about it. @default 10 in, 5 out */
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number } | null;
}

export interface ScriptedBody extends Sending {
  /** @default 200 */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export type Scripted = ScriptedAnswer | ScriptedBody;

export type Script =
  readonly Scripted[] | ((request: RecordedRequest, index: number) => Scripted | Promise<Scripted>);

export interface RecordedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As JSON; `undefined`: there was none. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

export interface ModelServer {
  /** Without a slash at the end. */
  readonly url: string;
  /** Those that took an entry of the script, oldest first. */
  readonly requests: readonly RecordedRequest[];
  close(): Promise<void>;
}

export interface WireFormat {
  readonly contentType: string;
  /** The whole answer as its bytes would be on the wire. */
  encode(answer: ScriptedAnswer, request: RecordedRequest): string;
  /** Requests that take nothing of the script. */
  side?(request: RecordedRequest): ScriptedBody | undefined;
}

export async function startModelServer(format: WireFormat, script: Script): Promise<ModelServer> {
  const requests: RecordedRequest[] = [];
  const entryFor = async (request: RecordedRequest): Promise<ScriptedBody> => {
    const side = format.side?.(request);
    if (side !== undefined) return side;
    const index = requests.push(request) - 1;
    const entry = typeof script === "function" ? await script(request, index) : script[index];
    if (entry === undefined) return { status: 501, body: "the script has no answer to this request" };
    if ("body" in entry) return entry;
    const headers = { "content-type": format.contentType };
    return { ...entry, headers, body: format.encode(entry, request) };
  };
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    await send(outgoing, await entryFor(await record(incoming)));
  };
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch((error: unknown) => outgoing.destroy(error as Error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function record(incoming: IncomingMessage): Promise<RecordedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const body = text === "" ? undefined : (JSON.parse(text) as Record<string, unknown>);
  return { path: incoming.url ?? "", headers: incoming.headers, body };
}

async function send(outgoing: ServerResponse, entry: ScriptedBody): Promise<void> {
  const bytes = Buffer.from(typeof entry.body === "string" ? Buffer.from(entry.body) : entry.body);
  outgoing.writeHead(entry.status ?? 200, { "content-type": "application/json", ...entry.headers });
  const { stop } = entry;
  await sendPieces(outgoing, bytes.subarray(0, stop?.afterBytes), entry.piece);
  if (stop?.then === "stall") return;
  if (stop?.then === "destroy") {
    // A socket that is destroyed at once takes with it what was written but not yet sent.
    await new Promise((resolve) => setTimeout(resolve, 20));
    outgoing.destroy();
    return;
  }
  if (stop !== undefined && stop.then !== "end") {
    await stop.then;
    await sendPieces(outgoing, bytes.subarray(stop.afterBytes), entry.piece);
  }
  outgoing.end();
}

async function sendPieces(outgoing: ServerResponse, bytes: Buffer, piece = bytes.length): Promise<void> {
  outgoing.flushHeaders();
  for (let start = 0; start < bytes.length; start += piece) {
    if (outgoing.destroyed) return;
    if (!outgoing.write(bytes.subarray(start, start + piece)))
      await Promise.race([once(outgoing, "drain"), once(outgoing, "close")]);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export function textPieces(answer: ScriptedAnswer): readonly string[] {
  if (answer.text === undefined) return [];
  return typeof answer.text === "string" ? [answer.text] : answer.text;
}

export function argumentsText(call: ScriptedCall): string {
  return typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);
}

export function finishOf(answer: ScriptedAnswer): "stop" | "tool-calls" | "length" {
  return answer.finish ?? ((answer.calls ?? []).length > 0 ? "tool-calls" : "stop");
}

export const STANDARD_USAGE = { input: 10, output: 5 } as const;
