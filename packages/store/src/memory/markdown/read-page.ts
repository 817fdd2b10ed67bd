/** What may be believed of a page, which may be read in the middle of being saved. */

import type { MemoryEntry } from "../types.ts";
import { parsePage, renderPage, type Page, type RenderedPage, type Section } from "./page.ts";
import { restOfSaving, type PageFile } from "./page-files.ts";
import { titleOf } from "./page-name.ts";

/** The beginning of a stamp, which differs from one rendering to the next. */
const OUR_COMMENT = /^<!-- longhand\b/u;

export interface ReadPage extends Page, PageFile {
  /** For so many milliseconds nothing of it may be believed, and nothing written over it; 0: it is saved. */
  readonly wait: number;
  /** Its end is missing: somebody has removed it, or was stopped while he saved. Then nothing counts as removed. */
  readonly isCut: boolean;
  /** Of a cut page: the line that it breaks off in, which is nobody's fact. */
  readonly fragment: string;
}

/** `isRendered`: it is exactly as it was written. */
export function readPage(
  name: string,
  file: PageFile,
  { now, isRendered }: { readonly now: number; readonly isRendered: boolean },
): ReadPage {
  const page = parsePage(titleOf(name), file.text);
  const isWhole = isRendered || file.stat?.kind !== "file" || page.end === "marked";
  const wait = isWhole ? 0 : restOfSaving(file, now);
  if (isWhole || page.end === "continued") return { ...page, ...file, wait, isCut: false, fragment: "" };
  const end = file.text.lastIndexOf("\n") + 1;
  const cut = parsePage(titleOf(name), file.text.slice(0, end));
  return { ...cut, ...file, wait, isCut: true, fragment: file.text.slice(end) };
}

export interface RenderedAnew extends RenderedPage {
  /** The line that the page broke off in is among the notes now. */
  readonly hasFragment: boolean;
}

/** With the notes of what was read; and the line it broke off in, unless it is the beginning of one that is there again. */
export function renderRead(
  name: string,
  sections: readonly Section<MemoryEntry>[],
  read: ReadPage | undefined,
): RenderedAnew {
  const { notes, fragment } = read ?? { notes: "", fragment: "" };
  const page = renderPage(titleOf(name), sections, notes);
  const isOurs =
    OUR_COMMENT.test(fragment) || page.text.split("\n").some((line) => line.startsWith(fragment));
  if (fragment.trim() === "" || isOurs) return { ...page, hasFragment: false };
  const kept = notes === "" ? fragment : `${notes}\n${fragment}`;
  return { ...renderPage(titleOf(name), sections, kept), hasFragment: true };
}
