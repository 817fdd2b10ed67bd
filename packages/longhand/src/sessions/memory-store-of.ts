import { isAbsolute, join, relative } from "node:path";
import type { Places } from "../config/places.ts";

/** The store that holds the memory, if that is what an error is about. */
export function memoryStoreOf(error: unknown, places: Places | undefined): string | undefined {
  if (places === undefined || !(error instanceof Error) || !("detail" in error)) return undefined;
  const { detail } = error;
  if (typeof detail !== "object" || detail === null) return undefined;
  const { file, directory } = detail as { readonly file?: unknown; readonly directory?: unknown };
  const path = typeof file === "string" ? file : directory;
  if (typeof path !== "string") return undefined;
  const store = join(places.memory.path, "store");
  const within = relative(store, path);
  return within.startsWith("..") || isAbsolute(within) ? undefined : store;
}
