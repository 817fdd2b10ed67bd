import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonFault, lineAndColumn, pathKey, scanJson } from "../../src/config/scan-json.ts";

test("reads what JSON.parse reads", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 1, "\t"), (value, space) => {
      const text = JSON.stringify(value, null, space);
      expect(scanJson(text).value).toEqual(JSON.parse(text));
    }),
  );
});

test("refuses what JSON.parse refuses, and says where", () => {
  const pieces = fc.constantFrom(
    ...Array.from('{}[],:"\\ \n\t/-.eE019atrufls'),
    "true",
    "null",
    '"a"',
    "1e5",
    "\u0001",
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
      const text = parts.join("");
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      try {
        scanJson(text);
        expect(isJson).toBe(true);
      } catch (error) {
        if (!(error instanceof JsonFault)) throw error;
        expect(error.offset).toBeLessThanOrEqual(text.length);
        if (isJson) expect(error.message).toContain("twice");
      }
    }),
    { numRuns: 2000 },
  );
});

test("knows where a field stands", () => {
  const text = '{\n  "a": [1, {"b": 2}],\n  "c": 3\n}';
  const { offsets } = scanJson(text);
  const placeOf = (...path: (string | number)[]): unknown =>
    lineAndColumn(text, offsets.get(pathKey(path)) ?? -1);
  expect(placeOf("a")).toEqual({ line: 2, column: 3 });
  expect(placeOf("a", 1, "b")).toEqual({ line: 2, column: 13 });
  expect(placeOf("c")).toEqual({ line: 3, column: 3 });
});

test("__proto__ is a field as any other", () => {
  const { value } = scanJson('{"__proto__": {"x": 1}}');
  expect(Object.keys(value as object)).toEqual(["__proto__"]);
  expect("x" in (value as object)).toBe(false);
});
