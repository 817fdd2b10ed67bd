/**
 * The field `foreign` of a message: what another format has and ours has no field for. It is stored with the message, so it
 * is untrusted like everything on the disk: only what has the right shape is used, and never in place of the message itself.
 */

import { isJsonObject } from "../format/json.ts";
import type { Message } from "../format/message.ts";
import { withoutFields } from "./without-fields.ts";

export type Fields = Readonly<Record<string, unknown>>;

export type ForeignFormatName = "openai" | "anthropic" | "ai-sdk" | "ai-sdk-ui";

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

/** What the message keeps for this format. A value of the wrong shape, or of another format, counts as absent. */
export function foreignOf(message: ConvertedMessage, name: ForeignFormatName): Foreign | undefined {
  const given: unknown = message.foreign;
  if (!isJsonObject(given) || given["format"] !== name) return undefined;
  const { fields, joined, json, message: original } = given;
  return {
    format: name,
    ...(isJsonObject(fields) ? { fields } : {}),
    ...(typeof joined === "boolean" ? { joined } : {}),
    ...(json === true ? { json } : {}),
    ...(isJsonObject(original) ? { message: original } : {}),
  };
}

/** The kept fields, without those that the converter writes from the message itself. */
export function keptFields(
  message: ConvertedMessage,
  name: ForeignFormatName,
  written: readonly string[],
): Fields {
  return withoutFields(foreignOf(message, name)?.fields ?? {}, ...written);
}

export function marked(
  message: ConvertedMessage,
  name: ForeignFormatName,
  marks: Omit<Foreign, "format">,
): ConvertedMessage {
  return { ...message, foreign: { ...message.foreign, ...marks, format: name } };
}

/** Keeps the fields, if there are any. */
export function withFields(message: Message, name: ForeignFormatName, fields: Fields): ConvertedMessage {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.length === 0 ? message : marked(message, name, { fields: Object.fromEntries(given) });
}

/** For a message that got another neighbour: it is no longer part of the same foreign message as the one before it. */
export function withoutJoin<M extends Message>(message: M): M {
  const { foreign } = message as ConvertedMessage;
  if (!isJsonObject(foreign) || foreign.joined !== true) return message;
  return { ...message, foreign: withoutFields(foreign, "joined") };
}
