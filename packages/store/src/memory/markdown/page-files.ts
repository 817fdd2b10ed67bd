/** Pages on the disk: read with a mark of their state, replaced only if that is still the same, as a whole or not at all. */

import { isUtf8 } from "node:buffer";
import { dirname, join } from "node:path";
import type { FileStat, Host } from "../../host/host.ts";
import { ioError } from "../../host/io-error.ts";
import { isSameFile } from "../../host/is-same-file.ts";
import { namesIn } from "../../host/names-in.ts";
import { removeIfThere } from "../../host/small-files.ts";
import { useFile } from "../../host/use-file.ts";
import { writeFully } from "../../host/write-fully.ts";
import { makeId, RANDOM_BYTES_OF_AN_ID } from "../../format/session-id.ts";

const TEMPORARY = /^\.longhand-[0-9A-Z]{26}\.tmp$/u;

/** Whoever saves in place is done when he has written nothing for so long: in milliseconds. */
const QUIET = 2000;

export interface PageFile {
  /** "" where there is no file. */
  readonly text: string;
  readonly stat: FileStat | undefined;
}

/** For how long it must be left alone before it counts as saved; 0: it is. A clock that runs otherwise is no reason to wait. */
export function restOfSaving({ stat }: PageFile, now: number): number {
  const age = stat === undefined ? QUIET : now - stat.modified;
  return Math.abs(age) < QUIET ? QUIET - age : 0;
}

/**
 * What is not text is put aside under another name, since it could not be written back as it was. What is no file, be it a link to
 * one, has no text, and is left alone.
 */
export async function readPageFile(host: Host, path: string): Promise<PageFile> {
  try {
    const stat = await host.files.stat(path);
    if (stat?.kind !== "file") return { text: "", stat };
    const { bytes, read } = await useFile(await host.files.open(path, "read"), async (file) => {
      const read = await file.stat();
      const buffer = Buffer.alloc(read.size);
      return { bytes: buffer.subarray(0, await file.read(buffer, 0)), read };
    });
    if (isUtf8(bytes) && !bytes.includes(0)) return { text: bytes.toString("utf8"), stat: read };
    const begun = beginningOf(bytes);
    const page = { text: begun ?? "", stat: read };
    if (begun !== undefined && restOfSaving(page, host.now()) > 0) return page;
    await host.files.rename(path, `${path}.not-text-${newName(host)}`);
    await host.files.syncDirectory(dirname(path));
    return { text: "", stat: undefined };
  } catch (error) {
    throw ioError(error, "reading the memory's Markdown", path);
  }
}

/** `false`: somebody has changed the file since it was read, and nothing was written. */
export async function replacePageFile(
  host: Host,
  path: string,
  text: string,
  seen: FileStat | undefined,
): Promise<boolean> {
  const directory = dirname(path);
  const temporary = join(directory, `.longhand-${newName(host)}.tmp`);
  try {
    await useFile(await host.files.open(temporary, "create"), async (file) => {
      await writeFully(file, Buffer.from(text, "utf8"), 0);
      await file.sync();
    });
    if (!isUnchanged(seen, await host.files.stat(path))) {
      await removeIfThere(host.files, temporary);
      return false;
    }
    await host.files.rename(temporary, path);
    await host.files.syncDirectory(directory);
    return true;
  } catch (error) {
    // It has failed already, and says why; what cannot be removed now is removed by the next opening.
    await removeIfThere(host.files, temporary).catch(() => undefined);
    throw ioError(error, "writing the memory's Markdown", path);
  }
}

/** What a crash has left of unfinished writes: there may be an entry in it that was to be forgotten. */
export async function removeTemporaryPages({ files }: Host, directory: string): Promise<void> {
  for (const name of await namesIn(files, directory)) {
    if (TEMPORARY.test(name)) await removeIfThere(files, join(directory, name));
  }
}

function isUnchanged(seen: FileStat | undefined, now: FileStat | undefined): boolean {
  if (seen === undefined || now === undefined) return seen === now;
  return (
    isSameFile(seen, now) &&
    seen.size === now.size &&
    seen.modified === now.modified &&
    seen.changed === now.changed
  );
}

/** Of text that was cut within a letter, since it is being saved; `undefined`: it is no text. */
function beginningOf(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    // With `stream` a letter may be unfinished at the end, and nowhere else.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function newName(host: Host): string {
  return makeId(host.now(), host.randomBytes(RANDOM_BYTES_OF_AN_ID));
}
