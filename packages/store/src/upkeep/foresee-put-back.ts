/**
 * Records whose session has no file with a readable header: in the journals of dead processes, or kept aside. Where a repair
 * mends the header, it puts back those that fit the file.
 */

import { tryOpen } from "../host/try-open.ts";
import { useFile } from "../host/use-file.ts";
import type { Damage } from "../format/session-record.ts";
import type { Id } from "../format/session-id.ts";
import type { FoundSessionFile } from "../engine/files/find-session-file.ts";
import { fitKeptInto, type KeptPlace } from "../engine/files/fit-kept-records.ts";
import { keptLeft, strayLeft } from "../engine/files/stray-records.ts";
import type { UnplacedRecords } from "../engine/instance/dead-journals.ts";
import type { CheckedSession } from "../engine/verify/verify-session.ts";
import type { CheckedRecords } from "./restore-kept-records.ts";

/** `undefined`: the session is not one that a repair mends. */
export function mendedFile({
  file,
  header,
  left,
  isMisplaced,
}: CheckedSession): FoundSessionFile | undefined {
  return header === undefined || left !== undefined || isMisplaced ? undefined : { ...file, header };
}

/** What is kept of a session that has no file. */
export function unplacedOf({ id, kept, session, damage }: CheckedRecords): readonly UnplacedRecords[] {
  if (id === undefined || session !== undefined) return [];
  return damage.flatMap((each) => {
    const file = kept.find(({ path }) => path === each.file);
    return file === undefined ? [] : [{ ...file, id, damage: each }];
  });
}

/** What to report: with why a repair leaves them, if it does. `mended`: files that a repair mends, by their session. */
export async function foreseePutBack(
  place: KeptPlace,
  mended: ReadonlyMap<Id, FoundSessionFile>,
  unplaced: readonly UnplacedRecords[],
): Promise<readonly Damage[]> {
  const found: Damage[] = [];
  for (const { id, path, damage } of unplaced) {
    const session = mended.get(id);
    const opened = session && (await tryOpen(place.files, session.path));
    if (session === undefined || opened?.kind !== "opened") {
      found.push(damage);
      continue;
    }
    const own = unplaced.filter((each) => each.id === id);
    const fitted = await useFile(
      opened.file,
      async (file) => await fitKeptInto(place, file, session.header, own),
    );
    const isPutBack = fitted.there.has(path) || fitted.fits.has(path);
    const { file, offset, bytes, kind, reason } = damage;
    const isKept = path.startsWith(`${place.layout.damaged}/`);
    const why = isKept ? keptLeft(session.path, path) : strayLeft(session.path);
    found.push({ file, offset, bytes, kind, reason, ...(isPutBack ? {} : { left: why }) });
  }
  return found;
}
