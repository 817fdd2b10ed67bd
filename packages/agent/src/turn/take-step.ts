/** One step of a turn: the context, the model's answer, and that answer as one durable message. */

import type { Message } from "@longhand/store";
import { buildContext, standardEstimator, type Context } from "@longhand/store/context";
import { isAgentError } from "../errors.ts";
import { untilAborted } from "../kernel/until-aborted.ts";
import { askWithRetries } from "./ask-with-retries.ts";
import { compactTurn } from "./compact-turn.ts";
import { countUsage, requestTokens, type CountedUsage } from "./count-usage.ts";
import { parseArguments } from "./parse-arguments.ts";
import { saysSomething } from "./says-something.ts";
import type { StepCall } from "./step-call.ts";
import type { AskedCall, StreamedAnswer } from "./stream-answer.ts";
import type { TurnInHand } from "./turn-in-hand.ts";
import { turnRequest, type TurnRequest } from "./turn-request.ts";

/** The calls that the model wants, none if it has answered. Too much for the model: compacts once, and asks again. */
export async function takeStep(turn: TurnInHand): Promise<readonly StepCall[]> {
  try {
    return await answerOnce(turn);
  } catch (error) {
    if (!isAgentError(error, "MODEL_OVERFLOW") || turn.partial?.wasShown === true) throw error;
    if (!(await compactOnce(turn))) throw error;
    return await answerOnce(turn);
  }
}

async function answerOnce(turn: TurnInHand): Promise<readonly StepCall[]> {
  const { model, maxContextTokens, maxAnswerTokens } = turn.settings;
  const request = await requestOf(turn);
  const context = await requestContext(turn, request);
  const correction = await turn.correction();
  const { messages } = context;
  const { tools } = request;
  const answer = await askWithRetries(turn, {
    messages,
    tools,
    contextTokens: maxContextTokens,
    maxTokens: maxAnswerTokens,
  });
  const { text, reasoning } = turn.partial ?? { text: "", reasoning: "" };
  const usage = countUsage(answer.usage, context.usage, { text, reasoning, calls: answer.calls });
  const calls = answer.calls.map((call) => stepCall(turn, call));
  // An estimate of ours teaches nothing about the provider's; and it is the request before any correction that is compared.
  const estimated = requestTokens(context.usage) / correction;
  if (usage.estimated !== true) turn.counted = { model: model.name, estimated, usage };
  const message = answerMessage(turn, { text, reasoning }, calls, answer, usage);
  await keepAnswer(turn, message);
  turn.partial = undefined;
  for (const call of calls) turn.openCalls.set(call.id, call);
  if (saysSomething(text)) turn.text = text;
  turn.freeTokens = freeBehind(context, message, correction);
  tellUsage(turn, usage);
  return calls;
}

/** What the next request has left if nothing else is added. */
function freeBehind({ usage, omitted }: Context, answer: Message, correction: number): number | undefined {
  if ((omitted?.unfit ?? 0) > 0) return undefined;
  return usage.free - Math.ceil(standardEstimator.tokensOfMessage(answer) * correction);
}

/** The last answer of a turn together with its end, unless something was said meanwhile that is to be heard behind it. */
async function keepAnswer(turn: TurnInHand, message: Message): Promise<void> {
  if (message.toolCalls !== undefined || turn.running.steering.size > 0) {
    await turn.append(message);
    return;
  }
  // Before the answer, since nothing follows the end of a turn.
  await turn.keepCounted();
  await turn.appendLast(message);
}

async function requestOf({ settings, about, signal }: TurnInHand): Promise<TurnRequest> {
  return turnRequest(settings, await untilAborted(settings.system(about), signal));
}

function stepCall(turn: TurnInHand, call: AskedCall): StepCall {
  // Where there is nothing to say, some models say nothing.
  const text = saysSomething(call.arguments) ? call.arguments : "{}";
  const id = turn.callIds.uniqueFor(call.id);
  return { id, givenId: call.id, name: call.name, input: parseArguments(text), text, refusal: call.refusal };
}

function answerMessage(
  { settings }: TurnInHand,
  { text, reasoning }: { readonly text: string; readonly reasoning: string },
  calls: readonly StepCall[],
  { reason }: StreamedAnswer,
  usage: CountedUsage,
): Message {
  const toolCalls = calls.map(({ id, name, input, text: written }) => ({
    id,
    name,
    arguments: input === undefined ? written : input,
  }));
  return {
    role: "assistant",
    content: text,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(reasoning === "" ? {} : { reasoning }),
    model: settings.model.name,
    usage,
    stopReason: reason,
  };
}

function tellUsage(turn: TurnInHand, usage: CountedUsage): void {
  const { inputTokens, outputTokens, cachedTokens } = usage;
  turn.emit({
    type: "usage",
    inputTokens,
    outputTokens,
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
    estimated: usage.estimated === true,
  });
}

/** A provider has refused the request as too long. */
async function compactOnce(turn: TurnInHand): Promise<boolean> {
  if (turn.wasCompacted) return false;
  turn.wasCompacted = true;
  const { system, tools, reserve } = await requestOf(turn);
  return await compactTurn(turn, { system, tools, reserve, force: true });
}

/** What is sent. Turns that would be neither shown nor summarised are compacted first. */
async function requestContext(turn: TurnInHand, request: TurnRequest): Promise<Context> {
  const { session, signal, settings } = turn;
  const build = async (): Promise<Context> => await untilAborted(buildContext(session, request), signal);
  const context = await build();
  const isTooLong = ((await session.state())?.count ?? 0) > settings.maxHistoryMessages;
  const isUnfit = (context.omitted?.unfit ?? 0) > 0;
  if (!turn.mayCompact || (!isUnfit && !isTooLong)) return context;
  const { system, tools, reserve } = request;
  turn.mayCompact = await compactTurn(turn, { system, tools, reserve });
  return await build();
}
