/**
 * Messages of the AI SDK, UI messages (with `parts`) and model messages (with `content`), also mixed.
 * `toAiSdk(fromAiSdk(messages))` is deep-equal to `messages`. docs/messages.md
 */

import type { Message } from "../format/message.ts";
import { AI_SDK_MODEL } from "./ai-sdk-model.ts";
import { AI_SDK_UI } from "./ai-sdk-ui.ts";
import { fromForeign, toForeign, type ForeignFormat } from "./foreign-format.ts";
import { foreignOf, type ConvertedMessage } from "./foreign.ts";
import type {
  WrittenAiSdkMessage,
  WrittenAiSdkModelMessage,
  WrittenAiSdkUiMessage,
} from "./written-messages.ts";

export interface AiSdkModelMessage {
  readonly role: string;
  readonly content: string | readonly object[];
}

export interface AiSdkUiMessage {
  readonly id: string;
  readonly role: string;
  readonly parts: readonly object[];
}

export type AiSdkMessage = AiSdkModelMessage | AiSdkUiMessage;

/** Throws MESSAGE_INVALID with the number of a value that is not such a message. JSON only: bytes must be base64, URLs text. */
export function fromAiSdk(messages: readonly AiSdkMessage[]): ConvertedMessage[] {
  return fromForeign((message) => ("parts" in message ? AI_SDK_UI : AI_SDK_MODEL), messages);
}

/** @param form for all messages. @default the form that each came in, and model messages for the rest */
export function toAiSdk(messages: readonly Message[], form: "ui"): WrittenAiSdkUiMessage[];
export function toAiSdk(messages: readonly Message[], form: "model"): WrittenAiSdkModelMessage[];
export function toAiSdk(messages: readonly Message[]): WrittenAiSdkMessage[];
export function toAiSdk(messages: readonly Message[], form?: "ui" | "model"): WrittenAiSdkMessage[] {
  const formats = form === undefined ? formsOf(messages) : messages.map(() => FORMATS[form]);
  return toForeign(formats, messages) as WrittenAiSdkMessage[];
}

const FORMATS = { ui: AI_SDK_UI, model: AI_SDK_MODEL };

/** A result is in a UI message only together with the answer before it. */
function formsOf(messages: readonly ConvertedMessage[]): ForeignFormat[] {
  const formats: ForeignFormat[] = [];
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const follows =
      before !== undefined && formats.at(-1) === AI_SDK_UI && AI_SDK_UI.continues(before, message);
    const isUi = foreignOf(message, "ai-sdk-ui") !== undefined && (message.role !== "tool" || follows);
    formats.push(isUi ? AI_SDK_UI : AI_SDK_MODEL);
  }
  return formats;
}
