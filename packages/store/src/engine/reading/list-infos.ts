/**
 * The listing of a store: the info of every session, from the catalog where a stat proves that it holds, else from the session's
 * file. Each session once, also one that is moved meanwhile.
 *
 * While no name in the three directories changes, one pass over the names is the whole listing. That no name has changed is told
 * by the times of the directories, before and after. Otherwise, or if one was changed so lately that the next change might not
 * show, it goes on as `everySessionFile` does, which misses none.
 */

import type { SessionInfo } from "../../format/session-record.ts";
import type { FileStat, FileSystem, Host } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { isSameFile } from "../../host/is-same-file.ts";
import type { Layout } from "../../format/layout.ts";
import { isSameVersion, SETTLED_MS } from "../../index/catalog.ts";
import { everySessionFile } from "../files/every-session-file.ts";
import { filesIn, PUT_AWAY, tryReadHeader, type SessionFile } from "../files/find-session-file.ts";
import { misplaced, tryRead } from "./list-sessions.ts";
import { readPlainSession } from "./read-info.ts";
import type { ReadPlace } from "./read-session.ts";
import { SessionCatalog, type CatalogDeps } from "./session-catalog.ts";

export interface ListDeps extends CatalogDeps {
  readonly host: Pick<Host, "files" | "now" | "processes">;
  readonly place: ReadPlace;
  /** Told how many sessions were looked at, of how many. */
  readonly onProgress: (done: number, total: number) => void;
}

/** `open`: sessions that this instance has open, which it knows better than their files, and the paths of those. */
export async function listInfos(
  deps: ListDeps,
  open: readonly { readonly info: SessionInfo; readonly path: string }[] = [],
): Promise<readonly SessionInfo[]> {
  const listing = new Listing(deps, await SessionCatalog.open(deps));
  for (const { info, path } of open) listing.addOpen(info, path);
  return await listing.complete();
}

class Listing {
  readonly #deps: ListDeps;
  readonly #catalog: SessionCatalog | undefined;
  readonly #infos: SessionInfo[] = [];
  readonly #seen = new Set<string>();
  /** By path: the file that was read, whose session is listed. `undefined`: one that is open, and may be moved. */
  readonly #met = new Map<string, FileStat | undefined>();
  #total = 0;

  constructor(deps: ListDeps, catalog: SessionCatalog | undefined) {
    this.#deps = deps;
    this.#catalog = catalog;
  }

  addOpen(info: SessionInfo, path: string): void {
    this.#add(info);
    this.#met.set(path, undefined);
  }

  async complete(): Promise<readonly SessionInfo[]> {
    if (!(await this.#listUnchanged())) await this.#listWhileChanged();
    await this.#catalog?.save().catch((error: unknown) => {
      const { cache } = this.#deps.layout;
      this.#deps.place.onError(ioError(error, "writing the catalog of sessions", cache));
    });
    return this.#infos;
  }

  /** False: a name has changed, or may have. */
  async #listUnchanged(): Promise<boolean> {
    const { host, layout } = this.#deps;
    const now = host.now();
    const before = await directoriesOf(host.files, layout);
    if (!before.every((stat) => stat === undefined || isSettled(stat, now))) return false;
    const found = await filesIn(host.files, layout, "active");
    for (const status of PUT_AWAY) found.push(...(await filesIn(host.files, layout, status)));
    this.#total = found.length;
    for (const file of this.#catalog?.inOrder(found) ?? found) {
      const looked = this.#look(file, false);
      if (looked !== undefined) await looked;
    }
    const after = await directoriesOf(host.files, layout);
    return before.every((stat, index) => isUnchanged(stat, after[index]));
  }

  async #listWhileChanged(): Promise<void> {
    const { host, layout } = this.#deps;
    const onCount = (count: number): void => void (this.#total = count);
    for await (const { file, isAgain } of everySessionFile(host.files, layout, onCount)) {
      const looked = this.#look(file, isAgain);
      if (looked !== undefined) await looked;
    }
  }

  /** Without a promise where the host has answered at once and the catalog knows the session. */
  #look(file: SessionFile, isAgain: boolean): Promise<void> | undefined {
    const lookAt = (stat: FileStat | undefined): Promise<void> | undefined =>
      stat === undefined ? undefined : this.#lookAt(file, stat, isAgain);
    // Whoever reads it tells what is wrong.
    const read = async (): Promise<void> => await this.#read(file, undefined, isAgain);
    try {
      const stat = this.#deps.host.files.stat(file.path);
      return stat instanceof Promise ? stat.then(lookAt, read) : lookAt(stat);
    } catch {
      return read();
    }
  }

  #lookAt(file: SessionFile, stat: FileStat, isAgain: boolean): Promise<void> | undefined {
    const isMet = this.#met.has(file.path);
    if (isMet && isSameFile(stat, this.#met.get(file.path))) return undefined;
    const entry = stat.kind === "file" ? this.#catalog?.find(file, stat) : undefined;
    if (entry === undefined || this.#deps.place.patchesOf({ id: entry.info.id, file: entry.file }).length > 0)
      return this.#read(file, stat, isAgain || isMet);
    if (this.#add(entry.info)) this.#catalog?.keep(entry);
    return undefined;
  }

  async #read(file: SessionFile, stat: FileStat | undefined, isAgain: boolean): Promise<void> {
    const { place } = this.#deps;
    const id = isAgain ? (await tryReadHeader(place.files, file.path, () => undefined))?.id : undefined;
    if (id !== undefined && this.#seen.has(id)) return;
    const plain = await readPlainSession(place, file);
    if (plain === undefined) return;
    if (plain === "unusual" || misplaced(plain.info, file) !== undefined) {
      const snapshot = await tryRead(place, file);
      if (snapshot !== undefined) this.#add(snapshot.info);
      return;
    }
    if (isSameFile(plain.stat, stat)) this.#met.set(file.path, stat);
    if (this.#add(plain.info) && plain.isInOneFile) this.#catalog?.add(file.name, plain.stat, plain);
  }

  /** False: it is listed already. */
  #add(info: SessionInfo): boolean {
    if (this.#seen.has(info.id)) return false;
    this.#seen.add(info.id);
    this.#infos.push(info);
    this.#deps.onProgress(this.#infos.length, Math.max(this.#total, this.#infos.length));
    return true;
  }
}

/** Of active, archived and trashed sessions. */
async function directoriesOf(files: FileSystem, layout: Layout): Promise<readonly (FileStat | undefined)[]> {
  const stats: (FileStat | undefined)[] = [];
  for (const path of [layout.directory, layout.archive, layout.trash]) stats.push(await files.stat(path));
  return stats;
}

/** Whatever is changed from `now` on shows in its times. */
function isSettled({ changed, modified }: FileStat, now: number): boolean {
  return now - Math.max(changed, modified) > SETTLED_MS;
}

function isUnchanged(before: FileStat | undefined, after: FileStat | undefined): boolean {
  return before === undefined || after === undefined ? before === after : isSameVersion(before, after);
}
