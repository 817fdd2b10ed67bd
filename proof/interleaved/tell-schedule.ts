/** A run in words: who went on, for how many calls, and what began and ended there. */

import type { Plan } from "./plan.ts";
import type { Run } from "./run-plan.ts";

const MOST_LINES = 300;

export function tellSchedule({ settings, temper, seed, fault }: Plan, { events, history }: Run): string {
  const lines: string[] = [];
  let calls = 0;
  for (const [index, { process, operation, path }] of events.entries()) {
    const isAlone = /^(begins|is |has waited)/.test(operation);
    const isTurn = events[index - 1]?.process !== process;
    const isLast = events[index + 1]?.process !== process;
    if (!isAlone && !isTurn && !isLast) {
      calls += 1;
      continue;
    }
    if (calls > 0) lines.push(`        … ${calls} calls`);
    calls = 0;
    lines.push(`  ${process.padEnd(4)}  ${operation} ${path}`);
  }
  const told = history.writes.map(({ contents, key, answer }) => {
    const names = contents.map((content) => content.split(" ")[0]).join(" ");
    return `${key} ${names}: ${answer.kind}${answer.kind === "acknowledged" ? ` ${answer.seq}` : ""}`;
  });
  const shown =
    lines.length <= MOST_LINES
      ? lines
      : [`  … ${lines.length - MOST_LINES} lines`, ...lines.slice(-MOST_LINES)];
  return [
    `machine ${seed}, ${JSON.stringify(settings)}, ${JSON.stringify(temper)}`,
    ...(fault === undefined
      ? []
      : [`${fault.kind} in process p${fault.process + 1}, from its call ${fault.from} on, once`]),
    ...shown,
    `answers: ${told.join("; ")}`,
  ].join("\n");
}
