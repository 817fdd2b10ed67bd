import type { ContentPart, Message, ToolCall } from "../format/message.ts";

/** An assistant's message from what another format lists in one content. */
export function assistantMessage(
  parts: readonly ContentPart[],
  thoughts: readonly string[],
  calls: readonly ToolCall[],
): Message {
  const isAlone = calls.length + thoughts.length === 0;
  return {
    role: "assistant",
    content: isAlone ? parts : (plainText(parts) ?? parts),
    ...(thoughts.length === 0 ? {} : { reasoning: thoughts.join("\n\n") }),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
  };
}

/** `undefined`: it is more than one text. */
function plainText(parts: readonly ContentPart[]): string | undefined {
  const [only, ...others] = parts;
  if (only === undefined) return "";
  const { type, text, ...more } = only as Readonly<Record<string, unknown>>;
  const isPlain = type === "text" && others.length + Object.keys(more).length === 0;
  return isPlain && typeof text === "string" ? text : undefined;
}
