/** The names of the pages, relative to the memory's directory, and which entry is shown on which. */

import { isTime } from "../stored-entry.ts";
import type { MemoryEntry } from "../types.ts";

export const CORE_PAGE = "MEMORY.md";
export const DAILY = "daily";
const DAY_PAGE = /^(\d{4}-\d{2}-\d{2})\.md$/u;

export function pageOf({ kind, at }: Pick<MemoryEntry, "kind" | "at">): string {
  return kind === "core" ? CORE_PAGE : `${DAILY}/${at.slice(0, 10)}.md`;
}

export function titleOf(page: string): string {
  return DAY_PAGE.exec(page.slice(DAILY.length + 1))?.[1] ?? "Memory";
}

/** Of a name in the directory of the days. */
export function isDayPage(name: string): boolean {
  const day = DAY_PAGE.exec(name)?.[1];
  return day !== undefined && isTime(`${day}T00:00:00.000Z`);
}

/** Of a new line on a page: one on the page of a day belongs to that day. */
export function timeFor(page: string, now: number): string {
  const time = new Date(now).toISOString();
  const day = titleOf(page);
  return page === CORE_PAGE || time.startsWith(day) ? time : `${day}T00:00:00.000Z`;
}
