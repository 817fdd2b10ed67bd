/** Whole lines moved, doubled, lost, glued, taken from elsewhere; every line that stays is as it was. */

import type { SeededRandom } from "@longhand/store/testing";

const NEWLINE = Buffer.from("\n");
const LONG_LINE_BYTES = 300_000;

export function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  lines.push(bytes.subarray(start));
  return lines;
}

export function joinLines(lines: readonly Buffer[]): Buffer {
  return Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [line] : [NEWLINE, line])));
}

export function mutateLines(bytes: Buffer, random: SeededRandom, donor: Buffer): Buffer {
  const lines = splitLines(bytes);
  for (let left = 1 + random.below(3); left > 0; left--) mutateOnce(lines, random, donor);
  return joinLines(lines);
}

function mutateOnce(lines: Buffer[], random: SeededRandom, donor: Buffer): void {
  const at = random.below(lines.length);
  const to = random.below(lines.length);
  const line = lines[at] ?? NEWLINE;
  switch (random.below(9)) {
    case 0:
      lines.splice(to, 0, ...lines.splice(at, 1));
      return;
    case 1:
      lines.splice(to, 0, line);
      return;
    case 2:
      lines.splice(at, 1);
      return;
    case 3:
      lines.splice(at, 2, Buffer.concat(lines.slice(at, at + 2)));
      return;
    case 4: {
      const others = splitLines(donor);
      lines.splice(to, 0, others[random.below(others.length)] ?? line);
      return;
    }
    case 5:
      lines.splice(to, 0, Buffer.alloc(random.below(40)));
      return;
    case 6:
      lines[at] = Buffer.concat([line, Buffer.from("\r")]);
      return;
    case 7:
      lines[at] = line.subarray(0, random.below(line.length + 1));
      return;
    default:
      // Seldom: such a line is a chunk of its own for every reader.
      lines.splice(to, 0, Buffer.alloc(random.below(20) === 0 ? LONG_LINE_BYTES : 3, "x"));
  }
}
