import { isLonghandError } from "../errors.ts";
import { mapOpenAIShape } from "../messages/openai.ts";
import { withoutFields } from "../messages/without-fields.ts";
import type { Message } from "../format/message.ts";

/**
 * A stored message as it counts for the context. Older versions have kept messages with OpenAI's fields (`tool_calls`,
 * `tool_call_id`) as they were: here they are calls and results like any other.
 */
export function asOwnMessage<M extends Message>(message: M): M {
  try {
    const mapped = mapOpenAIShape(message);
    // The log has the original: a copy of it is not needed here, and would take room.
    return mapped === message ? message : (withoutFields<Message, "foreign">(mapped, "foreign") as M);
  } catch (error) {
    // Its content is not in the format of OpenAI either: it stays as it is.
    if (isLonghandError(error, "MESSAGE_INVALID")) return message;
    throw error;
  }
}
