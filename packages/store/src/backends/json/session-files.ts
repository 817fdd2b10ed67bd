/**
 * The `.json` files of one directory: which key lies in which file, which files must not be touched, and the one way
 * in which a file is written. A file is replaced whole: a temporary file, private from its creation, is written and
 * synced, renamed over the old one, and the directory is synced. At every moment the old or the new one is there.
 *
 * A file that cannot be read is reported and never written over, nor is one that another program has changed meanwhile.
 */

import { join } from "node:path";
import { assertNever, LonghandError } from "../../errors.ts";
import type { FileStat, Host } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { fileNameOf, SESSION_SUFFIX } from "../../format/key.ts";
import type { BackendOptions } from "../../contract/backend.ts";
import { JsonSession } from "./json-session.ts";
import { readTextFile } from "./read-text-file.ts";
import { decodeSessionJson, JSON_SUFFIX, MAX_FILE_BYTES } from "./session-json.ts";
import { discardTemporaryFile, writeTemporaryFile } from "./temporary-file.ts";

interface KnownFile {
  readonly name: string;
  readonly version: string;
  readonly bytes: number;
}

interface UnreadableFile {
  readonly name: string;
  readonly key: string | undefined;
  readonly reason: string;
  readonly code: "SESSION_DAMAGED" | "FORMAT_TOO_NEW" | "IO_FAILED";
}

const REMEDIES: Readonly<Record<UnreadableFile["code"], string>> = {
  SESSION_DAMAGED: "mend it, or move it away to begin the session anew, and open the store again",
  FORMAT_TOO_NEW: "use that version",
  IO_FAILED: "let this user read and write it, and open the store again",
};

export interface SessionFilesOptions extends Pick<BackendOptions, "onDamage"> {
  /** Only files that Longhand has written are sessions. */
  readonly ownFilesOnly: boolean;
}

export class SessionFiles {
  readonly directory: string;
  readonly #host: Host;
  readonly #onDamage: BackendOptions["onDamage"];
  readonly #files = new Map<string, KnownFile>();
  readonly #unreadable: UnreadableFile[] = [];
  /** Names of other programs' files. */
  readonly #foreign = new Set<string>();
  readonly #ownFilesOnly: boolean;
  /** Every name in the directory, as a file system compares them that ignores case. */
  readonly #names = new Set<string>();

  constructor(directory: string, host: Host, { onDamage, ownFilesOnly }: SessionFilesOptions) {
    this.directory = directory;
    this.#host = host;
    this.#onDamage = onDamage;
    this.#ownFilesOnly = ownFilesOnly;
  }

  async load(): Promise<Map<string, JsonSession>> {
    const sessions = new Map<string, JsonSession>();
    const names = await this.#host.files.readDirectory(this.directory);
    for (const name of names.sort()) {
      this.#names.add(name.toLowerCase());
      if (name.endsWith(JSON_SUFFIX)) await this.#load(name, sessions);
    }
    return sessions;
  }

  /** Of the file that the session was read from or written to last. */
  nameOf(key: string): string | undefined {
    return this.#files.get(key)?.name;
  }

  bytes(key: string): number {
    return this.#files.get(key)?.bytes ?? 0;
  }

  /** Throws if the key's file is there but cannot be read. */
  check(key: string): void {
    if (this.#files.has(key)) return;
    const damage = this.#unreadable.find((file) => isFileOf(file, key));
    if (damage === undefined) return;
    const file = this.#path(damage.name);
    const remedy = REMEDIES[damage.code];
    throw new LonghandError(
      damage.code,
      `the session ${JSON.stringify(key)} cannot be used: ${file} is unreadable (${damage.reason}) and was left as it is; ${remedy}`,
      { key, file, reason: damage.reason },
    );
  }

  /**
   * Rejects: the old file is in its place. Resolves with a failure: the new one is, but not for certain after a power
   * cut. Calls for one key must not overlap.
   */
  async write(key: string, text: string): Promise<LonghandError | undefined> {
    this.check(key);
    const known = this.#files.get(key);
    if (known === undefined) this.#checkNameIsFree(key);
    const name = known?.name ?? this.#freeName(key);
    const path = this.#path(name);
    const bytes = Buffer.from(text);
    try {
      const replacement = await writeTemporaryFile(this.#host, this.directory, bytes);
      try {
        await this.#checkUnchanged(path, known, key);
        await this.#host.files.rename(replacement.path, path);
      } catch (error) {
        await discardTemporaryFile(this.#host, replacement.path);
        throw error;
      }
      this.#files.set(key, { name, version: versionOf(replacement.stat), bytes: bytes.length });
      this.#names.add(name.toLowerCase());
    } catch (error) {
      throw ioError(error, "saving the session", path);
    }
    return await this.#syncNames(path);
  }

  #checkNameIsFree(key: string): void {
    const name = jsonNameOf(key);
    if (!this.#foreign.has(name)) return;
    const file = this.#path(name);
    const message = `${file} is not a Longhand session and was left as it is, so the key ${JSON.stringify(key)} cannot be used; use another key, or move the file away`;
    throw new LonghandError("SESSION_EXISTS", message, { key, file });
  }

  async #checkUnchanged(path: string, known: KnownFile | undefined, key: string): Promise<void> {
    const stat = await this.#host.files.stat(path);
    if (stat === undefined || versionOf(stat) === known?.version) return;
    throw new LonghandError(
      "SESSION_LOCKED",
      `${path} was changed by another program since it was read, and was left as it is; let one program at a time write there, and open the store again`,
      { key, file: path },
    );
  }

  async #syncNames(path: string): Promise<LonghandError | undefined> {
    try {
      await this.#host.files.syncDirectory(this.directory);
      return undefined;
    } catch (error) {
      return ioError(
        error,
        "syncing the directory of the saved session (its outcome is unknown: write it again, with an id)",
        path,
      );
    }
  }

  async #load(name: string, sessions: Map<string, JsonSession>): Promise<void> {
    const file = await readTextFile(this.#host.files, this.#path(name), MAX_FILE_BYTES);
    if (file === undefined) return;
    const bytes = file.stat?.size ?? 0;
    const decoded = file.kind === "text" ? decodeSessionJson(file.text, name) : file;
    switch (decoded.kind) {
      case "sidecar":
        return;
      case "foreign":
        this.#foreign.add(name.toLowerCase());
        return;
      case "unreadable":
      case "too-new": {
        const key = "key" in decoded ? decoded.key : undefined;
        const isPermitted = !("notPermitted" in decoded);
        const code =
          decoded.kind === "too-new" ? "FORMAT_TOO_NEW" : isPermitted ? "SESSION_DAMAGED" : "IO_FAILED";
        this.#unreadable.push({ name, key, reason: decoded.reason, code });
        this.#reportDamage(name, bytes, decoded.reason, key, isPermitted);
        return;
      }
      case "session": {
        if (this.#ownFilesOnly && !decoded.isOwn) {
          this.#foreign.add(name.toLowerCase());
          return;
        }
        const version = file.stat === undefined ? "" : versionOf(file.stat);
        this.#keep(new JsonSession(decoded.session), { name, version, bytes }, sessions);
        return;
      }
      default:
        return assertNever(decoded);
    }
  }

  /** An older program may have saved a session under its own name for it: the later of two files counts. */
  #keep(session: JsonSession, file: KnownFile, sessions: Map<string, JsonSession>): void {
    const { key } = session.memory.header;
    const rival = sessions.get(key);
    const rivalFile = this.#files.get(key);
    const isLater = rival === undefined || updatedOf(session) > updatedOf(rival);
    if (isLater) {
      sessions.set(key, session);
      this.#files.set(key, file);
    }
    if (rivalFile === undefined) return;
    const [used, unused] = isLater ? [file, rivalFile] : [rivalFile, file];
    this.#reportDamage(unused.name, unused.bytes, olderState(used.name), key);
  }

  #reportDamage(
    name: string,
    bytes: number,
    reason: string,
    key: string | undefined,
    isPermitted = true,
  ): void {
    const whose = key === undefined ? {} : { key };
    this.#onDamage({
      file: this.#path(name),
      offset: 0,
      bytes,
      kind: "corrupt",
      reason,
      ...whose,
      ...(isPermitted ? {} : { notPermitted: true }),
    });
  }

  /** The key's own name, unless an older program gave it to another key. A key has no NUL: no two ask for one name. */
  #freeName(key: string): string {
    for (let asked = key; ; asked += "\0") {
      const name = jsonNameOf(asked);
      if (!this.#names.has(name)) return name;
    }
  }

  #path(name: string): string {
    return join(this.directory, name);
  }
}

export function olderState(usedName: string): string {
  return `it holds an older state of the session that is in ${usedName}; it is not used`;
}

function jsonNameOf(key: string): string {
  return fileNameOf(key).slice(0, -SESSION_SUFFIX.length) + JSON_SUFFIX;
}

/** By the key in it, where that can be told; else by its name, as we or an older program would have given it. */
export function isFileOf(file: Pick<UnreadableFile, "name" | "key">, key: string): boolean {
  if (file.key !== undefined) return file.key === key;
  const legacyName = key.replace(/[:/\\]/g, "_") + JSON_SUFFIX;
  return file.name.toLowerCase() === jsonNameOf(key) || file.name === legacyName;
}

function versionOf({ inode, size, modified }: FileStat): string {
  return `${inode} ${size} ${modified}`;
}

function updatedOf({ memory }: JsonSession): string {
  return memory.state.updated ?? memory.header.at;
}
