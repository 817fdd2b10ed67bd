/** Options are checked once, at the door. An unknown one is a mistake that gets its name told. */

import { LonghandError } from "../errors.ts";
import { MAX_ID_LENGTH } from "../format/format.ts";
import type { IdentifiedWriteOptions } from "../contract/types.ts";

export type Check = readonly [test: (value: unknown) => boolean, expected: string];

export const count: Check = [
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  "a whole number from 0 on",
];
export const seq: Check = [
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  "a seq (a whole number)",
];
/** Of a record that there is or will be. */
export const recordSeq: Check = [
  (value) => Number.isSafeInteger(value) && (value as number) >= 1,
  "a seq (a whole number from 1 on)",
];
export const time: Check = [isTime, "a valid Date"];
export const timeOrSeq: Check = [
  (value) => isTime(value) || seq[0](value),
  "a valid Date or a seq (a whole number)",
];
export const abortSignal: Check = [(value) => value instanceof AbortSignal, "an AbortSignal"];
export const flag: Check = [(value) => typeof value === "boolean", "true or false"];
export const text: Check = [(value) => typeof value === "string", "a string"];
export const texts: Check = [
  (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  "an array of strings",
];
/** Checked by somebody else. */
export const ANYTHING: Check = [() => true, "anything"];
export const callback: Check = [(value) => typeof value === "function", "a function"];
export const id: Check = [
  (value) => typeof value === "string" && value.length > 0 && value.length <= MAX_ID_LENGTH,
  `a string of 1 to ${MAX_ID_LENGTH} characters`,
];

export function oneOf(...values: readonly string[]): Check {
  return [(value) => typeof value === "string" && values.includes(value), `one of ${values.join(", ")}`];
}

/** `undefined` counts as not given. */
export function checkOptions(of: string, options: unknown, checks: Readonly<Record<string, Check>>): void {
  if (options === undefined) return;
  if (typeof options !== "object" || options === null) {
    throw new LonghandError("OPTION_INVALID", `the options of ${of} are an object`, { of });
  }
  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (check === undefined) {
      const known = Object.keys(checks).join(", ");
      throw new LonghandError(
        "OPTION_INVALID",
        `${of} has no option ${JSON.stringify(name)}; it has: ${known}`,
        { of, option: name },
      );
    }
    if (value !== undefined) checkValue(of, name, value, check);
  }
}

export function checkValue(of: string, name: string, value: unknown, [test, expected]: Check): void {
  if (test(value)) return;
  throw new LonghandError("OPTION_INVALID", `${name} of ${of} must be ${expected}, not ${shown(value)}`, {
    of,
    option: name,
    value,
  });
}

/** Exactly one of two ways to say where to cut. */
export function checkCut(of: string, cut: unknown, checks: Readonly<Record<string, Check>>): void {
  checkOptions(of, cut, checks);
  const given = Object.values(cut ?? {}).filter((value) => value !== undefined);
  if (given.length === 1) return;
  const names = Object.keys(checks).join(" or ");
  throw new LonghandError("OPTION_INVALID", `${of} takes exactly one of ${names}`, { of });
}

export const WRITE_OPTIONS: Readonly<Record<string, Check>> = { expectedSeq: seq };
const IDENTIFIED_WRITE_OPTIONS: Readonly<Record<string, Check>> = { ...WRITE_OPTIONS, id };

export function identified(of: string, options: IdentifiedWriteOptions | undefined): IdentifiedWriteOptions {
  checkOptions(of, options, IDENTIFIED_WRITE_OPTIONS);
  // A copy: the write may have to wait, and the caller may use the object again meanwhile.
  return { ...options };
}

function isTime(value: unknown): boolean {
  return value instanceof Date && !Number.isNaN(value.getTime());
}

function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value.slice(0, 60)) : String(value);
}
