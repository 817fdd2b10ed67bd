/**
 * Other names of sessions. Older programs let one session be reached by several keys; a migration keeps that: for each
 * such name there is a small file that says whose it is.
 *
 * A key that has a session of its own, active, archived or in the trash, is never another's name: what was done to its own
 * could go on with somebody else's once that is gone. A damaged file is never passed over: a session begun in its place
 * would hide the one that is meant.
 */

import { LonghandError } from "../../../errors.ts";
import type { FileSystem } from "../../../host/host.ts";
import { namesIn } from "../../../host/names-in.ts";
import { readSmallFile, removeIfThere } from "../../../host/small-files.ts";
import { aliasFileName, MAX_ALIAS_BYTES, readAlias } from "../../../migrate/aliases.ts";
import { SESSION_SUFFIX } from "../../../record/key.ts";
import { everySessionFile } from "./every-session-file.ts";
import { aliasPath, idInName, type Layout } from "./layout.ts";

const ALIAS_SUFFIX = ".json";

export const DAMAGED_ALIAS =
  'it no longer says which session is meant by this other key. The notes "migrated-from" name the aliases of each session; remove the file to give the key a session of its own';

/** SESSION_EXISTS: by this key another session is meant, or perhaps one that nobody can name: none may be begun for it. */
export async function checkNoAlias(files: FileSystem, layout: Layout, key: string): Promise<void> {
  if (!(await isAlias(files, layout, key))) return;
  const file = aliasPath(layout, key);
  throw new LonghandError(
    "SESSION_EXISTS",
    `${JSON.stringify(key)} is another name of a session (${file}); open the store again to reach that`,
    { key, file },
  );
}

export async function isAlias(files: FileSystem, layout: Layout, key: string): Promise<boolean> {
  return (await files.stat(aliasPath(layout, key))) !== undefined;
}

/** In memory, so that a write need not wait for a disk before it joins its queue: writes keep the order of the calls. */
export class AliasTable {
  readonly #files: FileSystem;
  readonly #layout: Layout;
  readonly #mayChange: boolean;
  /** By the name of the alias's file: the key that is meant; `undefined`: the file is damaged. */
  readonly #targets = new Map<string, string | undefined>();

  private constructor(files: FileSystem, layout: Layout, mayChange: boolean) {
    this.#files = files;
    this.#layout = layout;
    this.#mayChange = mayChange;
  }

  /** `mayChange`: names that mean nothing any more are removed. */
  static async read(files: FileSystem, layout: Layout, mayChange: boolean): Promise<AliasTable> {
    const table = new AliasTable(files, layout, mayChange);
    const names = await namesIn(files, layout.aliases);
    await table.#look(names.filter((name) => name.endsWith(ALIAS_SUFFIX) && !name.startsWith(".")));
    return table;
  }

  /** The file of this name no longer says whose it is. */
  isDamaged(key: string): boolean {
    const name = aliasFileName(key);
    return this.#targets.has(name) && this.#targets.get(name) === undefined;
  }

  /** The key whose session is meant; mostly itself. SESSION_DAMAGED if nobody can tell. */
  meant(key: string): string {
    if (!this.isDamaged(key)) return this.#targets.get(aliasFileName(key)) ?? key;
    const path = aliasPath(this.#layout, key);
    throw new LonghandError("SESSION_DAMAGED", `${path}: ${DAMAGED_ALIAS}`, { file: path, key });
  }

  /** Looks again: another process may have migrated since, or a person have removed a damaged file. */
  async learn(key: string): Promise<void> {
    await this.#look([aliasFileName(key)]);
  }

  async #look(names: readonly string[]): Promise<void> {
    const texts = new Map<string, string>();
    for (const name of names) {
      const text = await readSmallFile(this.#files, `${this.#layout.aliases}/${name}`, MAX_ALIAS_BYTES);
      if (text !== undefined) texts.set(name, text);
    }
    const own = texts.size === 0 ? new Set<string>() : await this.#namesWithSessions();
    // All at once: whoever asks meanwhile is answered with what was known before.
    for (const name of names) {
      const text = texts.get(name);
      if (text === undefined || own.has(name)) this.#targets.delete(name);
      else this.#targets.set(name, readAlias(text, name)?.key);
    }
    await this.#remove([...texts.keys()].filter((name) => own.has(name)));
  }

  /** As the files of their aliases would be called: all keys that have a session somewhere. */
  async #namesWithSessions(): Promise<ReadonlySet<string>> {
    const own = new Set<string>();
    for await (const { file } of everySessionFile(this.#files, this.#layout)) {
      const id = idInName(file);
      const ending = id === undefined ? SESSION_SUFFIX : `.${id}${SESSION_SUFFIX}`;
      own.add(`${file.name.slice(0, -ending.length)}${ALIAS_SUFFIX}`);
    }
    return own;
  }

  async #remove(names: readonly string[]): Promise<void> {
    if (!this.#mayChange || names.length === 0) return;
    for (const name of names) await removeIfThere(this.#files, `${this.#layout.aliases}/${name}`);
    await this.#files.syncDirectory(this.#layout.aliases);
  }
}
