/**
 * Whether a file resembles a session of another program, judged by its name and first bytes. It decides only whether the file
 * is mentioned to the user; what is migrated is decided by reading the whole file (recognize.ts).
 */

import { isJsonObject, tryParseJson } from "../format/json.ts";

/** PicoClaw writes a file name without these; a document in a session directory starts with its key or its messages. */
const DOCUMENT =
  /"(?:messages|history)"\s*:\s*\[\s*\{\s*"(?:role|content)"|^\s*\{\s*"key"\s*:\s*"[^]*"(?:messages|skip|count)"\s*:|^\s*\{\s*"longhand"\s*:\s*[0-9]/;
/** The first line of a message that is longer than what was read. */
const CUT_MESSAGE = /^\{"role":"(?:system|user|assistant|tool)","content":/;

export const START_BYTES = 4096;

/** `start`: up to START_BYTES from the beginning of the file. */
export function looksLikeSession(name: string, start: Buffer): boolean {
  const text = start.toString("utf8").replace(/^\uFEFF/, "");
  if (name.endsWith(".json")) return DOCUMENT.test(text);
  const firstLine = text.split("\n").find((line) => line.trim() !== "") ?? "";
  const value = tryParseJson(firstLine);
  if (value === undefined) return CUT_MESSAGE.test(firstLine);
  return isJsonObject(value) && typeof value["role"] === "string" && Object.hasOwn(value, "content");
}
