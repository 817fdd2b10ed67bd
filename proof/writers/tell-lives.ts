/** For a violation: what is wrong with the lives of writers themselves, and the last that was heard of them. */

import type { Told } from "./operation.ts";
import type { WriterProcess } from "./writer-process.ts";

const LAST_WORDS = 16;

/** What no writer should have met: an end that was not ours, or an error that nobody can explain. */
export function unexpected(
  writers: readonly WriterProcess[],
  expectedCodes: readonly string[],
): string | undefined {
  for (const { mishap, told } of writers) {
    if (mishap !== undefined) return mishap;
    const failed = told.find((each) => each.kind === "failed" && !expectedCodes.includes(each.code));
    if (failed !== undefined) return `a writer got an error it should not: ${JSON.stringify(failed)}`;
  }
  return undefined;
}

export function tellLives(writers: readonly WriterProcess[]): string {
  return writers
    .map(({ told }, index) => {
      const words = told.slice(-LAST_WORDS).map((each) => `  ${tellOne(each)}`);
      return [`writer ${index + 1} told ${told.length} things, these the last:`, ...words].join("\n");
    })
    .join("\n");
}

function tellOne(told: Told): string {
  if (told.kind !== "trying") return JSON.stringify(told);
  const { number, operation } = told;
  if (!("contents" in operation)) return `${number}: ${JSON.stringify(operation)}`;
  const { kind, key, id, contents } = operation;
  return `${number}: ${contents.length} ${kind} to ${key}, ${id}`;
}
