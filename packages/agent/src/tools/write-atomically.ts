/**
 * Replaces a file whole or not at all: a temporary file beside it, synced, renamed onto the name, the directory synced. Every step
 * goes through the open directory of the place, so that it lands where the guard has looked. A rename replaces a link and never
 * follows it.
 */

import { randomBytes } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { lstat, open, rename, unlink, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { AgentError } from "../errors.ts";
import { errorCode } from "./error-code.ts";
import { checkRegular } from "./path-errors.ts";
import type { Place } from "./path-guard.ts";

/**
 * Mode and owner of a file that was there are kept. `expected`: as the file was when it was read; if it is not that any more,
 * TOOL_FAILED and nothing is written. Answers with what was replaced.
 */
export async function writeAtomically(
  place: Place,
  bytes: Uint8Array,
  expected?: Stats,
): Promise<Stats | undefined> {
  const target = join(place.base, place.fileName);
  const previous = await statusOf(target);
  if (previous?.isDirectory() === true)
    throw new AgentError("TOOL_FAILED", `${place.name} is a directory; give the path of a file in it`);
  if (previous !== undefined) checkRegular(previous, place.name);
  const temporary = join(place.base, `.longhand-${randomBytes(8).toString("hex")}.tmp`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(temporary, flags, previous === undefined ? 0o666 : 0o600);
  try {
    try {
      await handle.writeFile(bytes);
      if (previous !== undefined) await keepOwnerAndMode(handle, previous);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (expected !== undefined && !isSame(expected, await statusOf(target)))
      throw new AgentError("TOOL_FAILED", `${place.name} was changed meanwhile; read it again`);
    await rename(temporary, target);
  } catch (error) {
    await unlink(temporary);
    throw error;
  }
  await place.directory.sync();
  return previous;
}

async function keepOwnerAndMode(handle: FileHandle, previous: Stats): Promise<void> {
  const { uid, gid } = await handle.stat();
  if (uid !== previous.uid || gid !== previous.gid) {
    try {
      await handle.chown(previous.uid, previous.gid);
    } catch (error) {
      // Only root may give a file away. Whoever may write in the directory may replace the file, and owns the new one.
      if (errorCode(error) !== "EPERM") throw error;
    }
  }
  await handle.chmod(previous.mode & 0o777);
}

async function statusOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function isSame(before: Stats, now: Stats | undefined): boolean {
  return (
    now !== undefined &&
    before.ino === now.ino &&
    before.dev === now.dev &&
    before.size === now.size &&
    before.mtimeMs === now.mtimeMs
  );
}
