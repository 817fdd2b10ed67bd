/**
 * The Markdown of a memory: MEMORY.md with the core facts, and a page for each day. The log is the truth; the pages show it, and
 * what was edited in them is taken in before they are written anew. A page that was edited meanwhile is read again first: an
 * edit is never written over. While the log is known to be damaged no page is written at all, and nothing is ever written
 * through a link, or over what is no file.
 */

import { join } from "node:path";
import { LonghandError } from "../../errors.ts";
import type { Host } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { makeDirectory } from "../../host/make-directories.ts";
import { namesIn } from "../../host/names-in.ts";
import { scopeCode } from "../scope.ts";
import type { ScopeView } from "../scope-view.ts";
import type { StoredMemoryLog } from "../stored-memory-log.ts";
import type { MemoryEntry, TakenIn } from "../types.ts";
import { contentsOf, type Contents } from "./contents.ts";
import type { Page, Section } from "./page.ts";
import { readPageFile, removeTemporaryPages, replacePageFile, type PageFile } from "./page-files.ts";
import { CORE_PAGE, DAILY, isDayPage, timeFor } from "./page-name.ts";
import { readPage, renderRead, type ReadPage } from "./read-page.ts";
import { digestOf, parseRenderedIds, renderedIdsAsText, type RenderedPageIds } from "./rendered-ids.ts";
import { takeIn } from "./take-in.ts";
import { Tellings } from "./tellings.ts";

const RENDERED = ".rendered.json";
/** Of those who edit the pages or write them at the same time. */
const LOCK = "#pages";
/** Somebody who saves more often than that while we write is at work; the next refresh takes it in. */
const MOST_PASSES = 10;
/** The same of a page that has no end. */
const MOST_WAITS = 5;

type Taken = { readonly [List in keyof TakenIn]: TakenIn[List][number][] };

/** Its calls must not overlap with each other, nor with a forgetting. */
export class MemoryPages {
  readonly #host: Host;
  readonly #directory: string;
  readonly #log: StoredMemoryLog;
  readonly #tellings: Tellings;

  constructor(host: Host, directory: string, log: StoredMemoryLog, onError: (error: LonghandError) => void) {
    this.#host = host;
    this.#directory = directory;
    this.#log = log;
    this.#tellings = new Tellings(directory, onError);
  }

  async open(): Promise<void> {
    await this.#log.withLock(LOCK, async () => {
      await removeTemporaryPages(this.#host, this.#directory);
      if (await this.#hasDays()) await removeTemporaryPages(this.#host, join(this.#directory, DAILY));
    });
  }

  /** Answers with what was taken in. */
  async refresh(): Promise<TakenIn> {
    return await this.#log.withLock(LOCK, async () => {
      const taken: Taken = { added: [], undone: [] };
      for (let passes = 1, isDone = false; !isDone && passes <= MOST_PASSES; passes++) {
        // It may have been mended meanwhile: then everything is read again.
        await this.#log.damage();
        const rendered = await this.#readRendered();
        const pages = await this.#readAll(rendered);
        await this.#takeInAll(pages, rendered, taken);
        const contents = contentsOf(await this.#log.views());
        // A page may be the last that has the words of an entry that cannot be read now.
        if ((await this.#log.damage()) !== undefined) break;
        isDone = await this.#writeAll(pages, contents, rendered);
      }
      return taken;
    });
  }

  /** Waits for those that are being saved, though not for ever. */
  async #readAll(rendered: ReadonlyMap<string, RenderedPageIds>): Promise<Map<string, ReadPage>> {
    const pages = new Map<string, ReadPage>();
    for (const name of [CORE_PAGE, ...(await this.#dayPages())]) {
      let page = await this.#readPage(name, rendered.get(name));
      for (let waits = 0; page.wait > 0 && waits < MOST_WAITS; waits++) {
        await this.#host.wait(page.wait);
        page = await this.#readPage(name, rendered.get(name));
      }
      if (page.wait > 0) this.#tellings.beingSaved(name);
      if (isObstacle(page)) this.#tellings.noFile(name);
      pages.set(name, page);
    }
    return pages;
  }

  async #readPage(name: string, rendered: RenderedPageIds | undefined): Promise<ReadPage> {
    const file = await readPageFile(this.#host, join(this.#directory, name));
    const isRendered = rendered?.digest === digestOf(file.text);
    return readPage(name, file, { now: this.#host.now(), isRendered });
  }

  async #takeInAll(
    pages: ReadonlyMap<string, ReadPage>,
    rendered: ReadonlyMap<string, RenderedPageIds>,
    taken: Taken,
  ): Promise<void> {
    const views = await this.#log.views();
    const isDamaged = (await this.#log.damage()) !== undefined;
    for (const [name, page] of pages) {
      const before = rendered.get(name);
      const isEdited = before?.digest !== digestOf(page.text);
      // What a repair could not save from the log can still be read on the page.
      const hasLost = !isDamaged && lacksSome(views, before);
      if (page.wait > 0 || isObstacle(page) || !(isEdited || hasLost)) continue;
      const { added, undone } = await takeIn(this.#log, this.#withoutForgotten(page, name, views), {
        ...{ file: name, at: timeFor(name, this.#host.now()), rendered: before, isCut: page.isCut },
      });
      taken.added.push(...added);
      taken.undone.push(...undone);
    }
  }

  /** An editor that was open meanwhile may save again what was forgotten, be it under another heading. */
  #withoutForgotten(page: Page, file: string, views: readonly ScopeView[]): Page {
    const isForgotten = (id: string | undefined): boolean =>
      id !== undefined && views.some((view) => view.forgotten(id) !== undefined);
    for (const { id } of page.sections.flatMap(({ entries }) => entries))
      if (id !== undefined && isForgotten(id)) this.#tellings.forgotten(file, id);
    const sections = page.sections.map(({ scope, entries }) => ({
      scope,
      entries: entries.filter(({ id }) => !isForgotten(id)),
    }));
    return { ...page, sections };
  }

  /** `false`: a page has changed since it was read. */
  async #writeAll(
    pages: ReadonlyMap<string, ReadPage>,
    contents: Contents,
    rendered: Map<string, RenderedPageIds>,
  ): Promise<boolean> {
    let isDone = true;
    const hasDays = await this.#hasDays();
    for (const name of new Set([...pages.keys(), ...contents.keys()])) {
      const read = pages.get(name);
      const isLeft = read === undefined ? name !== CORE_PAGE && !hasDays : read.wait > 0 || isObstacle(read);
      if (isLeft) continue;
      const sections = contents.get(name) ?? [];
      const page = renderRead(name, sections, read);
      if (read !== undefined && page.hasFragment) this.#tellings.brokenOff(name, read.fragment);
      const isWritten =
        page.text === read?.text ||
        (await replacePageFile(this.#host, join(this.#directory, name), page.text, read?.stat));
      if (isWritten)
        rendered.set(name, { stamp: page.stamp, digest: digestOf(page.text), ids: idsOf(sections) });
      else isDone = false;
    }
    await this.#writeRendered(rendered);
    return isDone;
  }

  async #dayPages(): Promise<readonly string[]> {
    if (!(await this.#hasDays())) return [];
    const names = await namesIn(this.#host.files, join(this.#directory, DAILY));
    return names
      .filter(isDayPage)
      .map((name) => `${DAILY}/${name}`)
      .sort();
  }

  /** Made where there is nothing. Somebody may have put something else in its place, or a link. */
  async #hasDays(): Promise<boolean> {
    const { files } = this.#host;
    const path = join(this.#directory, DAILY);
    const stat = await files.stat(path);
    if (stat === undefined)
      await makeDirectory(files, path).catch((error: unknown) => {
        throw ioError(error, "making the directory of the days", path);
      });
    else if (stat.kind !== "directory") this.#tellings.noDirectory(DAILY);
    return stat === undefined || stat.kind === "directory";
  }

  async #readRendered(): Promise<Map<string, RenderedPageIds>> {
    const file = await readPageFile(this.#host, join(this.#directory, RENDERED));
    if (isObstacle(file)) this.#tellings.noFile(RENDERED);
    return parseRenderedIds(file.text);
  }

  async #writeRendered(rendered: ReadonlyMap<string, RenderedPageIds>): Promise<void> {
    const path = join(this.#directory, RENDERED);
    const file = await readPageFile(this.#host, path);
    const next = renderedIdsAsText(rendered);
    if (next !== file.text && !isObstacle(file)) await replacePageFile(this.#host, path, next, file.stat);
  }
}

function isObstacle({ stat }: PageFile): boolean {
  return stat !== undefined && stat.kind !== "file";
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
