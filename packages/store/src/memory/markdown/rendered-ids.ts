/**
 * Which entries the last rendering of each page had: without that a line that is missing could not be told from one that was never
 * there. It is written after the page it speaks of, and believed only where it and the page bear the same stamp.
 */

import { createHash } from "node:crypto";
import { isJsonObject, tryParseJson } from "../../format/json.ts";

export interface RenderedPageIds {
  readonly stamp: string;
  /** Of the whole page: one that still has it was not edited. */
  readonly digest: string;
  /** By the code of the scope. */
  readonly ids: ReadonlyMap<string, readonly string[]>;
}

/** By the name of the page. */
export type RenderedIds = ReadonlyMap<string, RenderedPageIds>;

/** What cannot be understood is as if it were not there: then nothing counts as removed. */
export function parseRenderedIds(text: string): Map<string, RenderedPageIds> {
  const pages = new Map<string, RenderedPageIds>();
  const value = tryParseJson(text);
  for (const [name, page] of isJsonObject(value) ? Object.entries(value) : []) {
    if (!isJsonObject(page) || !isJsonObject(page["ids"])) continue;
    const { stamp, digest } = page;
    if (typeof stamp !== "string" || typeof digest !== "string") continue;
    const ids = Object.entries(page["ids"]).filter((pair): pair is [string, string[]] => isTexts(pair[1]));
    pages.set(name, { stamp, digest, ids: new Map(ids) });
  }
  return pages;
}

export function renderedIdsAsText(pages: RenderedIds): string {
  const plain = [...pages].map(([name, { stamp, digest, ids }]) => [
    name,
    { stamp, digest, ids: Object.fromEntries(ids) },
  ]);
  return `${JSON.stringify(Object.fromEntries(plain))}\n`;
}

export function digestOf(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
