/** What a person is told in a chat when something fails: what it was, and what helps. */

import { isAgentError } from "@longhand/agent";
import { escapeControls } from "../terminal/escape-controls.ts";
import type { ToPaste } from "../terminal/command-to-paste.ts";
import { explainError } from "../terminal/explain-error.ts";

export function describeFailure(error: unknown, toPaste: ToPaste): string {
  if (isAgentError(error)) return escapeControls(`✗ ${error.message}`);
  const { message, remedy } = explainError(error, { toPaste, canWait: false, isOwnerStopped: false });
  return escapeControls(`✗ ${message}${remedy === undefined ? "" : `\n  ${remedy}`}`);
}
