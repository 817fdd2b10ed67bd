/** How full something is: a bar as wide as there is room, and a line for each part of it, with its share. */

import type { Output } from "./output.ts";
import { readableWidth } from "./output.ts";

export interface UsagePart {
  readonly name: string;
  readonly amount: number;
  /** One column wide; it tells the parts apart where there are no colours. */
  readonly sign: string;
  readonly color: (text: string) => string;
  /** What the number alone does not say. */
  readonly remark?: string;
}

/** Where there is no terminal to fit. */
const BAR_WIDTH = 60;

export function usageBar(parts: readonly UsagePart[], output: Output): string[] {
  const columns = shareColumns(
    parts.map(({ amount }) => amount),
    (readableWidth(output) ?? BAR_WIDTH + 2) - 2,
  );
  const bar = parts.map(({ sign, color }, index) => color(sign.repeat(columns[index] ?? 0))).join("");
  const total = parts.reduce((sum, { amount }) => sum + amount, 0);
  const nameWidth = Math.max(...parts.map(({ name }) => name.length));
  const amountWidth = Math.max(...parts.map(({ amount }) => String(amount).length));
  return [
    `[${bar}]`,
    ...parts.map(({ name, amount, sign, color, remark }) => {
      const share = `${formatShare(amount, total)} %`.padStart(5);
      const row = `${name.padEnd(nameWidth)}  ${String(amount).padStart(amountWidth)}  ${share}`;
      return `${color(sign)} ${row}${remark === undefined ? "" : `  ${output.colors.dim(remark)}`}`;
    }),
  ];
}

/** Whole columns that add up to `width`. What there is a little of is seen too, at the cost of the largest. */
export function shareColumns(amounts: readonly number[], width: number): number[] {
  const total = amounts.reduce((sum, amount) => sum + amount, 0);
  const columns = amounts.map((amount) =>
    amount <= 0 ? 0 : Math.max(1, Math.floor((amount / total) * width)),
  );
  const largest = amounts.indexOf(Math.max(...amounts));
  const others = columns.reduce((sum, each, index) => (index === largest ? sum : sum + each), 0);
  return columns.map((each, index) => (index === largest ? Math.max(0, width - others) : each));
}

/** Per cent. Neither nothing nor all, unless it is. */
function formatShare(amount: number, total: number): string {
  if (total <= 0 || amount === 0) return "0";
  const share = (amount / total) * 100;
  if (share < 1) return "<1";
  return String(amount === total ? 100 : Math.min(99, Math.round(share)));
}
