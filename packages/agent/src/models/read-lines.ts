/** Bytes of an answer to lines of text. Pure of any format: what a line means is the reader's business. */

import { AgentError } from "../errors.ts";

export interface Line {
  readonly text: string;
  /** `false`: the bytes ended before the line did. Only the last one can be. */
  readonly isWhole: boolean;
}

/** Far more than any honest line; without a limit, one that never ends would take all memory. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** Lines end with LF, CR LF or a lone CR. Linear, also where a line comes in many pieces. */
export async function* readLines(
  bytes: AsyncIterable<Uint8Array>,
  longest: number = LONGEST_LINE,
): AsyncGenerator<Line, void, undefined> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  let length = 0;
  let endedWithReturn = false;
  for await (const chunk of bytes) {
    let text = decoder.decode(chunk, { stream: true });
    if (text === "") continue;
    if (endedWithReturn && text.startsWith("\n")) text = text.slice(1);
    endedWithReturn = text.endsWith("\r");
    const pieces = text.split(/\r\n|\r|\n/);
    const last = pieces.pop() ?? "";
    for (const piece of pieces) {
      yield { text: begun.join("") + piece, isWhole: true };
      begun = [];
      length = 0;
    }
    begun.push(last);
    length += last.length;
    if (length > longest)
      throw new AgentError(
        "MODEL_BROKEN",
        `the model's server sent a line of more than ${longest} characters`,
      );
  }
  const rest = begun.join("") + decoder.decode();
  if (rest !== "") yield { text: rest, isWhole: false };
}
