/** What a chat says first: which model answers, in which session, where things are. Pure. */

import type { AgentInstance } from "@longhand/agent";
import { completeCommands, type ToPaste } from "../terminal/command-to-paste.ts";
import { displayWidth } from "../terminal/display-width.ts";
import { escapeKey, escapeLine } from "../terminal/escape-controls.ts";
import type { Colors } from "../terminal/output.ts";
import { wrapText } from "../terminal/wrap-text.ts";

export function greetingLines(
  agent: AgentInstance,
  key: string,
  width: number | undefined,
  colors: Colors,
  toPaste: ToPaste,
  whyOffline?: string,
): string[] {
  const { name, model, workspace, keptBy, store } = agent;
  const said = (text: string, paint: (line: string) => string): string[] =>
    text === "" ? [] : wrapText(text, width).map((line) => paint(line));
  const fact = (label: string, value: string, paint: (text: string) => string): string =>
    `${colors.dim(label.padEnd(LABEL))}${paint(endOf(value, width === undefined ? undefined : width - LABEL))}`;
  return [
    colors.bold(escapeLine(name)),
    fact("model", escapeLine(model.name), colors.cyan),
    fact("session", escapeKey(key), colors.cyan),
    fact("workspace", escapeLine(workspace), colors.dim),
    ...(store.directory === undefined ? [] : [fact("kept in", escapeLine(store.directory), colors.dim)]),
    ...said(whyOffline === undefined ? "" : `No model found: ${escapeLine(whyOffline)}.`, colors.yellow),
    ...said(completeCommands(NOT_AS_USUAL[keptBy], toPaste), colors.yellow),
    ...said("/help lists the commands; Ctrl-D leaves.", colors.dim),
    "",
  ];
}

/** Columns of the labels. */
const LABEL = 11;

/** Of a path that does not fit, the end says more. */
function endOf(text: string, room: number | undefined): string {
  if (room === undefined || displayWidth(text) <= room) return text;
  let end = text.slice(-Math.max(1, room - 1));
  while (displayWidth(end) > room - 1 && end !== "") end = end.slice(1);
  return `…${end.toWellFormed()}`;
}

const NOT_AS_USUAL: Readonly<Record<AgentInstance["keptBy"], string>> = {
  jsonl: "",
  json: "The store could not be opened: this chat is kept in plain JSON files beside it instead. To see what is wrong: longhand doctor",
  memory: "Sessions are not kept: what is said here is gone when the chat ends.",
};
