/**
 * A page of Markdown: a title, a section for each scope with a list of entries, and at the end, under "Notes", whatever a
 * person has written that is none of these. Rendering a page that was parsed loses nothing of that.
 */

import { createHash } from "node:crypto";
import { scopeCode } from "../scope.ts";
import type { MemoryEntry, Scope } from "../types.ts";
import { bulletOf, parseBullet, type Bullet } from "./bullet.ts";
import { blockAt } from "./block.ts";
import { headingOf, parseHeading } from "./heading.ts";
import { END_OF_PAGE, withoutEnd, type PageEnd } from "./page-end.ts";

const NOTES = "Notes";
const STAMP = /^<!-- longhand ([0-9a-f]{16})\b.*-->$/su;
/** Whatever reads as a heading ends a section, lest its list be taken for somebody's facts. */
const HEADING = /^ {0,3}(?:#+(?:\s|$)|<h[1-6]\b)/iu;
/** Makes a heading of the line above it. */
const UNDERLINE = /^ {0,3}(?:=+|-+)\s*$/u;
const EXPLANATION =
  "Edit freely: a line that is changed or added becomes a new entry, one that is removed is taken back.";

export interface Section<E> {
  readonly scope: Scope;
  readonly entries: readonly E[];
}

export interface Page {
  /** Of the rendering it was made from. `undefined`: a person has made it, or removed the stamp. */
  readonly stamp: string | undefined;
  /** A scope once, in the order of the page. */
  readonly sections: readonly Section<Bullet>[];
  /** As they were written. */
  readonly notes: string;
  readonly end: PageEnd;
}

export interface RenderedPage {
  readonly text: string;
  readonly stamp: string;
}

export function renderPage(
  title: string,
  sections: readonly Section<MemoryEntry>[],
  notes: string,
): RenderedPage {
  const parts = sections.map(({ scope, entries }) =>
    [`## ${headingOf(scope)}`, "", ...entries.map(bulletOf), ""].join("\n"),
  );
  if (notes !== "") parts.push(`## ${NOTES}\n\n${notes}\n`);
  const stamp = createHash("sha256").update(parts.join("\n"), "utf8").digest("hex").slice(0, 16);
  return {
    stamp,
    text: [`# ${title}\n`, `<!-- longhand ${stamp}. ${EXPLANATION} -->\n`, ...parts, `${END_OF_PAGE}\n`].join(
      "\n",
    ),
  };
}

/** Any text is a page. */
export function parsePage(title: string, text: string): Page {
  const sections = new Map<string, { readonly scope: Scope; readonly entries: Bullet[] }>();
  const notes: string[] = [];
  let stamp: string | undefined;
  let hasTitle = false;
  let hasNotes = false;
  /** `undefined`: what comes belongs to the notes. */
  let scope: Scope | undefined = {};
  let bullet: string[] | undefined;
  /** The last line was kept as a note: blank lines that follow belong to it. */
  let isNote = false;
  const endBullet = (): void => {
    if (bullet === undefined || scope === undefined) return;
    const code = scopeCode(scope);
    const section = sections.get(code) ?? { scope, entries: [] };
    section.entries.push(parseBullet(bullet));
    sections.set(code, section);
    bullet = undefined;
  };
  const { lines, end } = withoutEnd(linesOf(text));
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? "";
    const block = blockAt(lines, index);
    if (block !== undefined) {
      endBullet();
      if (!block.isClosed) scope = undefined;
      notes.push(...lines.slice(index, block.end));
      index = block.end - 1;
      isNote = true;
      continue;
    }
    const isIndented = /^\s+\S/u.test(line);
    const isUnder = bullet === undefined ? isNote && lines[index - 1]?.trim() !== "" : isIndented;
    const isHeading = HEADING.test(line) || (UNDERLINE.test(line) && isUnder);
    if (bullet !== undefined && isIndented && !isHeading) {
      bullet.push(line);
      continue;
    }
    // The first line of such a heading was taken for one of the bullet.
    if (bullet !== undefined && bullet.length > 1 && isHeading && !HEADING.test(line))
      notes.push(...bullet.splice(-1));
    endBullet();
    const named = line.startsWith("## ") ? parseHeading(line.slice(3)) : undefined;
    // Each once, and not among the notes: there a person has written them.
    const isTitle = !hasTitle && !hasNotes && line.trim() === `# ${title}`;
    const found = stamp === undefined && !hasNotes ? STAMP.exec(line)?.[1] : undefined;
    const isBullet = scope !== undefined && /^[-*+]\s+\S/u.test(line);
    if (named !== undefined) scope = named;
    else if (line === `## ${NOTES}` && !hasNotes) {
      hasNotes = true;
      scope = undefined;
    } else if (isTitle) hasTitle = true;
    else if (found !== undefined) stamp = found;
    else if (isBullet) bullet = [line.slice(1)];
    else if (line.trim() !== "" || isNote || scope === undefined) {
      if (isHeading) scope = undefined;
      notes.push(line);
      isNote = true;
      continue;
    }
    isNote = false;
  }
  endBullet();
  return { stamp, sections: [...sections.values()], notes: withoutBlankEnds(notes), end };
}

/** Without the mark that some editors put first, and whatever kind of line ends they write. */
function linesOf(text: string): readonly string[] {
  return text
    .replace(/^\uFEFF/u, "")
    .replace(/\r+(?=\n|$)/gu, "")
    .split("\n");
}

function withoutBlankEnds(lines: readonly string[]): string {
  const isText = (line: string): boolean => line.trim() !== "";
  return lines.slice(lines.findIndex(isText), lines.findLastIndex(isText) + 1).join("\n");
}
