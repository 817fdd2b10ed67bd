/** What an undo or a redo in a session has changed in the memory, for a person: a line for each entry. */

import type { MemoryEntry, Reconciled } from "@longhand/store/memory";
import type { ToPaste } from "../terminal/command-to-paste.ts";
import { onOneLine } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";

/** Empty: nothing has changed. */
export function reconciledLines({ withdrawn, restored, partial }: Reconciled, toPaste: ToPaste): string[] {
  const listed = (entries: readonly MemoryEntry[]): string[] =>
    entries.map(({ id, text }) => `  ${id} ${onOneLine(text)}`);
  const count = (entries: readonly MemoryEntry[]): string => countOf(entries.length, "entry", "entries");
  return [
    ...(withdrawn.length === 0
      ? []
      : [`Withdrawn from the memory with it, ${count(withdrawn)}:`, ...listed(withdrawn)]),
    ...(restored.length === 0 ? [] : [`Back in the memory, ${count(restored)}:`, ...listed(restored)]),
    ...(partial.length === 0
      ? []
      : [
          `Kept, since it also tells of other turns, ${count(partial)} (to withdraw one: ${toPaste("memory undo ID")}):`,
          ...listed(partial),
        ]),
  ];
}
