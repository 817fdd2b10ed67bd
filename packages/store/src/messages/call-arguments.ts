/** Arguments of a call between JSON text and a value, without losing how the text was written. */

import { tryParseJson } from "../format/json.ts";
import type { ToolCall } from "../format/message.ts";
import { numbersSurvive } from "../format/numbers-survive.ts";
import { sameJson } from "./same-json.ts";

/** A call whose arguments were written in another way than JSON.stringify does. */
export interface CallWithText extends ToolCall {
  readonly argumentsText?: string;
}

/** Text that is no JSON object or array, or has a number that a JavaScript number cannot hold, stays text. */
export function fromArgumentsText(text: string): Pick<CallWithText, "arguments" | "argumentsText"> {
  const value = numbersSurvive(text) ? tryParseJson(text) : undefined;
  if (typeof value !== "object" || value === null) return { arguments: text };
  return { arguments: value, ...(JSON.stringify(value) === text ? {} : { argumentsText: text }) };
}

export function toArgumentsText({ arguments: given, argumentsText }: CallWithText): string {
  if (typeof given === "string") return given;
  const isCurrent = typeof argumentsText === "string" && sameJson(tryParseJson(argumentsText), given);
  return isCurrent ? argumentsText : JSON.stringify(given ?? {});
}
