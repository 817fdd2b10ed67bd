/**
 * A new file of a session: written and synced under a temporary name, then given its own by `name`. It never appears
 * half written.
 */

import type { FileSystem } from "../host/host.ts";
import { writeFully } from "../host/write-fully.ts";
import { encodeCheckpoint, fitsInLine } from "../format/checkpoint.ts";
import { continueSum, EMPTY_SUM } from "../format/checksum.ts";
import { EMPTY_STATE, type SessionState } from "../format/fold.ts";
import { encodeHeader, type Header } from "../format/header.ts";
import { lastSum } from "../format/last-sum.ts";
import { lineSum } from "../format/line-checksum.ts";
import { SessionLog } from "./session-log.ts";
import { promised } from "../host/promised.ts";

export interface NewFile {
  readonly header: Header;
  readonly temporary: string;
  readonly path: string;
  /**
   * Gives it its name. The first file of a session is linked, so that it never replaces another; a later one is renamed
   * over the one before it, so that there is never a moment without an active file.
   */
  readonly name: (temporary: string, path: string) => Promise<void>;
  /** After a failure. @default the temporary name is removed */
  readonly discard?: (temporary: string) => Promise<void>;
}

/** The first file of a session. The caller knows that `path` is free, on the disk too, and syncs the directory afterwards. */
export async function createSession(
  files: FileSystem,
  place: Omit<NewFile, "name" | "discard">,
): Promise<SessionLog> {
  return await createFile(files, EMPTY_STATE, {
    ...place,
    name: async (temporary, path) => {
      await files.link(temporary, path);
      await files.unlink(temporary);
    },
  });
}

/** A file that goes on from `state`; it begins with that state as a checkpoint unless it is the very first. */
export async function createFile(
  files: FileSystem,
  state: SessionState,
  { header, temporary, path, name, discard = async () => await files.unlink(temporary) }: NewFile,
): Promise<SessionLog> {
  const headerLine = encodeHeader(header);
  const sum = continueSum(EMPTY_SUM, headerLine);
  const place = { offset: headerLine.length, before: lineSum(headerLine) };
  const line = header.file === 0 ? Buffer.alloc(0) : encodeCheckpoint({ state, sum, place }, header.id);
  const checkpoint = fitsInLine(line) ? line : Buffer.alloc(0);
  const bytes = Buffer.concat([headerLine, checkpoint]);
  const file = await files.open(temporary, "create");
  try {
    await writeFully(file, bytes, 0);
    await file.sync();
    await name(temporary, path);
  } catch (error) {
    // The failure that led here is the one to tell; what is left over is removed by the next who opens the store.
    await promised(() => file.close()).catch(() => undefined);
    await discard(temporary).catch(() => undefined);
    throw error;
  }
  const tail = {
    header,
    headerBytes: headerLine.length,
    state,
    end: bytes.length,
    torn: undefined,
    unterminated: false,
    damage: [],
    checkpoint: { offset: headerLine.length, bytes: checkpoint.length, sum },
  };
  return new SessionLog(path, file, tail, continueSum(sum, checkpoint), lastSum(bytes));
}
