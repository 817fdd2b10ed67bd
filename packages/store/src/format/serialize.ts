/**
 * Values to JSON text, in one pass. JSON.stringify would turn NaN into null, a Date into a string, drop a function and
 * call getters and toJSON; here whatever would not come back as it went in is refused, and each property is read once.
 * Two things are dropped, as JSON itself does: a property whose value is `undefined`, and the sign of -0.
 */

import { isLonghandError, LonghandError } from "../errors.ts";
import { MAX_MESSAGE_BYTES } from "./format.ts";

/** JSON.stringify fails somewhere below 5,000 levels; nobody's message has a hundred. */
export const MAX_DEPTH = 500;

export function serialize(value: unknown, what: string): string {
  const serializer = new Serializer(what);
  let text: string;
  try {
    text = serializer.write(value, 0);
  } catch (error) {
    if (isLonghandError(error)) throw error;
    throw serializer.invalid("a getter threw", error);
  }
  if (Buffer.byteLength(text) > MAX_MESSAGE_BYTES) throw tooLarge(what);
  return text;
}

class Serializer {
  readonly #what: string;
  /** Where we are, for the error. */
  readonly #path: (string | number)[] = [];
  /** A lower bound of the bytes written, so that far too much is refused before it is built. */
  #size = 0;

  constructor(what: string) {
    this.#what = what;
  }

  write(value: unknown, depth: number): string {
    if (typeof value === "string") return this.#string(value);
    if (typeof value === "number") {
      if (!Number.isFinite(value)) throw this.invalid(`${value} has no place in JSON`);
      return Object.is(value, -0) ? "0" : String(value);
    }
    if (typeof value === "boolean") return value ? "true" : "false";
    if (value === null) return "null";
    if (typeof value !== "object") throw this.invalid(`${describe(value)} has no place in JSON`);
    // A cycle is depth without end: it is caught here too.
    if (depth >= MAX_DEPTH) throw this.invalid(`nested deeper than ${MAX_DEPTH} levels, or in a circle`);
    return Array.isArray(value) ? this.#array(value, depth) : this.#object(value, depth);
  }

  invalid(problem: string, cause?: unknown): LonghandError {
    const steps = this.#path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`));
    const shown = steps.length > 8 ? [...steps.slice(0, 6), " … "] : steps;
    const path = shown.join("").replace(/^\./, "");
    const place = path === "" ? "" : ` at ${path},`;
    return new LonghandError(
      "MESSAGE_INVALID",
      `${this.#what} cannot be kept:${place} ${problem}`,
      { path, problem },
      cause,
    );
  }

  #string(text: string): string {
    this.#grow(text.length);
    // Lone surrogates become \udxxx escapes and come back exactly.
    return JSON.stringify(text);
  }

  #array(values: readonly unknown[], depth: number): string {
    this.#grow(values.length * 2);
    // JSON has no place for names that are no index. Of a sparse array, which has fewer, a hole is refused below.
    const names = Object.keys(values).length + Object.getOwnPropertySymbols(values).length;
    if (names > values.length) throw this.invalid("an array with properties besides its elements");
    const place = this.#path.push(0) - 1;
    let text = "[";
    for (let index = 0; index < values.length; index++) {
      this.#path[place] = index;
      if (index > 0) text += ",";
      text += this.write(values[index], depth + 1);
    }
    this.#path.pop();
    return `${text}]`;
  }

  #object(value: object, depth: number): string {
    if (!isPlain(value)) throw this.invalid(`${describe(value)} is not a plain object; convert it first`);
    if (Object.getOwnPropertySymbols(value).length > 0) throw this.invalid("a symbol as property name");
    this.#grow(2);
    const place = this.#path.push("") - 1;
    let text = "{";
    for (const name of Object.keys(value)) {
      this.#path[place] = name;
      const member = (value as Record<string, unknown>)[name];
      if (member === undefined) continue;
      if (text.length > 1) text += ",";
      text += `${this.#string(name)}:${this.write(member, depth + 1)}`;
    }
    this.#path.pop();
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

function describe(value: unknown): string {
  if (typeof value === "object" && value !== null) {
    const { constructor } = value as { constructor?: unknown };
    return typeof constructor === "function" && constructor.name !== ""
      ? `a ${constructor.name}`
      : "an object of a class";
  }
  return value === undefined ? "undefined" : `a ${typeof value}`;
}

function tooLarge(what: string): LonghandError {
  const limit = MAX_MESSAGE_BYTES;
  return new LonghandError(
    "MESSAGE_TOO_LARGE",
    `${what} is larger than ${limit / 1024 / 1024} MiB; keep the content in a file and a reference to it in the message`,
    { limit },
  );
}
