/**
 * What a listing needs of one session, in one look at its file: opened, read at once, closed. Only where nothing is unusual about
 * it; everything else is for `readSession`, which tells damage from what is still being written.
 */

import { isLonghandError } from "../../errors.ts";
import { sessionInfo } from "../../format/session-info.ts";
import type { Damage, SessionInfo } from "../../format/session-record.ts";
import type { FileStat, FileSystem, OpenFile } from "../../host/host.ts";
import { useFile } from "../../host/use-file.ts";
import { bytesOf, partsOf } from "../../session/log-part.ts";
import { openFile, scanFile } from "../../session/open-session.ts";
import type { SealedPatches } from "../../session/sealed-source.ts";
import type { SessionFile } from "../files/find-session-file.ts";
import type { ReadPlace } from "./read-session.ts";

export interface PlainSession {
  readonly info: SessionInfo;
  /** The number of the active file. */
  readonly file: number;
  /** Of the file, before it was read. */
  readonly stat: FileStat;
  /** All of it is in this one file: what was found holds as long as that is the same. */
  readonly isInOneFile: boolean;
}

/** A longer file is read from its end, as far as its last checkpoint. */
const WHOLE_BYTES = 1024 * 1024;

/** "unusual": something is damaged, unfinished, or acknowledged and not in the file yet. `undefined`: there is no such file. */
export async function readPlainSession(
  place: ReadPlace,
  { path, status }: SessionFile,
): Promise<PlainSession | "unusual" | undefined> {
  const { layout, patchesOf } = place;
  const damage: Damage[] = [];
  const others = { opened: 0 };
  try {
    const opened = await openFile({ files: place.files, path }, "read");
    if (opened === undefined) return undefined;
    return await useFile(opened, async () => {
      const stat = await opened.stat();
      const whole = stat.size > WHOLE_BYTES ? opened : await inMemory(opened, stat);
      const files = noting(place.files, others);
      const onDamage = (found: Damage): unknown => damage.push(found);
      const { segments } = layout;
      const sealedPatches: SealedPatches = async (file) => await Promise.resolve(patchesOf(file));
      const scanPlace = { files, path, key: undefined, segments, sealedPatches, onDamage };
      const { header, state, end, torn } = await scanFile(scanPlace, whole, []);
      if (torn !== undefined || damage.length > 0 || patchesOf(header).length > 0) return "unusual";
      const info = sessionInfo(header, state, bytesOf(partsOf(header, end, state.seq)), 0, status);
      return { info, file: header.file, stat, isInOneFile: others.opened === 0 };
    });
  } catch (error) {
    if (isLonghandError(error)) return "unusual";
    throw error;
  }
}

/** The file as it is now, read at once. */
async function inMemory(file: OpenFile, stat: FileStat): Promise<OpenFile> {
  const buffer = Buffer.allocUnsafe(stat.size);
  const bytes = buffer.subarray(0, await file.read(buffer, 0));
  return {
    read: (into, position) => (position < bytes.length ? bytes.copy(into, 0, position) : 0),
    stat: () => ({ ...stat, size: bytes.length }),
    write: (given, position) => file.write(given, position),
    truncate: (length) => file.truncate(length),
    sync: () => file.sync(),
    makePrivate: () => file.makePrivate(),
    close: () => file.close(),
  };
}

/** Counts the files that are opened. */
function noting(files: FileSystem, noted: { opened: number }): FileSystem {
  return new Proxy(files, {
    get: (target, name: keyof FileSystem): unknown => {
      if (name !== "open") return target[name].bind(target);
      return (...given: Parameters<FileSystem["open"]>) => {
        noted.opened += 1;
        return target.open(...given);
      };
    },
  });
}
