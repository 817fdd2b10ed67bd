/** What a server answered, in a few words for an error message. */

import { tryParseJson } from "../parse-json.ts";

const LONGEST = 400;

/** The message inside a JSON error, a web page as such, and of anything else the beginning. */
export function describeBody(body: string): string {
  const page = /^\s*(?:<!doctype html|<html)/i.test(body);
  if (page) {
    const title = /<title[^>]*>([^<]{1,200})/i.exec(body.slice(0, 20_000))?.[1]?.trim();
    return title === undefined ? "a web page" : `a web page ("${title}")`;
  }
  return shorten(messageIn(tryParseJson(body)) ?? body);
}

/** Of the ways in which servers wrap an error message. */
export function messageIn(value: unknown): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  if (typeof value !== "object" || value === null) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  for (const name of ["error", "message", "detail", "0"]) {
    const found = messageIn(fields[name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function shorten(text: string): string {
  const line = text
    .slice(0, LONGEST * 4)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
