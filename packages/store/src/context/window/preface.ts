/** How much of the summary and which pins the system message can hold. */

import type { Message } from "../../format/message.ts";
import type { Session } from "../../contract/types.ts";
import { pins } from "../pins.ts";
import { isWithin, largestThatFits, minus, NOTHING, type Size, type Sizes } from "../tokens/request-size.ts";
import { shortenMiddle } from "../shorten-middle.ts";
import { pinSection, pinsSection, summarySection } from "./system-message.ts";
import { textOf } from "../transcript.ts";
import type { LoggedMessage } from "../turns.ts";
import type { Shortened } from "../types.ts";

interface ChosenSummary {
  readonly summary: string;
  readonly shortened: readonly Shortened[];
}

/** Too long a summary is cut in the middle; where not even the mark fits, it is left out. */
export function chooseSummary(whole: string, room: Size, sizes: Sizes): ChosenSummary {
  if (whole.trim() === "") return { summary: "", shortened: [] };
  const mark = (left: number): string =>
    `\n[… ${left} characters of the summary left out to fit the context …]\n`;
  const cutTo = (limit: number): string => shortenMiddle(whole, limit, mark);
  const fits = (limit: number): boolean => isWithin(sizes.ofText(summarySection(cutTo(limit))), room);
  const limit = largestThatFits(mark(whole.length).length, whole.length, fits);
  const summary = fits(whole.length) ? whole : limit === undefined ? "" : cutTo(limit);
  if (summary === whole) return { summary, shortened: [] };
  return { summary, shortened: [{ seq: 0, what: "summary", before: whole.length, after: summary.length }] };
}

interface ChosenPins {
  readonly pins: readonly LoggedMessage[];
  readonly shortened: readonly Shortened[];
}

/** The newest come first; what does not fit beside them is left out and reported. */
export async function choosePins<M extends Message>(
  session: Session<M>,
  room: Size,
  sizes: Sizes,
): Promise<ChosenPins> {
  const all = await pins(session);
  let left = minus(room, sizes.ofText(pinsSection([])));
  const chosen: LoggedMessage[] = [];
  const shortened: Shortened[] = [];
  for (const pin of all.toReversed()) {
    const after = minus(left, sizes.ofText(`\n\n${pinSection(pin)}`));
    if (isWithin(NOTHING, after)) {
      left = after;
      chosen.push(pin);
    } else shortened.push(pinLeftOut(pin));
  }
  return { pins: chosen.reverse(), shortened };
}

export function pinLeftOut({ seq, message }: LoggedMessage): Shortened {
  return { seq, what: "pin", before: textOf(message).length, after: 0 };
}
