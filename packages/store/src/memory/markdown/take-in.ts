/**
 * Edits by hand become entries: a changed line one that supersedes, a new line one of its own; a line that was removed is taken back,
 * together with what it had replaced, or that would stand in its place. Taking in the same page again changes nothing,
 * so that a crash before the page was written anew does no harm.
 */

import type { Additions, EntryToAdd, MemoryLog } from "../memory-log.ts";
import { parseScopeCode, scopeCode } from "../scope.ts";
import type { ScopeView } from "../scope-view.ts";
import type { MemoryEntry, TakenIn } from "../types.ts";
import { shownText, type Bullet } from "./bullet.ts";
import type { Page } from "./page.ts";
import { CORE_PAGE, pageOf } from "./page-name.ts";
import type { RenderedPageIds } from "./rendered-ids.ts";

export interface PageOrigin {
  /** Relative to the memory's directory. */
  readonly file: string;
  /** Of new entries: such that they are shown on this page. */
  readonly at: string;
  /** What the page had when it was rendered; `undefined`: that is not known. */
  readonly rendered: RenderedPageIds | undefined;
  /** What is missing may have been cut off: nothing is taken back. */
  readonly isCut: boolean;
}

export async function takeIn(log: MemoryLog, page: Page, origin: PageOrigin): Promise<TakenIn> {
  const { rendered } = origin;
  const known =
    rendered !== undefined && rendered.stamp === page.stamp ? rendered.ids : new Map<string, string[]>();
  const added: MemoryEntry[] = [];
  for (const { scope, entries } of page.sections) {
    const before = known.get(scopeCode(scope));
    const decide = (view: ScopeView): Additions => ({ entries: additionsOf(view, entries, before, origin) });
    added.push(...(await log.add(scope, decide)));
  }
  const undone: MemoryEntry[] = [];
  const codes = new Set([...known.keys(), ...page.sections.map(({ scope }) => scopeCode(scope))]);
  for (const code of origin.isCut ? [] : codes)
    undone.push(...(await takeBack(log, page, code, known.get(code) ?? [], origin)));
  return { added, undone };
}

/** `before`: the ids that the section had when it was rendered. */
function additionsOf(
  view: ScopeView,
  lines: readonly Bullet[],
  before: readonly string[] | undefined,
  { file, at }: PageOrigin,
): readonly EntryToAdd[] {
  const bullets = identified(view, lines, before ?? [], file);
  const shown = new Set(
    view.entries
      .filter((entry) => entry.status === "current" && pageOf(entry) === file)
      .map((entry) => shownText(entry.text)),
  );
  const standing = standingOf(view, bullets);
  const additions: EntryToAdd[] = [];
  for (const bullet of bullets) {
    const { id, text } = bullet;
    if (text === "" || shown.has(shownText(text))) continue;
    if (id !== undefined && view.forgotten(id) !== undefined) continue;
    // Superseded or undone since the page was rendered; a line that was put back by hand is a new one.
    if (id !== undefined && isUnchanged(view, bullet) && (before === undefined || before.includes(id)))
      continue;
    const isReplacing = id !== undefined && !standing.has(id) && view.entry(id)?.status === "current";
    shown.add(shownText(text));
    if (isReplacing) standing.add(id);
    additions.push({
      ...{ text, at, kind: file === CORE_PAGE ? "core" : "daily", source: { by: "hand", file } },
      ...(isReplacing ? { supersedes: [id] } : {}),
    });
  }
  return additions;
}

/** `before` as above; and the lines whose words were changed to those of another entry: they stand there twice otherwise. */
async function takeBack(
  log: MemoryLog,
  page: Page,
  code: string,
  before: readonly string[],
  { file }: PageOrigin,
): Promise<readonly MemoryEntry[]> {
  const scope = parseScopeCode(code);
  if (scope === undefined) return [];
  const lines = page.sections.find((section) => scopeCode(section.scope) === code)?.entries ?? [];
  const view = await log.read(scope);
  const bullets = identified(view, lines, before, file);
  const standing = standingOf(view, bullets);
  const removed = [...new Set([...before, ...bullets.flatMap(({ id }) => id ?? [])])].filter(
    (id) => !standing.has(id) && view.entry(id)?.status === "current",
  );
  const undone = removed.flatMap((id) => view.entry(id) ?? []);
  for (let index = 0; index < removed.length; index++) {
    removed.push(...(view.entry(removed[index] ?? "")?.supersedes ?? []));
  }
  if (removed.length > 0) await log.undo(scope, removed);
  return undone;
}

/**
 * A line that was copied from another page is none of that entry's. One whose comment was removed still is the entry's that it
 * was, if the words are the same and nothing else stands for it.
 */
function identified(
  view: ScopeView,
  lines: readonly Bullet[],
  before: readonly string[],
  file: string,
): readonly Bullet[] {
  const bullets = lines.map((bullet) => {
    const entry = view.entry(bullet.id ?? "");
    return entry === undefined || pageOf(entry) === file ? bullet : { ...bullet, id: undefined };
  });
  const present = new Set(bullets.map(({ id }) => id));
  const missing = new Map<string, string[]>();
  for (const id of before.filter((each) => !present.has(each))) {
    const text = shownText(view.entry(id)?.text ?? "");
    missing.set(text, [...(missing.get(text) ?? []), id]);
  }
  return bullets.map(({ id, text }) => ({ id: id ?? missing.get(shownText(text))?.shift(), text }));
}

function standingOf(view: ScopeView, bullets: readonly Bullet[]): Set<string | undefined> {
  return new Set(bullets.filter((bullet) => isUnchanged(view, bullet)).map(({ id }) => id));
}

function isUnchanged(view: ScopeView, { id, text }: Bullet): boolean {
  return id !== undefined && shownText(view.entry(id)?.text ?? "") === shownText(text);
}
