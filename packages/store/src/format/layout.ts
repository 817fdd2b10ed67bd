/** Where things lie in a store's directory. docs/format.md shows the same as a tree. */

import { hash } from "node:crypto";
import { fileNameOf, isFileName, SESSION_SUFFIX, type FileName } from "./key.ts";
import { isId, type Id } from "./session-id.ts";

/** Begins the name of a file that is still being written. */
export const TEMPORARY_PREFIX = ".new-";

export interface Layout {
  /** Active sessions. */
  readonly directory: string;
  /** Sealed files, a directory for each session. */
  readonly segments: string;
  /** Other names of migrated sessions. */
  readonly aliases: string;
  readonly archive: string;
  readonly trash: string;
  /** Ours; NOT disposable while a process runs or after a crash. */
  readonly own: string;
  readonly journals: string;
  readonly leases: string;
  readonly damaged: string;
  /** Disposable at any time. */
  readonly cache: string;
  /** What was removed for good, a file for each session: nobody need look for it. */
  readonly removed: string;
  /** Session files before they have their name. Apart from the sessions, so that an opening need not list those. */
  readonly temporary: string;
}

export function layoutOf(directory: string): Layout {
  const own = `${directory}/.longhand`;
  return {
    directory,
    segments: `${directory}/segments`,
    aliases: `${directory}/aliases`,
    archive: `${directory}/archive`,
    trash: `${directory}/trash`,
    own,
    journals: `${own}/journal`,
    leases: `${own}/leases`,
    damaged: `${own}/damaged`,
    cache: `${own}/cache`,
    removed: `${own}/removed`,
    temporary: `${own}/new`,
  };
}

/** Where temporary session files may lie. Earlier versions wrote them beside the active sessions. */
export function temporaryDirectories({ temporary, directory }: Layout): readonly string[] {
  return [temporary, directory];
}

export function sessionPath({ directory }: Layout, key: string): string {
  return `${directory}/${fileNameOf(key)}`;
}

export function aliasFileName(alias: string): string {
  return `${fileNameOf(alias).slice(0, -SESSION_SUFFIX.length)}.json`;
}

export function aliasPath({ aliases }: Layout, key: string): string {
  return `${aliases}/${aliasFileName(key)}`;
}

/** With its id, since a key may have several put away. */
export function putAwayName(activeName: FileName, id: Id): string {
  return `${activeName.slice(0, -SESSION_SUFFIX.length)}.${id}${SESSION_SUFFIX}`;
}

/** `undefined`: it is not in the name, as with every active session. */
export function idInName({
  name,
  status,
}: {
  readonly name: string;
  readonly status: string;
}): Id | undefined {
  const id = status === "active" ? "" : (name.slice(0, -SESSION_SUFFIX.length).split(".").at(-1) ?? "");
  return isId(id) ? id : undefined;
}

export const JOURNAL_SUFFIX = ".journal";

export function journalPath({ journals }: Layout, instance: Id): string {
  return `${journals}/${instance}${JOURNAL_SUFFIX}`;
}

/** Under which a journal is written before it has its name. */
export function newJournalPath({ journals }: Layout, instance: Id): string {
  return `${journals}/${TEMPORARY_PREFIX}${instance}`;
}

export function socketPath({ journals }: Layout, instance: Id): string {
  return `${journals}/${instance}.sock`;
}

/** Its presence says: this instance is taken over, or has given itself up. */
export function fencePath({ journals }: Layout, instance: Id): string {
  return `${journals}/${instance}.fence`;
}

/** A directory through which an instance changes names. Whoever takes it over removes it first. */
export function gatePath({ journals }: Layout, instance: Id): string {
  return `${journals}/${instance}.gate`;
}

export function removedPath({ removed }: Layout, sessionId: Id): string {
  return `${removed}/${sessionId}`;
}

declare const VALID: unique symbol;

export type LeaseName = string & { readonly [VALID]: "lease name" };

/** What the lease of a key is called: as its file, without the ending. No two keys share one. */
export function leaseNameOf(key: string): LeaseName {
  return leaseNameOfFile(fileNameOf(key));
}

/** The same by the name of the key's file while it is active. */
export function leaseNameOfFile(name: FileName): LeaseName {
  return name.slice(0, -SESSION_SUFFIX.length) as LeaseName;
}

/** Whether some key can have this lease. */
export function isLeaseName(value: string): value is LeaseName {
  return isFileName(`${value}${SESSION_SUFFIX}`);
}

/** Whoever takes over a dead instance holds the lease of this name. No key's lease has an @ in its name. */
export function recoveryLockOf(instance: Id): LeaseName {
  return `@${instance}` as LeaseName;
}

/** Whoever migrates what other programs left holds this lease. */
export const MIGRATION_LOCK: LeaseName = "@migrate" as LeaseName;

/** Spread over 256 directories, so that a look at one lease does not read the names of all. */
export function leaseShard({ leases }: Layout, name: LeaseName): string {
  return `${leases}/${hash("sha256", name).slice(0, 2)}`;
}
