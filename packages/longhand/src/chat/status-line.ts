/** The line above the input: what goes on, how full the model's window is, with which model, in which session. Pure. */

import { displayWidth, fitToWidth } from "../terminal/display-width.ts";
import { escapeKey, escapeLine } from "../terminal/escape-controls.ts";
import type { Colors } from "../terminal/output.ts";
import { shareColumns } from "../terminal/usage-bar.ts";

export interface Status {
  /** What goes on; empty: nothing. */
  readonly doing: string;
  readonly usage: { readonly used: number; readonly maxTokens: number } | undefined;
  readonly model: string;
  readonly key: string;
}

const BAR_COLUMNS = 10;
const ALARMING = 0.85;

export function statusLine({ doing, usage, model, key }: Status, width: number, colors: Colors): string {
  const facts = [...(usage === undefined ? [] : [usageText(usage)]), escapeLine(model), escapeKey(key)];
  const isAlarming = usage !== undefined && usage.used / usage.maxTokens > ALARMING;
  const head = doing === "" ? "" : `${doing} · `;
  const rest = fitToWidth(facts.join(" · "), Math.max(0, width - displayWidth(head)));
  const paint = isAlarming ? colors.yellow : colors.dim;
  return colors.cyan(fitToWidth(head, width)) + paint(rest);
}

function usageText({ used, maxTokens }: NonNullable<Status["usage"]>): string {
  const [full = 0, free = 0] = shareColumns([used, Math.max(0, maxTokens - used)], BAR_COLUMNS);
  const share = maxTokens <= 0 ? 100 : Math.round((used / maxTokens) * 100);
  return `[${"■".repeat(full)}${"·".repeat(free)}] ${share} % of ${maxTokens} tokens`;
}
