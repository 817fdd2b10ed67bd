/**
 * Opens the memory for one command and closes it whatever happens. Where nothing was ever remembered nothing is made: looking
 * is not remembering. A memory that is there is opened as its agents open it, so that edits by hand are taken in first.
 */

import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Store } from "@longhand/store";
import type { Memory } from "@longhand/store/memory";
import { CommandError } from "../command-error.ts";
import { escapeLine } from "../terminal/escape-controls.ts";
import { describeDamage, type StoreSurroundings, warner, withStoreForReading } from "./with-store.ts";

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
  if (!(await isMemory(directory))) return undefined;
  const { openMemory } = await import("@longhand/store/memory");
  return await withStoreForReading(given, async (sessions) => {
    const warn = warner(given);
    const memory = await openMemory({
      directory,
      sessions,
      onDamage: (damage) => {
        given.markFailed();
        warn("DAMAGE", describeDamage(damage), { damage });
      },
      onError: ({ code, message }) => warn(code, message, {}),
    });
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

export function nothingRemembered({ places }: Pick<StoreSurroundings, "places">): string {
  const { path, why } = places.memory;
  return `Nothing is remembered yet in ${escapeLine(path)} (${why}).`;
}

async function isMemory(directory: string): Promise<boolean> {
  if ((await isThere(directory)) && !(await stat(directory)).isDirectory()) {
    const message = `${directory} is not a directory; give the memory's with --memory DIR`;
    throw new CommandError("USAGE_INVALID", message, { detail: { directory } });
  }
  for (const name of SIGNS) if (await isThere(join(directory, name))) return true;
  return false;
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw error;
  }
}
