import type { Session } from "@longhand/store";

/**
 * The words of a compaction that would find something to cut, for who is to be advised; `undefined`: there is none. Whether
 * its summary turns out shorter is known only when it is made.
 */
export async function compactionThatCuts(session: Session): Promise<string | undefined> {
  const { compactSession } = await import("@longhand/store/context");
  for (const [words, options] of [
    ["compact", {}],
    ["compact --keep 1", { keepMessages: 1 }],
  ] as const) {
    const result = await compactSession(session, { ...options, force: true, dryRun: true });
    if (!result.done && result.would !== undefined) return words;
  }
  return undefined;
}
