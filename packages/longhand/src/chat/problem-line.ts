import { escapeControls } from "../terminal/escape-controls.ts";
import { jsonLine } from "../terminal/json-line.ts";
import type { ChatProblem } from "./chat-link.ts";

/** What is wrong and does not end the chat, for standard error. */
export function problemLine({ code, message }: ChatProblem, json: boolean): string {
  return json ? jsonLine({ warning: { code, message } }) : escapeControls(`longhand: ${message}\n`);
}
