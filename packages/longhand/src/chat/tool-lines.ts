/** A tool call and what came of it, a line each. What tools and models say is made safe to print. Pure. */

import { fitToWidth } from "../terminal/display-width.ts";
import { onOneLine } from "../terminal/escape-controls.ts";
import { countOf, formatBytes } from "../terminal/format-count.ts";
import { jsonText } from "../terminal/json-line.ts";
import type { Colors } from "../terminal/output.ts";

export interface LineStyle {
  readonly colors: Colors;
  /** `undefined`: no terminal to fit. */
  readonly width: () => number | undefined;
}

/** Where there is no terminal to fit, a line still ends somewhere. */
const USUAL_WIDTH = 160;
/** More of a long text is not looked at. */
const LOOKED_AT = 2000;

export function callLine(name: string, given: unknown, { colors, width }: LineStyle): string {
  const room = (width() ?? USUAL_WIDTH) - 2;
  return `${colors.magenta("→")} ${fitToWidth(`${onOneLine(name)}(${argumentsOf(given)})`, room)}`;
}

export function resultLine(content: string, isError: boolean, { colors, width }: LineStyle): string {
  const sign = isError ? colors.red("✗") : colors.green("✓");
  if (content.trim() === "") return `  ${sign} ${colors.dim("(empty)")}`;
  const room = (width() ?? USUAL_WIDTH) - 4;
  const line = onOneLine(content.slice(0, LOOKED_AT));
  if (content.length <= LOOKED_AT && fitToWidth(line, room) === line) return `  ${sign} ${colors.dim(line)}`;
  const lines = content.trimEnd().split("\n").length;
  const size = ` (${lines > 1 ? `${countOf(lines, "line")}, ` : ""}${formatBytes(Buffer.byteLength(content))})`;
  const head = fitToWidth(`${line}…`, Math.max(4, room - size.length));
  return `  ${sign} ${colors.dim(fitToWidth(head + size, room))}`;
}

function argumentsOf(given: unknown): string {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return shortened(given);
  return Object.entries(given)
    .map(([name, value]) => `${onOneLine(name)}: ${shortened(value)}`)
    .join(", ");
}

function shortened(value: unknown): string {
  // What is no JSON, such as undefined, has no text.
  const text = value === undefined ? "" : jsonText(value);
  return onOneLine(text.slice(0, LOOKED_AT));
}
