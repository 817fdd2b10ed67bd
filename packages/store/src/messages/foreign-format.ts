/**
 * Converts messages of another format to ours and back without loss. A format says how one of its messages is split into
 * ours and how ours are joined again; what joining would not give back exactly is kept in the field `foreign`.
 */

import { isLonghandError, LonghandError } from "../errors.ts";
import { isJsonObject } from "../format/json.ts";
import type { Message } from "../format/message.ts";
import { foreignOf, marked, type ConvertedMessage, type Fields, type ForeignFormatName } from "./foreign.ts";
import { sameJson } from "./same-json.ts";
import { withoutFields } from "./without-fields.ts";

/** The name of each call so far, by its id: a result of another format does not have it. */
export type CallNames = ReadonlyMap<string, string>;

export interface ForeignFormat {
  readonly name: ForeignFormatName;
  /** At least one. Throws MESSAGE_INVALID if it is not a message of the format. */
  split(message: Fields): readonly ConvertedMessage[];
  /** Messages of ours that are one of theirs: every one of the group is in it. */
  join(group: readonly ConvertedMessage[], index: number, names: CallNames): Fields;
  /**
   * Whether two neighbours belong to one message. `joined`: what `foreign` says; it counts only between messages that can
   * share one without a change of their roles.
   */
  continues(before: Message, after: Message, joined?: boolean): boolean;
}

export function fromForeign(
  formatOf: (message: Fields) => ForeignFormat,
  messages: readonly unknown[],
): ConvertedMessage[] {
  const converted: ConvertedMessage[] = [];
  for (const [index, message] of messages.entries()) {
    if (!isJsonObject(message)) throw notAMessage("it is no object", index);
    const format = formatOf(message);
    const group = withJoined(format, splitAt(format, message, index), converted.at(-1));
    const isExact = sameJson(
      toForeign(
        group.map(() => format),
        group,
      ),
      [message],
    );
    const [first, ...others] = group;
    if (first === undefined) continue;
    converted.push(isExact ? first : marked(first, format.name, { message }), ...others);
  }
  return converted;
}

/** `formats`: one for each message. */
export function toForeign(
  formats: readonly ForeignFormat[],
  messages: readonly ConvertedMessage[],
): Fields[] {
  const sent: Fields[] = [];
  const names = new Map<string, string>();
  let at = 0;
  for (;;) {
    const [first, format] = [messages[at], formats[at]];
    if (first === undefined || format === undefined) return sent;
    const continuesAt = (index: number): boolean => {
      const [before, after] = [messages[index - 1], messages[index]];
      if (before === undefined || after === undefined || formats[index] !== format) return false;
      return format.continues(before, after, foreignOf(after, format.name)?.joined);
    };
    const original = originalOf(format, first);
    const end = at + (original?.parts.length ?? 0);
    const group = messages.slice(at, end);
    const isCurrent =
      original !== undefined &&
      sameJson(original.parts.map(bare), group.map(bare)) &&
      formats.slice(at, end).every((each) => each === format) &&
      !continuesAt(end);
    const start = at;
    if (isCurrent) at = end;
    else
      do at += 1;
      while (continuesAt(at));
    const joined = messages.slice(start, at);
    for (const { toolCalls = [] } of joined) for (const { id, name } of toolCalls) names.set(id, name);
    sent.push(isCurrent ? original.message : format.join(joined, sent.length, names));
  }
}

export function notAMessage(problem: string, index?: number): LonghandError {
  const which = index === undefined ? "the message" : `message ${index + 1}`;
  return new LonghandError("MESSAGE_INVALID", `${which} cannot be converted: ${problem}`, { index });
}

function splitAt(format: ForeignFormat, message: Fields, index: number): readonly ConvertedMessage[] {
  try {
    return format.split(message);
  } catch (error) {
    if (!(error instanceof LonghandError) || error.detail["index"] !== undefined) throw error;
    throw new LonghandError(error.code, error.message.replace("the message", `message ${index + 1}`), {
      index,
    });
  }
}

function withJoined(
  format: ForeignFormat,
  group: readonly ConvertedMessage[],
  before: ConvertedMessage | undefined,
): ConvertedMessage[] {
  return group.map((message, index) => {
    const neighbour = index === 0 ? before : group[index - 1];
    const joined = index > 0;
    const byItself = neighbour !== undefined && format.continues(neighbour, message);
    return joined === byItself ? message : marked(message, format.name, { joined });
  });
}

/** The kept message and what it was split into. One that is not a message of the format counts as absent. */
function originalOf(
  format: ForeignFormat,
  first: ConvertedMessage,
): { readonly message: Fields; readonly parts: readonly ConvertedMessage[] } | undefined {
  const message = foreignOf(first, format.name)?.message;
  if (message === undefined) return undefined;
  try {
    return { message, parts: format.split(message) };
  } catch (error) {
    if (isLonghandError(error, "MESSAGE_INVALID")) return undefined;
    throw error;
  }
}

function bare(message: ConvertedMessage): Message {
  return withoutFields(message, "foreign");
}
