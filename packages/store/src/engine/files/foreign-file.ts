/**
 * Tells a file of another program from a damaged session of this store. A foreign file is ignored; damage is reported. A file
 * counts as this store's own if its name could only be ours, or a line of it has our shape. If its content says nothing (it is
 * empty, full of NUL bytes, or may not be read), a lease for its name tells that the store has written to it.
 */

import { LonghandError } from "../../errors.ts";
import type { FileSystem } from "../../host/host.ts";
import { errorCode } from "../../host/io-error.ts";
import { namesIn } from "../../host/names-in.ts";
import { whyNotOpened } from "../../host/try-open.ts";
import { useFile } from "../../host/use-file.ts";
import { isSurelyOurs } from "../../migrate/foreign-names.ts";
import { looksLikeSession } from "../../migrate/looks-like-session.ts";
import { fileNameOf, SESSION_SUFFIX } from "../../format/key.ts";
import { hasOurLine } from "../../format/our-line.ts";
import type { SessionFile } from "./find-session-file.ts";
import { idInName, isLeaseName, leaseShard, type Layout } from "../../format/layout.ts";
import { readBeginning } from "./read-beginning.ts";

/** At either end of a file: a damaged block is 4 KiB, and a session has many lines in 64 KiB. */
const END_BYTES = 64 * 1024;
/** A session that was compressed in place. */
const GZIP = Buffer.from([0x1f, 0x8b]);

const OUR_START = /^(?:\u00ef\u00bb\u00bf)?\{"longhand":/;
const OUR_START_BYTES = 32;

interface Place {
  readonly files: FileSystem;
  readonly layout: Layout;
}

/** Only for files whose header cannot be read: one with a valid header is a session. */
export async function isForeignFile(place: Place, file: SessionFile): Promise<boolean> {
  if (file.status !== "active") return idInName(file) === undefined && !(await holdsOurs(place, file));
  const stem = file.name.slice(0, -SESSION_SUFFIX.length);
  if (isSurelyOurs(stem) || (await holdsOurs(place, file))) return false;
  return (await isLikeSession(place, file)) || !(await hasLease(place, stem));
}

/**
 * SESSION_EXISTS if another program's file has the name of this key's session. To be asked before a lease is taken, which would
 * make the name the store's own.
 */
export async function checkNameIsFree(place: Place, key: string): Promise<void> {
  const name = fileNameOf(key);
  const path = `${place.layout.directory}/${name}`;
  const start = await readBeginning(place.files, path);
  if (start === undefined || OUR_START.test(start.toString("latin1", 0, OUR_START_BYTES))) return;
  if (!(await isForeignFile(place, { path, name, status: "active" }))) return;
  const message = `${path} is not a Longhand session and was left as it is, so the key ${JSON.stringify(key)} cannot be used; use another key, or move the file away`;
  throw new LonghandError("SESSION_EXISTS", message, { key, file: path });
}

async function isLikeSession({ files }: Place, { path, name }: SessionFile): Promise<boolean> {
  const start = await readBeginning(files, path);
  return start !== undefined && looksLikeSession(name, start);
}

/** A link, a directory, a device, or a file that this user may not read: nothing can be told from its content. */
function saysNothing(error: unknown): boolean {
  const why = whyNotOpened(error)?.code;
  return why === "not-regular" || why === "not-permitted";
}

/** A store never removes the newest number of a lease, so a session that was ever written to has one. */
async function hasLease({ files, layout }: Place, stem: string): Promise<boolean> {
  if (!isLeaseName(stem)) return false;
  const names = await namesIn(files, leaseShard(layout, stem));
  return names.some((name) => name.startsWith(`${stem}.`) && !name.slice(stem.length + 1).includes("."));
}

async function holdsOurs({ files }: Place, { path }: SessionFile): Promise<boolean> {
  try {
    return await useFile(await files.open(path, "read"), async (opened) => {
      const { size } = await opened.stat();
      for (const position of new Set([0, Math.max(0, size - END_BYTES)])) {
        const bytes = Buffer.alloc(Math.min(END_BYTES, size));
        const part = bytes.subarray(0, await opened.read(bytes, position));
        if (hasOurLine(part) || (position === 0 && part.subarray(0, GZIP.length).equals(GZIP))) return true;
      }
      return false;
    });
  } catch (error) {
    if (saysNothing(error) || errorCode(error) === "ENOENT") return false;
    throw error;
  }
}
