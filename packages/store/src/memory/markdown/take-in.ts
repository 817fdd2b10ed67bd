/**
 * Edits by hand become entries: a changed line one that supersedes, a new line one of its own; a line that was removed is taken back,
 * together with what it had replaced, or that would stand in its place. Taking in the same page again changes nothing,
 * so that a crash before the page was written anew does no harm.
 */

import type { Additions, EntryToAdd, MemoryLog } from "../memory-log.ts";
import { parseScopeCode, scopeCode } from "../scope.ts";
import type { ScopeView } from "../scope-view.ts";
import type { MemoryEntry, MemoryKind } from "../types.ts";
import { shownText, type Bullet } from "./bullet.ts";
import type { Page } from "./page.ts";
import type { RenderedPageIds } from "./rendered-ids.ts";

export interface PageOrigin {
  /** Relative to the memory's directory. */
  readonly file: string;
  readonly kind: MemoryKind;
  /** Of new entries. `undefined`: now. */
  readonly at: string | undefined;
  /** What the page had when it was rendered; `undefined`: that is not known. */
  readonly rendered: RenderedPageIds | undefined;
}

export async function takeIn(
  log: MemoryLog,
  page: Page,
  origin: PageOrigin,
): Promise<readonly MemoryEntry[]> {
  const { rendered } = origin;
  const known =
    rendered !== undefined && rendered.stamp === page.stamp ? rendered.ids : new Map<string, string[]>();
  const added: MemoryEntry[] = [];
  for (const { scope, entries } of page.sections) {
    const before = known.get(scopeCode(scope));
    const decide = (view: ScopeView): Additions => ({ entries: additionsOf(view, entries, before, origin) });
    added.push(...(await log.add(scope, decide)));
  }
  const codes = new Set([...known.keys(), ...page.sections.map(({ scope }) => scopeCode(scope))]);
  for (const code of codes) await takeBack(log, page, code, known.get(code) ?? []);
  return added;
}

/** `before`: the ids that the section had when it was rendered. */
function additionsOf(
  view: ScopeView,
  bullets: readonly Bullet[],
  before: readonly string[] | undefined,
  { kind, file, at }: PageOrigin,
): readonly EntryToAdd[] {
  const shown = new Set(
    view.entries
      .filter((entry) => entry.status === "current" && entry.kind === kind)
      .map((entry) => shownText(entry.text)),
  );
  const standing = new Set(bullets.filter((bullet) => isUnchanged(view, bullet)).map(({ id }) => id));
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
      ...{ text, kind, source: { by: "hand", file } },
      ...(isReplacing ? { supersedes: [id] } : {}),
      ...(at === undefined ? {} : { at }),
    });
  }
  return additions;
}

/** `before` as above; and the lines whose words were changed to those of another entry: they stand there twice otherwise. */
async function takeBack(log: MemoryLog, page: Page, code: string, before: readonly string[]): Promise<void> {
  const scope = parseScopeCode(code);
  if (scope === undefined) return;
  const bullets = page.sections.find((section) => scopeCode(section.scope) === code)?.entries ?? [];
  const view = await log.read(scope);
  const standing = new Set(bullets.filter((bullet) => isUnchanged(view, bullet)).map(({ id }) => id));
  const removed = [...new Set([...before, ...bullets.flatMap(({ id }) => id ?? [])])].filter(
    (id) => !standing.has(id) && view.entry(id)?.status === "current",
  );
  for (let index = 0; index < removed.length; index++) {
    removed.push(...(view.entry(removed[index] ?? "")?.supersedes ?? []));
  }
  if (removed.length > 0) await log.undo(scope, removed);
}

function isUnchanged(view: ScopeView, { id, text }: Bullet): boolean {
  return id !== undefined && shownText(view.entry(id)?.text ?? "") === shownText(text);
}
