/**
 * Keys and the names of their files. A key is data: any text a caller likes. A file name is a readable slug of it,
 * plus a hash wherever the slug alone could be another key's too: on no file system do two keys share a name.
 */

import { hash } from "node:crypto";
import { LonghandError } from "../errors.ts";

export const MAX_KEY_BYTES = 1024;
export const SESSION_SUFFIX = ".jsonl";

declare const VALID: unique symbol;

/** The name of an active session's file, made from a key or validated where it was decoded. */
export type FileName = string & { readonly [VALID]: "file name" };

const MAX_SLUG = 80;
const HASH_LENGTH = 16;
/** Names that some systems give to devices, whatever the extension. */
const RESERVED = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/;
const PLAIN = /^[a-z0-9_][a-z0-9_-]*$/;
const FILE_NAME = /^[a-z0-9_][a-z0-9_-]{0,79}(?:~[0-9a-hjkmnp-tv-z]{16})?\.jsonl$/;

export function checkKey(key: unknown): string {
  if (typeof key !== "string") {
    throw new LonghandError("KEY_INVALID", `a session key is a string, not ${describe(key)}`, { key });
  }
  if (key === "") throw new LonghandError("KEY_INVALID", "a session key must not be empty", { key });
  if (key.includes("\0")) {
    throw new LonghandError("KEY_INVALID", "a session key must not contain NUL", { key });
  }
  if (!key.isWellFormed()) {
    // On disk it would turn into U+FFFD and meet every other such key there.
    throw new LonghandError(
      "KEY_INVALID",
      "a session key must be well-formed Unicode (it has half a surrogate pair)",
      { key },
    );
  }
  const bytes = Buffer.byteLength(key);
  if (bytes > MAX_KEY_BYTES) {
    throw new LonghandError(
      "KEY_INVALID",
      `a session key has at most ${MAX_KEY_BYTES} bytes of UTF-8, this one ${bytes}`,
      {
        bytes,
        limit: MAX_KEY_BYTES,
      },
    );
  }
  return key;
}

export function isKey(value: unknown): value is string {
  try {
    checkKey(value);
    return true;
  } catch {
    return false;
  }
}

/** Whether some key can have this file. */
export function isFileName(value: unknown): value is FileName {
  return typeof value === "string" && FILE_NAME.test(value);
}

/** The file of a checked key. Only lower case, digits, `_`, `-` and `~`: the same name on every file system. */
export function fileNameOf(key: string): FileName {
  const isPlain = PLAIN.test(key) && key.length <= MAX_SLUG && !RESERVED.test(key);
  return `${isPlain ? key : `${slugOf(key)}~${hashOf(key)}`}${SESSION_SUFFIX}` as FileName;
}

function slugOf(key: string): string {
  const slug = key
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "_")
    .replace(/^-/, "_");
  return slug.slice(0, MAX_SLUG);
}

function hashOf(key: string): string {
  const digits = "0123456789abcdefghjkmnpqrstvwxyz";
  const bytes = hash("sha256", key, "buffer");
  let text = "";
  for (let index = 0; index < HASH_LENGTH; index++) text += digits[(bytes[index] ?? 0) & 31] ?? "";
  return text;
}

function describe(value: unknown): string {
  return value === null ? "null" : typeof value;
}
