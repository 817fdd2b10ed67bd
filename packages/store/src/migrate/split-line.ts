/**
 * One line of another program's file, taken apart. Usually it is one object. But a program that appends after a crash
 * glues its line to the torn one before it, two writers glue whole ones together, and a power loss leaves NUL bytes in
 * front: the objects that are whole are found again, and the rest is named.
 *
 * An object is only looked for where an unescaped `{"role":` or the like begins: inside a JSON string the quotes are
 * escaped, so a user's words are never taken for a message.
 */

import { isJsonObject } from "../format/json.ts";
import { ROLES } from "../format/message.ts";
import { decodeUtf8, parseForeignJson } from "./parse-foreign-json.ts";
import { endOfString } from "./quote-long-numbers.ts";

type Fields = Readonly<Record<string, unknown>>;

export type LinePiece =
  | { readonly kind: "object"; readonly offset: number; readonly bytes: number; readonly value: Fields }
  | { readonly kind: "bad"; readonly offset: number; readonly bytes: number; readonly reason: string };

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const CARRIAGE_RETURN = 0x0d;
const START = /\{\s*"(?:role|content|created_at|timestamp)"\s*:/g;
/** A line with more beginnings than that is no accident of appending. */
const MAX_STARTS = 1000;
/** Behind what was appended whole comes the next one, or nothing. Where something else goes on, it was a part of that. */
const MAY_FOLLOW = /^\s*(?:$|[{\0])/;
const FOLLOWING = 16;

/** `line` is without its newline. Empty: the line is. */
export function splitLine(line: Buffer): readonly LinePiece[] {
  let start = line.subarray(0, MARK.length).equals(MARK) ? MARK.length : 0;
  let end = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
  if (start >= end) return [];
  const nulsBefore = countNuls(line, start, end, 1);
  if (nulsBefore === end - start) return [bad(start, end, "filled with NUL bytes")];
  const nulsBehind = countNuls(line, end - 1, start, -1);
  const before = nulsBefore === 0 ? [] : [bad(start, start + nulsBefore, "NUL bytes")];
  const behind = nulsBehind === 0 ? [] : [bad(end - nulsBehind, end, "NUL bytes")];
  start += nulsBefore;
  end -= nulsBehind;
  return [...before, ...splitContent(line, start, end), ...behind];
}

function splitContent(line: Buffer, start: number, end: number): readonly LinePiece[] {
  const text = decodeUtf8(line.subarray(start, end));
  const value = text === undefined ? undefined : parseForeignJson(text);
  if (isJsonObject(value)) return [{ kind: "object", offset: start, bytes: end - start, value }];
  if (value !== undefined) return [bad(start, end, "not an object")];
  return splitGlued(line, start, end, text === undefined ? "not valid UTF-8" : "not valid JSON");
}

/** Bytes as characters one to one: a torn line may end in the middle of a character. */
function splitGlued(line: Buffer, from: number, to: number, reason: string): readonly LinePiece[] {
  const text = line.toString("latin1", 0, to);
  const pieces: LinePiece[] = [];
  let rest = from;
  let search = from;
  for (let starts = 0; starts < MAX_STARTS; starts++) {
    START.lastIndex = search;
    const start = START.exec(text)?.index;
    if (start === undefined) break;
    const end = endOfObject(text, start);
    const value = end === undefined ? undefined : messageIn(line.subarray(start, end));
    if (end === undefined || value === undefined || !MAY_FOLLOW.test(text.slice(end, end + FOLLOWING))) {
      search = start + 1;
      continue;
    }
    if (text.slice(rest, start).trim() !== "") pieces.push(bad(rest, start, reason));
    pieces.push({ kind: "object", offset: start, bytes: end - start, value });
    rest = end;
    search = end;
  }
  if (text.slice(rest, to).trim() !== "") pieces.push(bad(rest, to, reason));
  return pieces;
}

function messageIn(bytes: Buffer): Fields | undefined {
  const text = decodeUtf8(bytes);
  const value = text === undefined ? undefined : parseForeignJson(text);
  return isJsonObject(value) && ROLES.some((role) => role === value["role"]) ? value : undefined;
}

/** Behind the brace that closes the one at `start`. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at) - 1;
    else if (character === "{") depth++;
    else if (character === "}" && --depth === 0) return at + 1;
  }
  return undefined;
}

function countNuls(line: Buffer, from: number, to: number, step: 1 | -1): number {
  let count = 0;
  for (let at = from; (step === 1 ? at < to : at >= to) && line[at] === 0; at += step) count++;
  return count;
}

function bad(offset: number, end: number, reason: string): LinePiece {
  return { kind: "bad", offset, bytes: end - offset, reason };
}
