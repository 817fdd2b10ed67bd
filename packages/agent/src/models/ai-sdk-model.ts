/**
 * Owns the way from a language model of the AI SDK to ours: one call of doStream for each answer, no retries, no steps. Calls of
 * tools are held back until the answer has come to its end, so that nothing of an answer that was cut off is ever run.
 */

import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  SharedV3ProviderOptions,
} from "@ai-sdk/provider";
import type { ToolSchema } from "@longhand/store/context";
import { AgentError } from "../errors.ts";
import { abortReason } from "../kernel/abort-reason.ts";
import { untilAborted } from "../kernel/until-aborted.ts";
import { messageIn } from "./describe-body.ts";
import { HeldCalls } from "./held-calls.ts";
import { cutOff, modelError, type FailedCall, type Remedies } from "./model-error.ts";
import type { FinishReason, Model, ModelEvent, ModelRequest } from "./model.ts";
import { reportedUsage } from "./reported-usage.ts";
import { toPrompt, type CanRead } from "./to-prompt.ts";

export interface AiSdkSettings {
  readonly name: string;
  /** Asked for each answer; the first time it may import the provider. */
  readonly load: (request: ModelRequest, signal: AbortSignal) => Promise<LanguageModelV3>;
  readonly providerOptions: (request: ModelRequest) => SharedV3ProviderOptions | undefined;
  readonly canRead: CanRead;
  readonly remedies: Remedies;
  readonly redact: (text: string) => string;
  readonly check?: NonNullable<Model["check"]>;
}

export function aiSdkModel(settings: AiSdkSettings): Model {
  const { name, check } = settings;
  const stream: Model["stream"] = (request, signal) => streamAnswer(settings, request, signal);
  return { name, stream, ...(check === undefined ? {} : { check }) };
}

async function* streamAnswer(
  settings: AiSdkSettings,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, void, undefined> {
  // Ends the connection also where the consumer just stops reading.
  const connection = new AbortController();
  const onAbort = (): void => connection.abort(abortReason(signal));
  signal.addEventListener("abort", onAbort, { once: true });
  const call = { ...settings, hasBegun: false };
  try {
    if (signal.aborted) throw abortReason(signal);
    const model = await untilAborted(settings.load(request, connection.signal), signal);
    const options = callOptions(settings, request, connection.signal);
    const { stream, response } = await untilAborted(model.doStream(options), signal);
    if (/^\s*text\/html/i.test(response?.headers?.["content-type"] ?? ""))
      throw new AgentError("MODEL_BROKEN", "answered with a web page; is the address of the server right?");
    call.hasBegun = true;
    yield* eventsOf(stream, signal, call);
  } catch (error) {
    throw signal.aborted ? abortReason(signal) : modelError(error, call);
  } finally {
    signal.removeEventListener("abort", onAbort);
    connection.abort();
  }
}

function callOptions(
  settings: AiSdkSettings,
  request: ModelRequest,
  abortSignal: AbortSignal,
): LanguageModelV3CallOptions {
  const providerOptions = settings.providerOptions(request);
  return {
    prompt: toPrompt(request.messages, settings.canRead),
    maxOutputTokens: request.maxTokens,
    abortSignal,
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(toolOf) }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
  };
}

type FunctionTool = Extract<NonNullable<LanguageModelV3CallOptions["tools"]>[number], { type: "function" }>;

function toolOf(tool: ToolSchema): FunctionTool {
  const inputSchema = (tool.parameters ?? { type: "object", properties: {} }) as FunctionTool["inputSchema"];
  const description = tool.description === undefined ? {} : { description: tool.description };
  return { type: "function", name: tool.name, inputSchema, ...description };
}

async function* eventsOf(
  stream: ReadableStream<LanguageModelV3StreamPart>,
  signal: AbortSignal,
  call: FailedCall,
): AsyncGenerator<ModelEvent, void, undefined> {
  const reader = stream.getReader();
  const calls = new HeldCalls();
  let saidSomething = false;
  try {
    for (;;) {
      const next = await untilAborted(reader.read(), signal);
      if (next.done) throw cutOff(call, "its stream ended without saying that it was done");
      const part = next.value;
      if (part.type === "error") throw asError(part.error);
      if (part.type === "tool-call") calls.hold(part);
      const event = shown(part);
      if (event !== undefined) yield event;
      saidSomething ||= event !== undefined;
      if (part.type !== "finish") continue;
      const reason = reasonOf(part.finishReason, call);
      const whole = calls.release(reason);
      yield* whole;
      const usage = reportedUsage(part.usage, saidSomething || whole.length > 0);
      yield { type: "finish", reason: reason === "stop" && whole.length > 0 ? "tool-calls" : reason, usage };
      return;
    }
  } finally {
    // The answer is over for us; that a connection did not end cleanly changes nothing about it.
    reader.cancel().catch(() => {});
  }
}

/** Empty text is a sign of life: arguments of a tool are being written, and nothing of them is told yet. */
function shown(part: LanguageModelV3StreamPart): ModelEvent | undefined {
  if (part.type === "text-delta") return part.delta === "" ? undefined : { type: "text", text: part.delta };
  if (part.type === "reasoning-delta")
    return part.delta === "" ? undefined : { type: "reasoning", text: part.delta };
  return part.type === "tool-input-delta" || part.type === "raw" ? { type: "text", text: "" } : undefined;
}

function reasonOf(reason: LanguageModelV3FinishReason, call: FailedCall): FinishReason {
  if (reason.unified === "error") throw cutOff(call, "the server gave up");
  // Providers also finish where the bytes ended; only what the server said about it tells the two apart.
  if (reason.unified === "other" && reason.raw === undefined)
    throw cutOff(call, "its stream ended without a reason");
  return reason.unified;
}

/** Errors inside a stream are whatever the server sent. */
function asError(error: unknown): unknown {
  return error instanceof Error ? error : new Error(messageIn(error) ?? "", { cause: error });
}
