import { LonghandError } from "../errors.ts";
import { openAIField } from "../messages/openai.ts";

/** Under its own name such a field would be kept, and the call or result would be missing in what the model sees. */
export function refuseOpenAIShape(message: unknown): void {
  const field = openAIField(message);
  if (field === undefined) return;
  const ours = field === "tool_calls" ? "toolCalls" : "toolCallId";
  const problem = `the message cannot be kept: it has ${field}, as in the OpenAI format, instead of ${ours}; convert it with fromOpenAI of @longhand/store/messages`;
  throw new LonghandError("MESSAGE_INVALID", problem, { field });
}
