/**
 * Messages of the AI SDK, UI messages (with `parts`) and model messages (with `content`), also mixed.
 * `toAiSdk(fromAiSdk(messages))` is deep-equal to `messages`. docs/messages.md
 */

import type { Message } from "../record/message.ts";
import { AI_SDK_MODEL } from "./ai-sdk-model.ts";
import { AI_SDK_UI } from "./ai-sdk-ui.ts";
import { foreignOf, fromForeign, toForeign, type ConvertedMessage } from "./foreign-format.ts";

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

/** MESSAGE_INVALID names the message that is none. JSON only: bytes must be base64, URLs text. */
export function fromAiSdk(messages: readonly AiSdkMessage[]): ConvertedMessage[] {
  return fromForeign((message) => ("parts" in message ? AI_SDK_UI : AI_SDK_MODEL), messages);
}

/** @param form of all messages. @default of each the one it came in, and model messages where it came in neither */
export function toAiSdk(messages: readonly Message[], form: "ui"): AiSdkUiMessage[];
export function toAiSdk(messages: readonly Message[], form: "model"): AiSdkModelMessage[];
export function toAiSdk(messages: readonly Message[]): AiSdkMessage[];
export function toAiSdk(messages: readonly Message[], form?: "ui" | "model"): AiSdkMessage[] {
  const formatOf = (message: ConvertedMessage): typeof AI_SDK_UI => {
    if (form !== undefined) return form === "ui" ? AI_SDK_UI : AI_SDK_MODEL;
    return foreignOf(message, AI_SDK_UI) === undefined ? AI_SDK_MODEL : AI_SDK_UI;
  };
  return toForeign(formatOf, messages) as unknown as AiSdkMessage[];
}
