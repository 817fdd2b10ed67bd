import type { ApprovalQuestion } from "@longhand/agent";
import { displayWidth, fitToWidth } from "../terminal/display-width.ts";
import { escapeControls, onOneLine } from "../terminal/escape-controls.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import type { LineStyle } from "./tool-lines.ts";

/** All of what is asked for is shown: one should not say yes to what was cut off. */
export function questionLines({ tool, input, reason }: ApprovalQuestion, style: LineStyle): string[] {
  const { colors } = style;
  const width = style.width();
  const given =
    typeof input === "string" ? input : (JSON.stringify(input, undefined, 2) as string | undefined);
  const room = width === undefined ? undefined : width - 2;
  return [
    `${colors.yellow("?")} ${colors.bold(onOneLine(tool))}`,
    ...wrapText(escapeControls(given ?? ""), room).map((line) => `  ${line}`),
    ...wrapText(escapeControls(reason), width).map((line) => colors.yellow(line)),
  ];
}

/** Before the answer; which one of several it is about, where there is room for it. */
export function questionPrompt({ tool }: ApprovalQuestion, width: number): string {
  const whole = `${fitToWidth(onOneLine(tool), 20)}: yes or no? [y/N] `;
  return displayWidth(whole) > width / 2 ? "[y/N] " : whole;
}
