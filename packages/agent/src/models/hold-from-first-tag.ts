/**
 * Holds back what a model writes from the first `<tool_call>` on, until it has finished: the parser behind it reads everything
 * again with each piece, which takes minutes for a long call that comes in thousands of them. Code fences around a call go.
 */

import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { withArgumentsRenamed } from "./prompted-arguments.ts";

const TAG = "<tool_call>";
/** The beginning of a fence, or of a tag, with which a piece may end. */
const OPEN_END = /(?:`{1,3}[a-z_]*\s*)?(?:<[a-z_]{0,9})?$/;
const FENCE_BEFORE = /```[a-z_]*\s*$/;

export function holdFromFirstTag(): TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart> {
  let pending = "";
  let isHolding = false;
  const held: string[] = [];
  let id = "text";
  const say = (delta: string): LanguageModelV3StreamPart[] =>
    delta === "" ? [] : [{ type: "text-delta", id, delta }];
  const take = (delta: string): LanguageModelV3StreamPart[] => {
    if (isHolding) {
      held.push(delta);
      // A sign of life.
      return [{ type: "raw", rawValue: undefined }];
    }
    pending += delta;
    const tag = pending.indexOf(TAG);
    isHolding = tag >= 0;
    const before = isHolding
      ? pending.slice(0, tag).replace(FENCE_BEFORE, "")
      : pending.replace(OPEN_END, "");
    if (isHolding) held.push(pending.slice(before.length));
    pending = isHolding ? "" : pending.slice(before.length);
    return say(before);
  };
  return new TransformStream({
    transform(part, controller) {
      if (part.type === "text-delta") {
        id = part.id;
        for (const next of take(part.delta)) controller.enqueue(next);
        return;
      }
      // The parser makes beginnings and ends of its own.
      if (part.type === "text-start" || part.type === "text-end") return;
      if (part.type === "finish")
        for (const next of say(isHolding ? withArgumentsRenamed(withoutFences(held.join(""))) : pending))
          controller.enqueue(next);
      controller.enqueue(part);
    },
  });
}

/** Around a call, or between its tags and its JSON; anything else that is fenced stays as it is. */
function withoutFences(text: string): string {
  return text
    .replace(/```[a-z_]*\s*(<tool_call>\s*[`{][^]*?<\/tool_call>)\s*```(?=\s|$)/g, "$1")
    .replace(/(<tool_call>)\s*```[a-z_]*\s*(\{[^]*?\})\s*```\s*(<\/tool_call>)/g, "$1$2$3");
}
