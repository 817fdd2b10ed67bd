/** Whatever a model throws, as one of our errors. */

import { contextOverflow } from "@longhand/store/context";
import { AgentError, isAgentError } from "../errors.ts";

export function modelFailure(model: string, error: unknown): AgentError {
  if (isAgentError(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  const code = contextOverflow(error) === undefined ? "MODEL_BROKEN" : "MODEL_OVERFLOW";
  return new AgentError(code, `${model}: ${message}`, { model }, error);
}

export function cutOff(model: string): AgentError {
  return new AgentError("MODEL_BROKEN", `the answer of ${model} was cut off; say it again`, { model });
}

export function stalled(model: string, milliseconds: number): AgentError {
  return new AgentError("MODEL_STALLED", `${model} said nothing for ${milliseconds} ms; say it again`, {
    model,
    milliseconds,
  });
}

export function emptyAnswer(model: string): AgentError {
  const message = `${model} answered nothing: no text and no call; say it in other words, or use another model`;
  return new AgentError("MODEL_EMPTY", message, { model });
}
