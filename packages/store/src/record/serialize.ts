/**
 * Values to JSON text, in one pass. JSON.stringify would turn NaN into null, a Date into a string, drop a function and
 * call getters and toJSON; here whatever would not come back as it went in is refused, and each property is read once.
 * Two things are dropped, as JSON itself does: a property whose value is `undefined`, and the sign of -0.
 */

import { LonghandError } from "../errors.ts";
import { MAX_MESSAGE_BYTES } from "./format.ts";

/** JSON.stringify fails somewhere below 5,000 levels; nobody's message has a hundred. */
export const MAX_DEPTH = 500;

export function serialize(value: unknown, what: string): string {
  const text = new Serializer(what).write(value, what, 0);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_MESSAGE_BYTES) throw tooLarge(what);
  return text;
}

class Serializer {
  readonly #what: string;
  /** A lower bound of the bytes written, so that far too much is refused before it is built. */
  #size = 0;

  constructor(what: string) {
    this.#what = what;
  }

  write(value: unknown, path: string, depth: number): string {
    if (typeof value === "string") return this.#string(value);
    if (typeof value === "number") {
      if (!Number.isFinite(value)) throw invalid(this.#what, path, `${value} has no place in JSON`);
      return Object.is(value, -0) ? "0" : String(value);
    }
    if (typeof value === "boolean") return value ? "true" : "false";
    if (value === null) return "null";
    if (typeof value !== "object") throw invalid(this.#what, path, `${describe(value)} has no place in JSON`);
    // A cycle is depth without end: it is caught here too.
    if (depth >= MAX_DEPTH)
      throw invalid(this.#what, path.slice(0, 80), `nested deeper than ${MAX_DEPTH} levels, or in a circle`);
    return Array.isArray(value) ? this.#array(value, path, depth) : this.#object(value, path, depth);
  }

  #string(text: string): string {
    this.#size += text.length;
    if (this.#size > MAX_MESSAGE_BYTES) throw tooLarge(this.#what);
    // Lone surrogates become \udxxx escapes and come back exactly.
    return JSON.stringify(text);
  }

  #array(values: readonly unknown[], path: string, depth: number): string {
    this.#grow(values.length * 2);
    let text = "[";
    for (let index = 0; index < values.length; index++) {
      if (index > 0) text += ",";
      text += this.write(values[index], `${path}[${index}]`, depth + 1);
    }
    return `${text}]`;
  }

  #object(value: object, path: string, depth: number): string {
    if (!isPlain(value))
      throw invalid(this.#what, path, `${describe(value)} is not a plain object; convert it first`);
    if (Object.getOwnPropertySymbols(value).length > 0)
      throw invalid(this.#what, path, "a symbol as property name");
    let text = "{";
    for (const name of Object.keys(value)) {
      const member: unknown = readOnce(value, name, path, this.#what);
      if (member === undefined) continue;
      if (text.length > 1) text += ",";
      text += `${this.#string(name)}:${this.write(member, `${path}.${name}`, depth + 1)}`;
    }
    this.#grow(text.length === 1 ? 2 : 0);
    return `${text}}`;
  }

  #grow(bytes: number): void {
    this.#size += bytes;
    if (this.#size > MAX_MESSAGE_BYTES) throw tooLarge(this.#what);
  }
}

/** Plain also if it comes from another realm, where Object.prototype is another object. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function readOnce(value: object, name: string, path: string, what: string): unknown {
  try {
    return (value as Record<string, unknown>)[name];
  } catch (cause) {
    throw invalid(what, `${path}.${name}`, "its getter threw", cause);
  }
}

function describe(value: unknown): string {
  if (typeof value === "object" && value !== null) {
    const { constructor } = value as { constructor?: unknown };
    return typeof constructor === "function" && constructor.name !== ""
      ? `a ${constructor.name}`
      : "an object of a class";
  }
  return value === undefined ? "undefined" : `a ${typeof value}`;
}

function invalid(what: string, path: string, problem: string, cause?: unknown): LonghandError {
  return new LonghandError(
    "MESSAGE_INVALID",
    `${what} cannot be kept: at ${path}, ${problem}`,
    { path, problem },
    cause,
  );
}

function tooLarge(what: string): LonghandError {
  const limit = MAX_MESSAGE_BYTES;
  return new LonghandError(
    "MESSAGE_TOO_LARGE",
    `${what} is larger than ${limit / 1024 / 1024} MiB; keep the content in a file and a reference to it in the message`,
    { limit },
  );
}
