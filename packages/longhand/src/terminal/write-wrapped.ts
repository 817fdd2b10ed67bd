/** Prose for a person: broken between words, at the width of the terminal where there is one. The text is without controls. */

import { type Output, readableWidth } from "./output.ts";
import { wrapText } from "./wrap-text.ts";

export function writeWrapped(
  output: Output,
  text: string,
  paint: (line: string) => string = (line) => line,
): void {
  for (const line of wrapText(text, readableWidth(output))) output.write(`${paint(line)}\n`);
}
