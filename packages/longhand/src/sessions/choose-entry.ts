/** From what a person typed to the entry of the memory they mean: its id, or how it begins where no other begins so. */

import type { Memory, MemoryEntry } from "@longhand/store/memory";
import { CommandError } from "../command-error.ts";
import { fitToWidth } from "../terminal/display-width.ts";
import { escapeKey, onOneLine } from "../terminal/escape-controls.ts";
import type { StoreSurroundings } from "./with-store.ts";

const SHOWN_CANDIDATES = 10;
const TEXT_WIDTH = 50;

/** Of any status; what was forgotten is no entry. */
export async function chooseEntry(
  memory: Memory,
  wanted: string,
  given: Pick<StoreSurroundings, "toPaste">,
): Promise<MemoryEntry> {
  const beginning = wanted.toUpperCase();
  const entries = await memory.everything({ all: true });
  const candidates = entries.filter(({ id }) => id.startsWith(beginning));
  const [first, second] = candidates;
  if (first === undefined) throw unknownEntry(wanted, given);
  if (second === undefined) return first;
  // An id has the same length as all others, so that none is the beginning of another.
  const lines = candidates
    .slice(0, SHOWN_CANDIDATES)
    .map(({ id, text }) => `  ${id}  ${fitToWidth(onOneLine(text), TEXT_WIDTH)}`);
  const more = candidates.length - SHOWN_CANDIDATES;
  throw new CommandError(
    "ENTRY_AMBIGUOUS",
    [`${candidates.length} entries begin with “${escapeKey(wanted)}”; say which:`, ...lines].join("\n"),
    {
      detail: { candidates: candidates.map(({ id }) => id) },
      ...(more > 0 ? { remedy: `… and ${more} more: ${given.toPaste("memory list --all")}` } : {}),
    },
  );
}

export function unknownEntry(wanted: string, { toPaste }: Pick<StoreSurroundings, "toPaste">): CommandError {
  return new CommandError("ENTRY_UNKNOWN", `no entry of the memory begins with “${escapeKey(wanted)}”`, {
    detail: { id: wanted },
    remedy: `the entries there are: ${toPaste("memory list --all")}`,
  });
}
