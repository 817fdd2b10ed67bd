/** Values to JSON text: the same as JSON.stringify where that is faithful, an error where it is not. */

import fc from "fast-check";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { isLonghandError, type LonghandErrorCode } from "../../src/errors.ts";
import { MAX_MESSAGE_BYTES } from "../../src/format/format.ts";
import { MAX_DEPTH, serialize } from "../../src/format/serialize.ts";
import { anyText } from "../support/arbitrary-entries.ts";

function refuses(value: unknown, code: LonghandErrorCode = "MESSAGE_INVALID"): string {
  try {
    serialize(value, "it");
  } catch (error) {
    if (isLonghandError(error, code)) return error.message;
    throw error;
  }
  return expect.fail("it was taken");
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { deeper: value };
  return value;
}

describe("serialize", () => {
  test("gives what JSON.stringify gives for every JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        expect(serialize(value, "it")).toBe(JSON.stringify(value));
      }),
      { numRuns: 1000 },
    );
  });

  test("any text comes back, half surrogate pairs too", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(JSON.parse(serialize([text], "it"))).toEqual([text]);
        expect(JSON.parse(serialize({ [`key ${text}`]: 1 }, "it"))).toEqual({ [`key ${text}`]: 1 });
        expect(Buffer.from(serialize(text, "it")).includes(0x0a)).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  test("drops a property that is undefined and the sign of zero, nothing else", () => {
    expect(serialize({ a: undefined, b: -0, c: [-0] }, "it")).toBe('{"b":0,"c":[0]}');
    expect(serialize({ a: undefined }, "it")).toBe("{}");
  });

  test("takes objects without a prototype and from another realm", () => {
    const bare = Object.assign(Object.create(null) as object, { a: 1 });
    expect(serialize(bare, "it")).toBe('{"a":1}');
    expect(serialize(runInNewContext("({ a: [1, { b: null }] })"), "it")).toBe('{"a":[1,{"b":null}]}');
  });

  test("writes __proto__ as the property it is", () => {
    const value: unknown = JSON.parse('{"__proto__":{"polluted":true}}');
    expect(serialize(value, "it")).toBe('{"__proto__":{"polluted":true}}');
  });

  test("refuses what JSON would change in silence, and says where it is", () => {
    expect(refuses({ a: [1, { b: Number.NaN }] })).toMatch(/ a\[1\]\.b,/);
    for (const value of [Infinity, -Infinity, 1n, Symbol("x"), () => 1, undefined]) {
      refuses(value);
      refuses([value]);
      if (value !== undefined) refuses({ value });
    }
    for (const value of [new Date(0), new Map(), new Set(), Buffer.from("x"), /x/, new Error("x")]) {
      expect(refuses({ value })).toMatch(/not a plain object/);
    }
    expect(refuses(new Array(3))).toMatch(/undefined/);
    expect(refuses({ [Symbol("x")]: 1 })).toMatch(/symbol/);
    expect(refuses({ v: Object.assign([1], { k: 2 }) })).toMatch(/ v, an array with properties/);
    refuses(Object.assign([1], { [Symbol("x")]: 2 }));
    refuses(Object.assign(new Array(2), { k: 2 }));
    refuses("abc".match(/b/));
  });

  test("a getter is read once, and one that throws is refused with its reason", () => {
    let reads = 0;
    const counting = Object.defineProperty({}, "x", { enumerable: true, get: () => ++reads });
    expect(serialize(counting, "it")).toBe('{"x":1}');
    const throwing = Object.defineProperty({}, "x", {
      enumerable: true,
      get: () => {
        throw new Error("not today");
      },
    });
    expect(refuses(throwing)).toMatch(/getter threw/);
  });

  test("toJSON is not called: an object that has one is refused", () => {
    let calls = 0;
    const value = { toJSON: () => ++calls };
    refuses(value);
    expect(calls).toBe(0);
  });

  test("depth has a limit, and a circle is depth without end", () => {
    expect(JSON.parse(serialize(nested(MAX_DEPTH), "it"))).toEqual(nested(MAX_DEPTH));
    expect(refuses(nested(MAX_DEPTH + 1))).toMatch(/deeper/);
    refuses(nested(100_000));
    const circle: unknown[] = [];
    circle.push({ circle });
    expect(refuses(circle)).toMatch(/circle/);
  });

  test("a value that appears twice is no circle", () => {
    const shared = { a: 1 };
    expect(serialize([shared, shared], "it")).toBe('[{"a":1},{"a":1}]');
  });

  test("takes exactly as many bytes as one message may have", () => {
    const fits = "x".repeat(MAX_MESSAGE_BYTES - 2);
    expect(serialize(fits, "it")).toHaveLength(MAX_MESSAGE_BYTES);
    expect(refuses(`${fits}x`, "MESSAGE_TOO_LARGE")).toMatch(/64 MiB/);
    // Fewer characters, as many bytes.
    refuses("é".repeat(MAX_MESSAGE_BYTES / 2), "MESSAGE_TOO_LARGE");
  });

  test("what grows without end when written out is refused before it does", () => {
    let value: unknown = "x".repeat(1024);
    for (let level = 0; level < 60; level++) value = [value, value];
    refuses(value, "MESSAGE_TOO_LARGE");
  });
});
