/** Who has a store open for writing and holds which sessions, in words; and what to do about one that is in the way. */

import type { StoreOwner } from "@longhand/store";
import type { ToPaste } from "../terminal/command-to-paste.ts";
import { describeOwner } from "../terminal/describe-owner.ts";
import { escapeKey, escapeLine } from "../terminal/escape-controls.ts";
import { countOf, formatBytes } from "../terminal/format-count.ts";
import { shellQuote } from "../terminal/shell-quote.ts";

export interface ExaminedOwner extends StoreOwner {
  /** It is there, and stands still: by Ctrl-Z, or SIGSTOP. */
  readonly isStopped: boolean;
}

const SHOWN_KEYS = 5;

export function ownerLines(owner: ExaminedOwner, toPaste: ToPaste): readonly string[] {
  return [
    `${escapeLine(describeOwner(owner))}: ${stateOf(owner)}`,
    ...heldLine(owner),
    ...adviceLine(owner, toPaste),
  ];
}

function stateOf({ liveness, isStopped, journalBytes }: ExaminedOwner): string {
  switch (liveness) {
    case "alive":
      return isStopped ? "stopped" : "running";
    case "dead":
      return `ended without closing, leaving ${formatBytes(journalBytes)} in its journal`;
    case "unproven":
      return "whether it still runs cannot be told from here";
  }
}

function heldLine({ holds, liveness }: ExaminedOwner): string[] {
  if (holds.length === 0 || liveness === "dead") return [];
  const keys = holds.slice(0, SHOWN_KEYS).map(({ key, name }) => escapeKey(key ?? name));
  const more = holds.length - keys.length;
  return [`  may write to ${keys.join(", ")}${more === 0 ? "" : ` and ${countOf(more, "more", "more")}`}`];
}

function adviceLine({ liveness, isStopped, pid, holds }: ExaminedOwner, toPaste: ToPaste): string[] {
  if (liveness === "dead")
    return ["  nothing to do: whoever writes next takes over what it left, and nothing is lost"];
  if (liveness === "alive") {
    return isStopped && pid !== undefined
      ? [`  who writes to the same session waits for it; to let it go on: kill -CONT ${pid}`]
      : [];
  }
  const key = holds.find((held) => held.key !== undefined)?.key;
  if (key === undefined) return [];
  return [`  if you know that it has ended: ${toPaste(`doctor --break-lease ${shellQuote(key)}`)}`];
}
