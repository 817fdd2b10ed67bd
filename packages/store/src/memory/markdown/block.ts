/** Code between fences, and comments over several lines: whatever looks like an entry in them is none. */

const FENCE = /^ {0,3}(?<fence>`{3,}(?=[^`]*$)|~{3,})/u;
const COMMENT = /^ {0,3}<!--/u;
const COMMENT_END = "-->";

export interface Block {
  /** The first line behind it. */
  readonly end: number;
  /** `false`: its end is missing, so that only the line it begins with is sure to belong to it. */
  readonly isClosed: boolean;
}

/** `undefined`: none begins with this line. */
export function blockAt(lines: readonly string[], index: number): Block | undefined {
  const line = lines[index] ?? "";
  const fence = FENCE.exec(line)?.groups?.["fence"];
  if (fence !== undefined) return endedBy(lines, index, (each) => isFenceEnd(each, fence));
  const isComment = COMMENT.test(line) && !line.includes(COMMENT_END);
  return isComment ? endedBy(lines, index, (each) => each.includes(COMMENT_END)) : undefined;
}

function endedBy(lines: readonly string[], index: number, isEnd: (line: string) => boolean): Block {
  const last = lines.findIndex((line, number) => number > index && isEnd(line));
  return last === -1 ? { end: index + 1, isClosed: false } : { end: last + 1, isClosed: true };
}

function isFenceEnd(line: string, fence: string): boolean {
  const text = line.trim();
  return /^ {0,3}[`~]/u.test(line) && text.startsWith(fence) && text === fence.charAt(0).repeat(text.length);
}
