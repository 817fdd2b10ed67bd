import { escapeControls } from "../terminal/escape-controls.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { wrapMessage } from "../terminal/wrap-text.ts";
import type { ChatProblem } from "./chat-link.ts";

/** What is wrong and does not end the chat, for standard error. */
export function problemLine(
  { code, message }: ChatProblem,
  json: boolean,
  width: number | undefined,
): string {
  if (json) return jsonLine({ warning: { code, message } });
  return wrapMessage(escapeControls(`longhand: ${message}`), width)
    .map((line) => `${line}\n`)
    .join("");
}
