import * as fc from "fast-check";
import { expect, test } from "vitest";
import { FileBytes } from "../../src/testing/file-bytes.ts";

type Change = { position: number; length: number; fill: number } | { resize: number };

// Around the borders of pages, where it could go wrong.
const place = fc.oneof(
  fc.nat(40),
  fc.integer({ min: 4080, max: 4110 }),
  fc.integer({ min: 8180, max: 8200 }),
);
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ position: place, length: place, fill: fc.nat(3) }),
  fc.record({ resize: place }),
);

function apply(bytes: FileBytes, change: Change): FileBytes {
  if ("resize" in change) return bytes.resize(change.resize);
  return bytes.write(Buffer.alloc(change.length, change.fill), change.position);
}

function applyToBuffer(buffer: Buffer, change: Change): Buffer {
  if ("resize" in change) {
    const resized = Buffer.alloc(change.resize);
    buffer.copy(resized);
    return resized;
  }
  const { position, length, fill } = change;
  if (length === 0) return buffer;
  const written = Buffer.alloc(Math.max(buffer.length, position + length));
  buffer.copy(written);
  return written.fill(fill, position, position + length);
}

function contentOf(bytes: FileBytes): Buffer {
  const content = Buffer.alloc(bytes.size, 0xff);
  expect(bytes.read(content, 0)).toBe(bytes.size);
  return content;
}

test("holds what a plain buffer would hold, and what was there before stays as it was", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
      let bytes = FileBytes.empty;
      let buffer: Buffer = Buffer.alloc(0);
      for (const change of changes) {
        const before = contentOf(bytes);
        const next = apply(bytes, change);
        expect(contentOf(bytes).equals(before)).toBe(true);
        buffer = applyToBuffer(buffer, change);
        expect(contentOf(next).equals(buffer)).toBe(true);
        bytes = next;
      }
    }),
  );
});

test("reads NULs behind the bytes of a page that was written only in part", () => {
  const bytes = FileBytes.empty.write(Buffer.from("hello"), 0).resize(4000);
  const into = Buffer.alloc(4, 0xff);
  expect(bytes.read(into, 100)).toBe(4);
  expect(into.toString("latin1")).toBe("\0\0\0\0");
});

test("reads from any place, and less at the end", () => {
  const bytes = FileBytes.empty.write(Buffer.from("hello"), 4094);
  const into = Buffer.alloc(4, 0xff);
  expect(bytes.read(into, 4092)).toBe(4);
  expect(into.toString("latin1")).toBe("\0\0he");
  expect(bytes.read(into, 4097)).toBe(2);
  expect(into.toString("latin1")).toBe("lohe");
  expect(bytes.read(into, 5000)).toBe(0);
});

test("has the same digest for the same content only, however it came about", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 6 }), fc.array(change, { maxLength: 6 }), (some, others) => {
      const [one, other] = [some.reduce(apply, FileBytes.empty), others.reduce(apply, FileBytes.empty)];
      expect(one.digest === other.digest).toBe(contentOf(one).equals(contentOf(other)));
      const rewritten = FileBytes.empty.write(contentOf(one), 0);
      expect(rewritten.digest).toBe(one.digest);
    }),
  );
});
