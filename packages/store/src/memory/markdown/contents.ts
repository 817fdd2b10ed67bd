/** What the pages show: the current entries, by page and scope. */

import type { ScopeView } from "../scope-view.ts";
import type { MemoryEntry } from "../types.ts";
import type { Section } from "./page.ts";
import { CORE_PAGE, pageOf } from "./page-name.ts";

/** By the name of the page. */
export type Contents = ReadonlyMap<string, readonly Section<MemoryEntry>[]>;

/** MEMORY.md also where it is empty, so that there is a place to write to. */
export function contentsOf(views: readonly ScopeView[]): Contents {
  const contents = new Map<string, Section<MemoryEntry>[]>([[CORE_PAGE, []]]);
  for (const { scope, entries } of views) {
    const byPage = new Map<string, MemoryEntry[]>();
    for (const entry of entries.filter(({ status }) => status === "current")) {
      const list = byPage.get(pageOf(entry));
      if (list === undefined) byPage.set(pageOf(entry), [entry]);
      else list.push(entry);
    }
    for (const [page, list] of byPage) {
      const sections = contents.get(page) ?? [];
      sections.push({ scope, entries: list });
      contents.set(page, sections);
    }
  }
  return contents;
}
