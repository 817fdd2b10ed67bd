/** A message of another program as the body of a record. Every field is kept: under our name for it, or its own. */

import { isLonghandError } from "../errors.ts";
import type { Body } from "../format/entry.ts";
import { fromLegacyMessage } from "../format/legacy-message.ts";
import { ROLES } from "../format/message.ts";
import { messageBody } from "../format/message-body.ts";
import { fromForeignTime } from "./foreign-time.ts";
import type { MigrationFormat } from "./migration-plan.ts";
import { unpackContent } from "./zeroclaw-content.ts";

type Fields = Readonly<Record<string, unknown>>;

export type ForeignMessage =
  | { readonly kind: "message"; readonly body: Body; readonly at: string | undefined }
  /** It cannot be a message here. `keepable`: it can be kept as a note, in its place among the messages. */
  | { readonly kind: "other"; readonly reason: string; readonly keepable: boolean };

const REQUIRED: readonly unknown[] = ["role", "content", undefined];

export function toForeignMessage(value: Fields, format: MigrationFormat): ForeignMessage {
  if (!ROLES.some((role) => role === value["role"])) {
    const role = value["role"] === undefined ? "no role" : `the role ${JSON.stringify(value["role"])}`;
    return { kind: "other", reason: `no message: it has ${role}`, keepable: true };
  }
  const at = fromForeignTime(value["created_at"]) ?? fromForeignTime(value["timestamp"]);
  const hasContent = value["content"] !== undefined && value["content"] !== null;
  const whole = hasContent ? value : { ...value, content: "" };
  const unpacked = format.startsWith("zeroclaw") ? unpackContent(whole) : whole;
  const { created_at: created, ...rest } = unpacked;
  const { message } = fromLegacyMessage(rest);
  try {
    return {
      kind: "message",
      body: bodyOf(created === undefined ? message : { ...message, created_at: created }),
      at,
    };
  } catch (error) {
    if (!isLonghandError(error)) throw error;
    return { kind: "other", reason: error.message, keepable: error.code !== "MESSAGE_TOO_LARGE" };
  }
}

/** A field that means something else to us, by its type, is kept under another name. */
function bodyOf(message: Fields): Body {
  try {
    return messageBody(message);
  } catch (error) {
    const field = isLonghandError(error, "MESSAGE_INVALID") ? error.detail["field"] : undefined;
    if (typeof field !== "string" || REQUIRED.includes(field) || !Object.hasOwn(message, field)) throw error;
    const { [field]: value, ...others } = message;
    return bodyOf({ ...others, [`original_${field}`]: value });
  }
}
