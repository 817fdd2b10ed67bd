/**
 * The catalog of a store as a file in its cache: read at the beginning of a listing, written again at its end if enough was not
 * in it. Several processes may write it: each puts a whole one in the place of the other, and every entry is proven by a stat
 * before it is used, so that it does not matter which of them stays.
 *
 * Used only where a stat can be relied on: on a file system of this machine. A network file system may answer with what it knew
 * some seconds ago. It must have been written since the machine was started: a power cut may leave a file its size and its times
 * without its bytes.
 */

import type { Awaitable, FileStat, FileSystem, Host } from "../../host/host.ts";
import { LOCAL_FILE_SYSTEMS } from "../../host/host.ts";
import { errorCode } from "../../host/io-error.ts";
import { promised } from "../../host/promised.ts";
import { readWholeFile, removeIfThere } from "../../host/small-files.ts";
import { useFile } from "../../host/use-file.ts";
import { writeFully } from "../../host/write-fully.ts";
import type { Layout } from "../../format/layout.ts";
import {
  CatalogRows,
  decodeCatalog,
  encodeCatalog,
  fromRow,
  SETTLED_MS,
  toRow,
  type CatalogEntry,
  type CatalogRow,
} from "../../index/catalog.ts";
import type { SessionFile } from "../files/find-session-file.ts";

export interface CatalogDeps {
  readonly host: Pick<Host, "files" | "now" | "processes">;
  readonly layout: Layout;
  /** A name for a file that is being written; absent: the store is opened for reading and writes nothing. */
  readonly temporaryPath?: (() => Awaitable<string>) | undefined;
}

export interface KnownSession extends CatalogEntry {
  readonly row: CatalogRow;
}

const MAX_BYTES = 256 * 1024 * 1024;
/** Writing all of it again costs about as much as reading one in so many sessions. */
const WORTH_WRITING = 64;

export class SessionCatalog {
  readonly #deps: CatalogDeps;
  readonly #bootId: string;
  readonly #known: CatalogRows;
  /** Before anything was looked at. */
  readonly #startedAt: number;
  readonly #current: CatalogRow[] = [];
  #added = 0;

  private constructor(deps: CatalogDeps, bootId: string, known: CatalogRows) {
    this.#deps = deps;
    this.#bootId = bootId;
    this.#known = known;
    this.#startedAt = deps.host.now();
  }

  /** `undefined`: here a stat proves nothing. Never rejects because of what is in the cache. */
  static async open(deps: CatalogDeps): Promise<SessionCatalog | undefined> {
    const { files, processes } = deps.host;
    const { bootId } = processes.self;
    const type = await files.typeAt(deps.layout.directory);
    if (bootId === undefined || type === undefined || !LOCAL_FILE_SYSTEMS.has(type)) return undefined;
    const bytes = await readWholeFile(files, pathOf(deps.layout), MAX_BYTES).catch((error: unknown) => {
      if (errorCode(error) === undefined) throw error;
      return undefined;
    });
    const known = bytes === undefined ? undefined : decodeCatalog(bytes, bootId);
    return new SessionCatalog(deps, bootId, known ?? new CatalogRows());
  }

  /** `stat` is that of the file now. `undefined`: it must be read. */
  find({ status, name }: SessionFile, stat: FileStat): KnownSession | undefined {
    const row = this.#known.find(status, name, stat);
    if (row === undefined) return undefined;
    const entry = fromRow(row, status);
    return entry === undefined ? undefined : { file: entry.file, info: entry.info, row };
  }

  /** In the order in which it costs least to sort what is listed. */
  inOrder(files: readonly SessionFile[]): readonly SessionFile[] {
    return this.#known.inOrder(files);
  }

  /** It is listed, and stays in the catalog. */
  keep({ row }: KnownSession): void {
    this.#current.push(row);
  }

  /** A session that was read, in whose file nothing was damaged. `stat`: of its file, before it was read. */
  add(name: string, stat: FileStat, entry: CatalogEntry): void {
    // Changed so lately that the next change might not show.
    if (this.#startedAt - stat.changed <= SETTLED_MS) return;
    this.#current.push(toRow(name, stat, entry));
    this.#added += 1;
  }

  /** After a listing that has looked at everything. Not synced: what a power cut takes is read again. */
  async save(): Promise<void> {
    const { host, layout, temporaryPath } = this.#deps;
    const gone = this.#known.size + this.#added - this.#current.length;
    if (temporaryPath === undefined || Math.max(this.#added, gone) * WORTH_WRITING < this.#current.length + 1)
      return;
    const bytes = encodeCatalog(this.#bootId, this.#current);
    if (bytes.length > MAX_BYTES) return;
    await replaceFile(host.files, layout, await temporaryPath(), bytes);
  }
}

function pathOf({ cache }: Layout): string {
  return `${cache}/catalog`;
}

async function replaceFile(
  files: FileSystem,
  layout: Layout,
  temporary: string,
  bytes: Buffer,
): Promise<void> {
  await promised(() => files.makeDirectory(layout.cache)).catch((error: unknown) => {
    if (errorCode(error) !== "EEXIST") throw error;
  });
  // A link there would lead out of the store.
  if ((await files.stat(layout.cache))?.kind !== "directory") return;
  try {
    await useFile(await files.open(temporary, "create"), async (file) => await writeFully(file, bytes, 0));
    await files.rename(temporary, pathOf(layout));
  } catch (error) {
    await removeIfThere(files, temporary).catch(() => undefined);
    throw error;
  }
}
