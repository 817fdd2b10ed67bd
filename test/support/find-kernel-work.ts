/**
 * Finds what belongs in the agent's kernel and is done elsewhere: timers, queues made of arrays, locks by chained promises. A
 * second place for them is a second place to get backpressure, fairness and clean ends wrong.
 */

import type { TextFile } from "./project.ts";

const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/\bset(?:Timeout|Interval|Immediate)\b|\bqueueMicrotask\b|AbortSignal\.timeout|node:timers/, "a timer"],
  [/\.shift\(\)/, "a queue"],
  [/=\s*(?:this\.)?#?\w*(?:chain|lock|queue|tail)\w*\.then\(/i, "a lock by chained promises"],
];

export function findKernelWork(files: readonly TextFile[]): string[] {
  return files
    .filter(({ path }) => !path.startsWith("kernel/"))
    .flatMap(({ path, text }) =>
      text
        .split("\n")
        .flatMap((line, index) =>
          isComment(line)
            ? []
            : SIGNS.filter(([sign]) => sign.test(line)).map(
                ([, what]) => `${path}:${index + 1}: ${what}; use the kernel's`,
              ),
        ),
    );
}

function isComment(line: string): boolean {
  return /^\s*(?:\/\/|\/?\*)/.test(line);
}
