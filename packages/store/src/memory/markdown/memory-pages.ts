/**
 * The Markdown of a memory: MEMORY.md with the core facts, and a page for each day. The log is the truth; the pages show it, and
 * what was edited in them is taken in before they are written anew. A page that was edited meanwhile is read again first: an
 * edit is never written over. While the log is known to be damaged no page is written at all.
 */

import { join } from "node:path";
import { LonghandError } from "../../errors.ts";
import type { Host } from "../../host/host.ts";
import { makeDirectory } from "../../host/make-directories.ts";
import { namesIn } from "../../host/names-in.ts";
import { scopeCode } from "../scope.ts";
import type { ScopeView } from "../scope-view.ts";
import { isTime } from "../stored-entry.ts";
import type { StoredMemoryLog } from "../stored-memory-log.ts";
import type { MemoryEntry, Scope } from "../types.ts";
import type { Bullet } from "./bullet.ts";
import { parsePage, renderPage, type Page, type Section } from "./page.ts";
import { readPageFile, removeTemporaryPages, replacePageFile, type PageFile } from "./page-files.ts";
import { digestOf, parseRenderedIds, renderedIdsAsText, type RenderedPageIds } from "./rendered-ids.ts";
import { takeIn } from "./take-in.ts";

const CORE_PAGE = "MEMORY.md";
const DAILY = "daily";
const RENDERED = ".rendered.json";
const DAY_PAGE = /^(\d{4}-\d{2}-\d{2})\.md$/u;
/** Of those who edit the pages or write them at the same time. */
const LOCK = "#pages";
/** Somebody who saves more often than that while we write is at work; the next refresh takes it in. */
const MOST_PASSES = 10;

interface ReadPage extends PageFile {
  readonly notes: string;
}

/** Its calls must not overlap with each other, nor with a forgetting. */
export class MemoryPages {
  readonly #host: Host;
  readonly #directory: string;
  readonly #log: StoredMemoryLog;
  readonly #onError: (error: LonghandError) => void;
  /** The forgotten entries of which it was said that they came back. */
  readonly #told = new Set<string>();

  constructor(host: Host, directory: string, log: StoredMemoryLog, onError: (error: LonghandError) => void) {
    this.#onError = onError;
    this.#host = host;
    this.#directory = directory;
    this.#log = log;
  }

  async open(): Promise<void> {
    await makeDirectory(this.#host.files, join(this.#directory, DAILY));
    await this.#log.withLock(LOCK, async () => {
      await removeTemporaryPages(this.#host, this.#directory);
      await removeTemporaryPages(this.#host, join(this.#directory, DAILY));
    });
  }

  /** Answers with what was taken in. */
  async refresh(): Promise<readonly MemoryEntry[]> {
    return await this.#log.withLock(LOCK, async () => {
      const taken: MemoryEntry[] = [];
      for (let passes = 1, isDone = false; !isDone && passes <= MOST_PASSES; passes++) {
        // It may have been mended meanwhile: then everything is read again.
        await this.#log.damage();
        const rendered = await this.#readRendered();
        const pages = await this.#takeInAll(rendered, taken);
        const contents = await this.#contents();
        // A page may be the last that has the words of an entry that cannot be read now.
        if ((await this.#log.damage()) !== undefined) break;
        isDone = await this.#writeAll(pages, contents, rendered);
      }
      return taken;
    });
  }

  async #takeInAll(
    rendered: ReadonlyMap<string, RenderedPageIds>,
    taken: MemoryEntry[],
  ): Promise<Map<string, ReadPage>> {
    const pages = new Map<string, ReadPage>();
    const views = await this.#log.views();
    const isDamaged = (await this.#log.damage()) !== undefined;
    for (const name of [CORE_PAGE, ...(await this.#dayPages())]) {
      const file = await readPageFile(this.#host, join(this.#directory, name));
      const page = parsePage(titleOf(name), file.text);
      const origin = { file: name, at: this.#timeFor(name), rendered: rendered.get(name) };
      const kind = name === CORE_PAGE ? "core" : "daily";
      const isEdited = origin.rendered?.digest !== digestOf(file.text);
      // What a repair could not save from the log can still be read on the page.
      const hasLost = !isDamaged && lacksSome(views, origin.rendered);
      if (isEdited || hasLost) {
        const known = this.#withoutForgotten(page, name, views);
        taken.push(...(await takeIn(this.#log, known, { ...origin, kind })));
      }
      pages.set(name, { ...file, notes: page.notes });
    }
    return pages;
  }

  /** An editor that was open meanwhile may save again what was forgotten, be it under another heading. */
  #withoutForgotten(page: Page, file: string, views: readonly ScopeView[]): Page {
    const isForgotten = ({ id }: Bullet): boolean =>
      id !== undefined && views.some((view) => view.forgotten(id) !== undefined);
    for (const { id } of page.sections.flatMap(({ entries }) => entries.filter(isForgotten))) {
      if (id === undefined || this.#told.has(id)) continue;
      this.#told.add(id);
      this.#onError(
        new LonghandError(
          "OPTION_INVALID",
          `${file} had a line of the entry ${id}, which was forgotten: it was not taken in. To remember it anew, write it without the comment that names the entry`,
          { file: join(this.#directory, file), id },
        ),
      );
    }
    const sections = page.sections.map(({ scope, entries }) => ({
      scope,
      entries: entries.filter((bullet) => !isForgotten(bullet)),
    }));
    return { ...page, sections };
  }

  /** `false`: a page has changed since it was read. */
  async #writeAll(
    pages: ReadonlyMap<string, ReadPage>,
    contents: ReadonlyMap<string, readonly Section<MemoryEntry>[]>,
    rendered: Map<string, RenderedPageIds>,
  ): Promise<boolean> {
    let isDone = true;
    for (const name of new Set([...pages.keys(), ...contents.keys()])) {
      const { text, stat, notes } = pages.get(name) ?? { text: "", stat: undefined, notes: "" };
      const sections = contents.get(name) ?? [];
      const page = renderPage(titleOf(name), sections, notes);
      const isWritten =
        page.text === text ||
        (await replacePageFile(this.#host, join(this.#directory, name), page.text, stat));
      if (isWritten)
        rendered.set(name, { stamp: page.stamp, digest: digestOf(page.text), ids: idsOf(sections) });
      else isDone = false;
    }
    await this.#writeRendered(rendered);
    return isDone;
  }

  /** What is current, by page; MEMORY.md also where it is empty, so that there is a place to write to. */
  async #contents(): Promise<Map<string, Section<MemoryEntry>[]>> {
    const contents = new Map<string, Section<MemoryEntry>[]>([[CORE_PAGE, []]]);
    for (const { scope, entries } of await this.#log.views()) {
      const byPage = new Map<string, MemoryEntry[]>();
      for (const entry of entries.filter(({ status }) => status === "current")) {
        const name = entry.kind === "core" ? CORE_PAGE : `${DAILY}/${entry.at.slice(0, 10)}.md`;
        const list = byPage.get(name);
        if (list === undefined) byPage.set(name, [entry]);
        else list.push(entry);
      }
      for (const [name, list] of byPage) addSection(contents, name, scope, list);
    }
    return contents;
  }

  async #dayPages(): Promise<readonly string[]> {
    const names = await namesIn(this.#host.files, join(this.#directory, DAILY));
    return names
      .filter((name) => isDay(DAY_PAGE.exec(name)?.[1]))
      .map((name) => `${DAILY}/${name}`)
      .sort();
  }

  /** A line on the page of a day belongs to that day. */
  #timeFor(name: string): string | undefined {
    const day = titleOf(name);
    const today = new Date(this.#host.now()).toISOString().slice(0, 10);
    return name === CORE_PAGE || day === today ? undefined : `${day}T00:00:00.000Z`;
  }

  async #readRendered(): Promise<Map<string, RenderedPageIds>> {
    return parseRenderedIds((await readPageFile(this.#host, join(this.#directory, RENDERED))).text);
  }

  async #writeRendered(rendered: ReadonlyMap<string, RenderedPageIds>): Promise<void> {
    const path = join(this.#directory, RENDERED);
    const { text, stat } = await readPageFile(this.#host, path);
    const next = renderedIdsAsText(rendered);
    if (next !== text) await replacePageFile(this.#host, path, next, stat);
  }
}

function titleOf(name: string): string {
  return DAY_PAGE.exec(name.slice(DAILY.length + 1))?.[1] ?? "Memory";
}

function isDay(text: string | undefined): boolean {
  return isTime(`${text ?? ""}T00:00:00.000Z`);
}

function addSection(
  contents: Map<string, Section<MemoryEntry>[]>,
  name: string,
  scope: Scope,
  entries: readonly MemoryEntry[],
): void {
  const sections = contents.get(name) ?? [];
  sections.push({ scope, entries });
  contents.set(name, sections);
}

/** An entry is not in the log any more, though nobody has forgotten it. */
function lacksSome(views: readonly ScopeView[], rendered: RenderedPageIds | undefined): boolean {
  const byCode = new Map(views.map((view) => [scopeCode(view.scope), view]));
  return [...(rendered?.ids ?? [])].some(([code, ids]) => {
    const view = byCode.get(code);
    return ids.some((id) => view?.entry(id) === undefined && view?.forgotten(id) === undefined);
  });
}

function idsOf(sections: readonly Section<MemoryEntry>[]): ReadonlyMap<string, readonly string[]> {
  return new Map(sections.map(({ scope, entries }) => [scopeCode(scope), entries.map(({ id }) => id)]));
}
