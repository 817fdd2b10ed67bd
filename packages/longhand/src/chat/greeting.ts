/** What a chat says first: who answers, where it is kept, how to leave. Pure. */

import type { AgentInstance } from "@longhand/agent";
import { escapeKey, escapeLine } from "../terminal/escape-controls.ts";
import type { Colors } from "../terminal/output.ts";
import { wrapText } from "../terminal/wrap-text.ts";

export function greetingLines(
  agent: AgentInstance,
  key: string,
  width: number | undefined,
  colors: Colors,
  whyOffline?: string,
): string[] {
  const { name, model, workspace, keptBy, store } = agent;
  const said = (text: string, paint: (line: string) => string): string[] =>
    text === "" ? [] : wrapText(text, width).map((line) => paint(line));
  return [
    `${colors.bold(escapeLine(name))} · ${escapeLine(model.name)} · ${colors.cyan(escapeKey(key))}`,
    ...(store.directory === undefined ? [] : [colors.dim(`Kept in ${escapeLine(store.directory)}`)]),
    colors.dim(`Files in ${escapeLine(workspace)}`),
    ...said(whyOffline === undefined ? "" : `No model answers: ${escapeLine(whyOffline)}.`, colors.yellow),
    ...said(NOT_AS_USUAL[keptBy], colors.yellow),
    ...said("/help lists the commands; /quit or Ctrl-D leaves.", colors.dim),
    "",
  ];
}

const NOT_AS_USUAL: Readonly<Record<AgentInstance["keptBy"], string>> = {
  jsonl: "",
  json: "The store could not be opened: this chat is kept in plain JSON files beside it instead. To see what is wrong: longhand doctor",
  memory: "Sessions are not kept: what is said here is gone when the chat ends.",
};
