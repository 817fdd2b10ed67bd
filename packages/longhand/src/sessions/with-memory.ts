/**
 * Opens the memory for one command and closes it whatever happens. Where nothing was ever remembered nothing is made: looking
 * is not remembering; only what is to be remembered makes one. A memory that is there is opened as its agents open it, so that edits by
 * hand are taken in first, which is said. Where that cannot be, since nothing may be written there, it is only read.
 */

import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Store } from "@longhand/store";
import type { Memory, MemoryEntry } from "@longhand/store/memory";
import { inStore } from "../terminal/command-to-paste.ts";
import { CommandError } from "../command-error.ts";
import { errorCode } from "../error-code.ts";
import { escapeLine } from "../terminal/escape-controls.ts";
import { damageWarner, type StoreSurroundings, warner, withStoreForReading } from "./with-store.ts";

/** One of these is in the directory of every memory; Markdown alone may have been written by hand. */
const SIGNS = ["store", "MEMORY.md", "daily"];

export interface MemorySurroundings extends StoreSurroundings {
  markFailed(): void;
}

/** `undefined`: there is no memory, and nothing was used. Where damage was met the command has failed: its answer is not whole. */
export async function withMemory<T>(
  given: MemorySurroundings,
  use: (memory: Memory, sessions: Store) => Promise<T>,
): Promise<T | undefined> {
  const directory = given.places.memory.path;
  return (await isMemory(directory)) ? await useMemory(given, openOrRead, use) : undefined;
}

/** For what is to be remembered: where there is no memory it is made. */
export async function withMemoryMade<T>(
  given: MemorySurroundings,
  use: (memory: Memory, sessions: Store) => Promise<T>,
): Promise<T> {
  await checkDirectory(given.places.memory.path);
  return await useMemory(given, openMemoryOf, use);
}

async function useMemory<T>(
  given: MemorySurroundings,
  open: (given: MemorySurroundings, sessions: Store) => Promise<Memory>,
  use: (memory: Memory, sessions: Store) => Promise<T>,
): Promise<T> {
  return await withStoreForReading(given, async (sessions) => {
    const memory = await open(given, sessions);
    let result: T;
    try {
      result = await use(memory, sessions);
    } catch (error) {
      // What went wrong first is what is told.
      await memory.close().catch(() => undefined);
      throw error;
    }
    await memory.close();
    return result;
  });
}

async function openMemoryOf(given: MemorySurroundings, sessions: Store, readOnly = false): Promise<Memory> {
  const { openMemory } = await import("@longhand/store/memory");
  const directory = given.places.memory.path;
  // What helps in its store must be done in its store.
  const toPaste = inStore(given.toPaste, join(directory, "store"));
  const warn = warner({ ...given, toPaste });
  const warnOfDamage = damageWarner({ ...given, toPaste });
  return await openMemory({
    directory,
    sessions,
    readOnly,
    onDamage: (damage) => {
      given.markFailed();
      warnOfDamage(damage);
    },
    onError: ({ code, message }) => warn(code, message, {}),
    onTakenIn: ({ added, undone }) => {
      const message = `edits by hand in the memory's Markdown were taken in: ${added.length} added or changed, ${undone.length} taken back`;
      warn("MEMORY_EDITED", message, { added: added.map(idOf), undone: undone.map(idOf) });
    },
  });
}

async function openOrRead(given: MemorySurroundings, sessions: Store): Promise<Memory> {
  try {
    return await openMemoryOf(given, sessions);
  } catch (error) {
    if (!mayOnlyRead(error)) throw error;
    const memory = await openMemoryOf(given, sessions, true).catch(() => {
      // That it cannot be read either is not why it could not be opened.
      throw error;
    });
    const path = given.places.memory.path;
    const message = `nothing may be written in ${path}, so the memory is only read, and edits by hand in its Markdown are not taken in`;
    warner(given)("MEMORY_READ_ONLY", message, { directory: path });
    return memory;
  }
}

const FORBIDDEN: readonly unknown[] = ["EROFS", "EACCES", "EPERM"];

/** The disk or the directory is not to be written to, or it is another user's. */
function mayOnlyRead(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error) || !("detail" in error)) return false;
  const { code, detail } = error;
  if (typeof detail !== "object" || detail === null) return false;
  if (code === "DIRECTORY_UNSAFE") return "owner" in detail;
  return code === "IO_FAILED" && "errno" in detail && FORBIDDEN.includes(detail.errno);
}

function idOf({ id }: MemoryEntry): string {
  return id;
}

export function nothingRemembered({ places }: Pick<StoreSurroundings, "places">): string {
  const { path, why } = places.memory;
  return `Nothing is remembered yet in ${escapeLine(path)} (${why}).`;
}

async function isMemory(directory: string): Promise<boolean> {
  await checkDirectory(directory);
  for (const name of SIGNS) if (await isThere(join(directory, name))) return true;
  return false;
}

async function checkDirectory(directory: string): Promise<void> {
  if ((await isThere(directory)) && !(await stat(directory)).isDirectory()) {
    const message = `${directory} is not a directory; give the memory's with --memory DIR`;
    throw new CommandError("USAGE_INVALID", message, { detail: { directory } });
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw error;
  }
}
