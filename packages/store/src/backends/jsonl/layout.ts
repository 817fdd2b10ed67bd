/** Where things lie in a store's directory. docs/format.md shows the same as a tree. */

import { fileNameOf, SESSION_SUFFIX } from "../../record/key.ts";

export interface Layout {
  /** Active sessions. */
  readonly directory: string;
  readonly archive: string;
  readonly trash: string;
  /** Ours; NOT disposable while a process runs or after a crash. */
  readonly own: string;
  readonly journals: string;
  readonly leases: string;
  readonly damaged: string;
}

export function layoutOf(directory: string): Layout {
  const own = `${directory}/.longhand`;
  return {
    directory,
    archive: `${directory}/archive`,
    trash: `${directory}/trash`,
    own,
    journals: `${own}/journal`,
    leases: `${own}/leases`,
    damaged: `${own}/damaged`,
  };
}

export function sessionPath({ directory }: Layout, key: string): string {
  return `${directory}/${fileNameOf(key)}`;
}

/** With its id, since a key may have several put away. */
export function putAwayName(activeName: string, id: string): string {
  return `${activeName.slice(0, -SESSION_SUFFIX.length)}.${id}${SESSION_SUFFIX}`;
}

export const JOURNAL_SUFFIX = ".journal";

export function journalPath({ journals }: Layout, instance: string): string {
  return `${journals}/${instance}${JOURNAL_SUFFIX}`;
}

export function socketPath({ journals }: Layout, instance: string): string {
  return `${journals}/${instance}.sock`;
}

/** Its presence says: this instance is taken over, or has given itself up. */
export function fencePath({ journals }: Layout, instance: string): string {
  return `${journals}/${instance}.fence`;
}
