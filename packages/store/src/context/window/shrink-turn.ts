/**
 * Makes the current turn fit where it alone is too long. In this order, each no further than needed: results of tools
 * are cut in the middle, the longest first; media become marks; reasoning goes; older steps go, with a mark in their
 * place; at last every text is cut, and what is left of the steps goes. What was said last stays longest.
 */

import type { ContentPart, Message } from "../../format/message.ts";
import { isTextPart } from "../message-content.ts";
import type { SkippedSteps } from "./read-turns.ts";
import { fitTogether, isWithin, largestThatFits, type Size, type Sizes } from "../tokens/request-size.ts";
import { mediaMark, place, shortenMessage, type ShorteningPlan } from "./shorten-message.ts";
import type { LoggedMessage } from "../turns.ts";
import type { Shortened } from "../types.ts";

const LEAST_RESULT = 300;
const LEAST_TEXT = 60;

export interface ShrunkTurn<M extends Message> {
  readonly messages: readonly LoggedMessage<M>[];
  readonly shortened: readonly Shortened[];
  /** Messages of the log that are not shown. */
  readonly omitted: number;
}

export interface TurnToShrink<M extends Message> {
  /** Repaired, without system messages; the first is the user's. */
  readonly messages: readonly LoggedMessage<M>[];
  readonly skipped: SkippedSteps | undefined;
  readonly key: string;
}

interface Plan extends ShorteningPlan {
  readonly stepsOut: number;
}

/** `undefined`: the room is too small for anything. */
export function shrinkTurn<M extends Message>(
  turn: TurnToShrink<M>,
  room: Size,
  sizes: Sizes,
): ShrunkTurn<M> | undefined {
  const steps = stepsOf(turn.messages.slice(1));
  const media = biggestMedia(turn.messages, turn.key, room, sizes);
  const longest = Math.max(...turn.messages.map(({ message }) => JSON.stringify(message).length));
  const carriedOut = (plan: Plan): ShrunkTurn<M> => carryOut(turn, steps, plan);
  const fits = (plan: Plan): boolean =>
    fitTogether(
      carriedOut(plan).messages.map(({ message }) => message),
      room,
      sizes,
    );
  const largest = (least: number, most: number, planFor: (value: number) => Plan): Plan | undefined => {
    const found = largestThatFits(least, most, (value) => fits(planFor(value)));
    return found === undefined ? undefined : planFor(found);
  };

  const gentle = { ...UNCHANGED, resultLimit: LEAST_RESULT };
  const withoutMedia = (kept: number): Plan => ({
    ...gentle,
    mediaOut: new Set(media.slice(0, media.length - kept)),
  });
  const withoutReasoning: Plan = { ...withoutMedia(0), reasoningOut: true };
  // With all of them kept, only the reasoning goes.
  const lastSteps = (kept: number): Plan => ({ ...withoutReasoning, stepsOut: steps.length - kept });
  const found = largest(0, media.length, withoutMedia) ?? largest(1, steps.length, lastSteps);
  if (found !== undefined) {
    return carriedOut(largest(LEAST_RESULT, longest, (resultLimit) => ({ ...found, resultLimit })) ?? found);
  }
  const cut =
    largest(LEAST_TEXT, longest, (textLimit) => ({ ...lastSteps(Math.min(1, steps.length)), textLimit })) ??
    largest(LEAST_TEXT, longest, (textLimit) => ({ ...lastSteps(0), textLimit, isBare: true }));
  return cut === undefined ? undefined : carriedOut(cut);
}

const UNCHANGED: Plan = {
  resultLimit: Infinity,
  textLimit: Infinity,
  mediaOut: new Set(),
  reasoningOut: false,
  isBare: false,
  stepsOut: 0,
};

function carryOut<M extends Message>(
  { messages: [question], skipped, key }: TurnToShrink<M>,
  steps: readonly (readonly LoggedMessage<M>[])[],
  plan: Plan,
): ShrunkTurn<M> {
  if (question === undefined) return { messages: [], shortened: [], omitted: 0 };
  const out = steps.slice(0, plan.stepsOut).flat();
  const kept = [question, ...steps.slice(plan.stepsOut).flat()].map((logged) =>
    shortenMessage(logged, key, plan),
  );
  const [first, ...others] = kept.map(({ logged }) => logged);
  const shortened = kept.flatMap((each) => each.shortened);
  // A message of ours has the seq of another: what is counted are messages of the log.
  const omitted = new Set(out.map(({ seq }) => seq)).size + (skipped?.messages ?? 0);
  if (first === undefined || omitted === 0)
    return { messages: kept.map(({ logged }) => logged), shortened, omitted };
  const from = skipped?.firstSeq ?? Math.min(...out.map(({ seq }) => seq));
  const to = Math.max(skipped?.lastSeq ?? 0, ...out.map(({ seq }) => seq));
  const mark = { seq: question.seq, message: stepsMark<M>(omitted, from, to, key) };
  const missing: Shortened = { seq: from, what: "steps", before: omitted, after: 0 };
  return { messages: [first, mark, ...others], shortened: [missing, ...shortened], omitted };
}

/** With the role of a user, since the model must not take it for words of its own; it says that the user did not write it. */
function stepsMark<M extends Message>(omitted: number, from: number, to: number, key: string): M {
  const content = `[not said by anyone: ${omitted} messages of this turn left out here to fit the context; they are among messages ${from} to ${to} of session ${JSON.stringify(key)}]`;
  const message: Message = { role: "user", content };
  return message as M;
}

/** An answer with the results of its calls. */
function stepsOf<M extends Message>(messages: readonly LoggedMessage<M>[]): LoggedMessage<M>[][] {
  const steps: LoggedMessage<M>[][] = [];
  for (const logged of messages) {
    const last = steps.at(-1);
    if (last === undefined || logged.message.role === "assistant") steps.push([logged]);
    else last.push(logged);
  }
  return steps;
}

/** Everything that is not text, if a mark for it takes less; what takes the greatest share of a budget comes first. */
function biggestMedia(
  messages: readonly LoggedMessage[],
  key: string,
  room: Size,
  sizes: Sizes,
): ContentPart[] {
  const found: { readonly part: ContentPart; readonly share: number }[] = [];
  for (const { seq, message } of messages) {
    const parts = typeof message.content === "string" ? [] : message.content;
    for (const part of parts.filter((each) => !isTextPart(each))) {
      const size = sizes.ofMessage({ role: message.role, content: [part] });
      const mark = { type: "text", text: mediaMark(part, place(key, seq)) };
      const isMore = !isWithin(size, sizes.ofMessage({ role: message.role, content: [mark] }));
      const share = Math.max(size.tokens / room.tokens, size.bytes / room.bytes);
      if (isMore) found.push({ part, share });
    }
  }
  return found.sort((one, other) => other.share - one.share).map(({ part }) => part);
}
