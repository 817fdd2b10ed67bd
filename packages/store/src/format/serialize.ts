/**
 * Values to JSON text. JSON.stringify would turn NaN into null, a Date into a string, drop a function and call getters and
 * toJSON. So a copy is made first that reads each property once, and whatever would not come back as it went in is refused;
 * of the copy JSON.stringify makes the text. Two things are dropped, as JSON itself does: a property whose value is
 * `undefined`, and the sign of -0.
 */

import { isLonghandError, LonghandError } from "../errors.ts";
import { MAX_MESSAGE_BYTES } from "./format.ts";

/** JSON.stringify fails somewhere below 5,000 levels; no message has a hundred. */
export const MAX_DEPTH = 500;
/** Of one UTF-16 unit in UTF-8. */
const MAX_UNIT_BYTES = 3;
/** The last step of a path while no member of the object there is looked at. */
const UNKNOWN = Symbol("unknown");

export function serialize(value: unknown, what: string): string {
  const copier = new Copier(what);
  let copy: unknown;
  try {
    copy = copier.copy(value, 0);
  } catch (error) {
    if (isLonghandError(error)) throw error;
    throw copier.invalid("a getter threw", error);
  }
  // Lone surrogates become \udxxx escapes and come back exactly.
  const text = JSON.stringify(copy);
  const mayBeTooLarge = text.length > MAX_MESSAGE_BYTES / MAX_UNIT_BYTES;
  if (mayBeTooLarge && Buffer.byteLength(text) > MAX_MESSAGE_BYTES) throw tooLarge(what);
  return text;
}

class Copier {
  readonly #what: string;
  /** The path of the value that is copied, for the error. */
  readonly #path: (string | number | typeof UNKNOWN)[] = [];
  /** A lower bound of the bytes of the text, so that far too much is refused before it is built. */
  #size = 0;

  constructor(what: string) {
    this.#what = what;
  }

  copy(value: unknown, depth: number): unknown {
    if (typeof value === "string") {
      this.#grow(value.length);
      return value;
    }
    if (typeof value === "number") {
      if (!Number.isFinite(value)) throw this.invalid(`${value} has no place in JSON`);
      return value;
    }
    if (typeof value === "boolean" || value === null) return value;
    if (typeof value !== "object") throw this.invalid(`${describe(value)} has no place in JSON`);
    return this.#copyObject(value, depth);
  }

  invalid(problem: string, cause?: unknown): LonghandError {
    const known = this.#path.at(-1) === UNKNOWN ? this.#path.slice(0, -1) : this.#path;
    const steps = known.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`));
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

  #copyObject(value: object, depth: number): unknown {
    // A cycle is depth without end: it is caught here too.
    if (depth >= MAX_DEPTH) throw this.invalid(`nested deeper than ${MAX_DEPTH} levels, or in a circle`);
    const place = this.#path.push(UNKNOWN) - 1;
    const copy = Array.isArray(value)
      ? this.#array(value, depth, place)
      : this.#plainObject(value, depth, place);
    this.#path.pop();
    return copy;
  }

  #array(values: readonly unknown[], depth: number, place: number): unknown[] {
    this.#grow(values.length * 2);
    // JSON has no place for names that are no index. Of a sparse array, which has fewer, a hole is refused below.
    const names = Object.keys(values).length + Object.getOwnPropertySymbols(values).length;
    if (names > values.length) throw this.invalid("an array with properties besides its elements");
    const copy: unknown[] = [];
    for (let index = 0; index < values.length; index++) {
      this.#path[place] = index;
      copy.push(this.copy(values[index], depth + 1));
    }
    return copy;
  }

  #plainObject(value: object, depth: number, place: number): object {
    if (!isPlain(value)) throw this.invalid(`${describe(value)} is not a plain object; convert it first`);
    // Own properties as data, a `__proto__` too: getters are read here, and only here.
    const copy: Record<string, unknown> = { ...value };
    if (Object.getOwnPropertySymbols(copy).length > 0) throw this.invalid("a symbol as property name");
    this.#grow(2);
    for (const name of Object.keys(copy)) {
      const member = copy[name];
      if (member === undefined) continue;
      this.#path[place] = name;
      this.#grow(name.length);
      copy[name] = this.copy(member, depth + 1);
    }
    return copy;
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
