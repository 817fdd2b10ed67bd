/** The sessions that the store has already, as far as a migration must know them. */

import type { FileSystem } from "../host/host.ts";
import { namesIn } from "../host/names-in.ts";
import { useFile } from "../host/use-file.ts";
import { patchedSource } from "../session/byte-source.ts";
import { readHeaderLine } from "../session/header-line.ts";
import { readLinesBackwards } from "../session/read-lines.ts";
import { decodeLine } from "../format/decode.ts";
import { decodeHeader } from "../format/header.ts";
import { fileNameOf, SESSION_SUFFIX } from "../format/key.ts";
import type { MigrationPlaces } from "./migration-places.ts";

export interface ExistingSession {
  readonly id: string;
  readonly updated: string;
  readonly status: "active" | "archived";
}

const ID = /[0-7][0-9A-HJKMNP-TV-Z]{25}/;

export class ExistingSessions {
  readonly #files: FileSystem;
  readonly #places: MigrationPlaces;
  /** Their file names, by what comes before the id. */
  readonly #archived: ReadonlyMap<string, readonly string[]>;
  /** Ids of sessions that were put away or removed. */
  readonly #gone: ReadonlySet<string>;

  private constructor(
    files: FileSystem,
    places: MigrationPlaces,
    archived: ReadonlyMap<string, readonly string[]>,
    gone: ReadonlySet<string>,
  ) {
    this.#files = files;
    this.#places = places;
    this.#archived = archived;
    this.#gone = gone;
  }

  static async look(files: FileSystem, places: MigrationPlaces): Promise<ExistingSessions> {
    const archived = await namesIn(files, places.archive);
    const trashed = await namesIn(files, places.trash);
    const removed = await namesIn(files, places.removed);
    const gone = [...archived, ...trashed, ...removed].flatMap((name) => ID.exec(name)?.[0] ?? []);
    const byStart = new Map<string, string[]>();
    for (const name of archived) {
      const start = name.replace(ID, "").slice(0, -`.${SESSION_SUFFIX}`.length);
      byStart.set(start, [...(byStart.get(start) ?? []), name]);
    }
    return new ExistingSessions(files, places, byStart, new Set(gone));
  }

  /** This very session was put away or removed. */
  wasPutAway(id: string): boolean {
    return this.#gone.has(id);
  }

  async of(key: string): Promise<ExistingSession[]> {
    const name = fileNameOf(key);
    const active = await this.#read(`${this.#places.directory}/${name}`, key, "active");
    const found = active === undefined ? [] : [active];
    for (const archived of this.#archived.get(name.slice(0, -SESSION_SUFFIX.length)) ?? []) {
      const session = await this.#read(`${this.#places.archive}/${archived}`, key, "archived");
      if (session !== undefined) found.push(session);
    }
    return found;
  }

  async #read(
    path: string,
    key: string,
    status: ExistingSession["status"],
  ): Promise<ExistingSession | undefined> {
    if ((await this.#files.stat(path))?.kind !== "file") return undefined;
    return await useFile(await this.#files.open(path, "read"), async (file) => {
      const source = patchedSource(file, (await file.stat()).size, []);
      const line = await readHeaderLine(source);
      const decoded = decodeHeader(line.content);
      if (decoded.kind !== "header" || decoded.header.key !== key) return undefined;
      const { id, at, chain } = decoded.header;
      let updated = chain.at(-1)?.until ?? at;
      search: for await (const lines of readLinesBackwards(source, line.bytes, source.size)) {
        for (const { content } of lines) {
          const last = content === undefined ? undefined : decodeLine(content, id);
          if (last?.kind !== "entry") continue;
          updated = last.entry.at;
          break search;
        }
      }
      return { id, updated, status };
    });
  }
}
