/**
 * Converts messages of another format to ours and back without loss. A format says how one of its messages is split into
 * ours and how ours are joined again; what joining would not give back exactly is kept in the field `foreign`.
 */

import { LonghandError } from "../errors.ts";
import { isJsonObject } from "../record/json.ts";
import type { Message } from "../record/message.ts";
import { sameJson } from "./same-json.ts";
import { withoutFields } from "./without-fields.ts";

export type Fields = Readonly<Record<string, unknown>>;

export type ForeignFormatName = "openai" | "anthropic" | "ai-sdk" | "ai-sdk-ui";

/** What the other format has and our message has no field for. */
export interface Foreign {
  readonly format: ForeignFormatName;
  /** Fields of the message, or of the tool result, that are given back as they were. */
  readonly fields?: Fields;
  /** Part of the same foreign message as the message before it. @default what the format does by itself */
  readonly joined?: boolean;
  /** The content is the JSON text of a value. */
  readonly json?: true;
  /** The whole message as it was, where nothing less gives it back. */
  readonly message?: Fields;
}

/** A message of ours that came from another format. */
export interface ConvertedMessage extends Message {
  readonly foreign?: Foreign;
}

export interface ForeignFormat {
  readonly name: ForeignFormatName;
  /** At least one. Throws MESSAGE_INVALID where it is no message of the format. */
  split(message: Fields): readonly ConvertedMessage[];
  /** Messages of ours that are one of theirs. */
  join(group: readonly ConvertedMessage[], index: number): Fields;
  /** Whether two neighbours belong to one message if nothing says otherwise. */
  continues(before: Message, after: Message): boolean;
}

export function fromForeign(
  formatOf: (message: Fields) => ForeignFormat,
  messages: readonly unknown[],
): ConvertedMessage[] {
  const converted: ConvertedMessage[] = [];
  for (const [index, message] of messages.entries()) {
    if (!isJsonObject(message)) throw notAMessage("it is no object", index);
    const format = formatOf(message);
    const before = converted.at(-1);
    const group = withJoined(format, splitAt(format, message, index), before);
    const isExact = sameJson(format.join(group, index), message);
    const [first, ...others] = group;
    if (first === undefined) continue;
    converted.push(isExact ? first : marked(first, format, { message }), ...others);
  }
  return converted;
}

export function toForeign(
  formatOf: (message: ConvertedMessage) => ForeignFormat,
  messages: readonly ConvertedMessage[],
): Fields[] {
  const groups: { readonly format: ForeignFormat; readonly group: ConvertedMessage[] }[] = [];
  for (const message of messages) {
    const format = formatOf(message);
    const last = groups.at(-1);
    const before = last?.group.at(-1);
    const isJoined =
      last?.format === format &&
      before !== undefined &&
      (foreignOf(message, format)?.joined ?? format.continues(before, message));
    if (isJoined) last.group.push(message);
    else groups.push({ format, group: [message] });
  }
  return groups.map(({ format, group }, index) => originalOf(format, group) ?? format.join(group, index));
}

/** What the message keeps for this format; another format's is of no use here. */
export function foreignOf(
  message: ConvertedMessage,
  { name }: Pick<ForeignFormat, "name">,
): Foreign | undefined {
  const { foreign } = message;
  return isJsonObject(foreign) && foreign.format === name ? foreign : undefined;
}

export function marked(
  message: ConvertedMessage,
  { name }: Pick<ForeignFormat, "name">,
  marks: Omit<Foreign, "format">,
): ConvertedMessage {
  return { ...message, foreign: { ...message.foreign, ...marks, format: name } };
}

/** Only where there are any. */
export function withFields(
  message: Message,
  format: Pick<ForeignFormat, "name">,
  fields: Fields,
): ConvertedMessage {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.length === 0 ? message : marked(message, format, { fields: Object.fromEntries(given) });
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
    return joined === byItself ? message : marked(message, format, { joined });
  });
}

/** The message as it was, unless it was changed since. */
function originalOf(format: ForeignFormat, group: readonly ConvertedMessage[]): Fields | undefined {
  const [first] = group;
  const original = first === undefined ? undefined : foreignOf(first, format)?.message;
  if (original === undefined) return undefined;
  return sameJson(format.split(original).map(bare), group.map(bare)) ? original : undefined;
}

function bare(message: ConvertedMessage): Message {
  return withoutFields(message, "foreign");
}
