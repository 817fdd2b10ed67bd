/**
 * Other names of sessions. Older programs let one session be reached by several keys; a migration keeps that: for each
 * such name there is a small file that says whose it is.
 *
 * A key that has a session of its own, active, archived or in the trash, is never another's name: what was done to its own
 * could go on with somebody else's once that is gone. A damaged file is never passed over: a session begun in its place
 * would hide the one that is meant.
 */

import { LonghandError } from "../../errors.ts";
import type { FileSystem } from "../../host/host.ts";
import { namesIn } from "../../host/names-in.ts";
import { readSmallFile, removeIfThere } from "../../host/small-files.ts";
import { MAX_ALIAS_BYTES, readAlias } from "../../migrate/aliases.ts";
import { SESSION_SUFFIX } from "../../format/key.ts";
import { putAwayFiles } from "./find-session-file.ts";
import { SettledLook } from "./move-marks.ts";
import {
  aliasFileName,
  aliasPath,
  idInName,
  isLeaseName,
  type Layout,
  type LeaseName,
} from "../../format/layout.ts";

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

interface AliasName {
  /** Of the alias's file. */
  readonly name: string;
  /** Of the key's own file, without the ending. */
  readonly stem: LeaseName;
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
    const found = await namesIn(files, layout.aliases);
    const names = found.filter((name) => name.endsWith(ALIAS_SUFFIX) && !name.startsWith("."));
    if (names.length > 0) await table.#look(names);
    return table;
  }

  /** The file of this name no longer says whose it is. */
  isDamaged(key: string): boolean {
    if (this.#targets.size === 0) return false;
    const name = aliasFileName(key);
    return this.#targets.has(name) && this.#targets.get(name) === undefined;
  }

  /** The key whose session is meant; mostly itself. SESSION_DAMAGED if nobody can tell. */
  meant(key: string): string {
    if (this.#targets.size === 0) return key;
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
    const own = await this.#withSessions([...texts.keys()]);
    // All at once: whoever asks meanwhile is answered with what was known before.
    for (const name of names) {
      const text = texts.get(name);
      if (text === undefined || own.has(name)) this.#targets.delete(name);
      else this.#targets.set(name, readAlias(text, name)?.key);
    }
    await this.#remove([...texts.keys()].filter((name) => own.has(name)));
  }

  /**
   * Those of the aliases that are keys of a session, somewhere. Costs two looks at each, and the names in the archive and in
   * the trash: how many active sessions there are does not matter. Looks again at those that were moved meanwhile.
   */
  async #withSessions(names: readonly string[]): Promise<ReadonlySet<string>> {
    const own = new Set<string>();
    const looks = names.flatMap((name) => {
      const stem = name.slice(0, -ALIAS_SUFFIX.length);
      return isLeaseName(stem)
        ? [{ name, stem, look: new SettledLook(this.#files, this.#layout, stem) }]
        : [];
    });
    for (;;) {
      const due: AliasName[] = [];
      for (const { look, ...each } of looks)
        if (!own.has(each.name) && (await look.isNeeded())) due.push(each);
      if (due.length === 0) return own;
      await this.#addActive(due, own);
      const putAway = new Set<string>();
      for (const file of await putAwayFiles(this.#files, this.#layout)) {
        const id = idInName(file);
        if (id !== undefined) putAway.add(file.name.slice(0, -`.${id}${SESSION_SUFFIX}`.length));
      }
      for (const { name, stem } of due) if (putAway.has(stem)) own.add(name);
      await this.#addActive(due, own);
    }
  }

  async #addActive(names: readonly AliasName[], own: Set<string>): Promise<void> {
    for (const { name, stem } of names) {
      const path = `${this.#layout.directory}/${stem}${SESSION_SUFFIX}`;
      if ((await this.#files.stat(path)) !== undefined) own.add(name);
    }
  }

  async #remove(names: readonly string[]): Promise<void> {
    if (!this.#mayChange || names.length === 0) return;
    for (const name of names) await removeIfThere(this.#files, `${this.#layout.aliases}/${name}`);
    await this.#files.syncDirectory(this.#layout.aliases);
  }
}
