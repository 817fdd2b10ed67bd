/** One step of a turn: the context, the model's answer, and that answer as one durable message. */

import type { Message } from "@longhand/store";
import { buildContext, compactSession, correctionOf, type Compaction } from "@longhand/store/context";
import { isAgentError } from "../errors.ts";
import { pause } from "../kernel/pause.ts";
import { untilAborted } from "../kernel/until-aborted.ts";
import { askModelOf } from "../models/ask-model.ts";
import { askWithRetries } from "./ask-with-retries.ts";
import { countUsage, requestTokens, type CountedUsage } from "./count-usage.ts";
import { parseArguments } from "./parse-arguments.ts";
import { saysSomething } from "./says-something.ts";
import type { StepCall } from "./step-call.ts";
import type { AskedCall, StreamedAnswer } from "./stream-answer.ts";
import type { TurnInHand } from "./turn-in-hand.ts";

/** Milliseconds; as often as this makes the two minutes that a compaction may take. */
const LOOK_AGAIN = 250;
const MOST_LOOKS = 480;

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
  const { session, settings, signal } = turn;
  const { model, maxContextTokens, maxAnswerTokens } = settings;
  const tools = settings.tools.map(({ schema }) => schema);
  const system = await untilAborted(settings.system(turn.about), signal);
  const options = { system, tools, maxTokens: maxContextTokens, reserve: maxAnswerTokens, model: model.name };
  const context = await untilAborted(buildContext(session, options), signal);
  const correction = await correctionOf(session, model.name);
  const { messages } = context;
  const request = { messages, tools, contextTokens: maxContextTokens, maxTokens: maxAnswerTokens };
  const answer = await askWithRetries(turn, request);
  const { text, reasoning } = turn.partial ?? { text: "", reasoning: "" };
  const usage = countUsage(answer.usage, context.usage, { text, reasoning, calls: answer.calls });
  const calls = answer.calls.map((call) => stepCall(turn, call));
  await turn.append(answerMessage(turn, { text, reasoning }, calls, answer, usage));
  turn.partial = undefined;
  for (const call of calls) turn.openCalls.set(call.id, call);
  if (saysSomething(text)) turn.text = text;
  tellUsage(turn, usage);
  // An estimate of ours teaches nothing about the provider's; and it is the request before any correction that is compared.
  const estimated = requestTokens(context.usage) / correction;
  if (usage.estimated !== true) turn.counted = { model: model.name, estimated, usage };
  return calls;
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

async function compactOnce(turn: TurnInHand): Promise<boolean> {
  if (turn.wasCompacted) return false;
  turn.wasCompacted = true;
  const { model, maxContextTokens } = turn.settings;
  const compact = async (): Promise<Compaction> =>
    await compactSession(turn.session, {
      ...(model.canSummarise === false
        ? {}
        : { ask: askModelOf(model, { contextTokens: maxContextTokens }) }),
      force: true,
      maxContextTokens,
      model: model.name,
      signal: turn.signal,
    });
  let compaction = await compact();
  // It is being compacted in the background: what comes of that is what is wanted here.
  for (let look = 0; look < MOST_LOOKS && !compaction.done && compaction.reason === "busy"; look++) {
    await pause(LOOK_AGAIN, turn.signal);
    compaction = await compact();
  }
  // Somebody else has cut the view meanwhile: there is less to send, too.
  if (!compaction.done) return compaction.reason === "changed-meanwhile";
  turn.seq = Math.max(turn.seq, compaction.seq);
  turn.emit({ type: "compaction", seq: compaction.seq, messages: compaction.messages });
  return true;
}
