/** Members that any gunzip reads, of whole lines, and not one damaged byte taken for a good one. */

import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ByteSource } from "../../src/session/byte-source.ts";
import {
  decodeMember,
  encodeMember,
  MAX_CONTENT_BYTES,
  readMemberHeader,
} from "../../src/session/gzip-member.ts";
import { PACKED_BYTES, packMembers } from "../../src/session/pack-members.ts";
import { MAX_LINE_BYTES } from "../../src/format/format.ts";
import { rejectsWith } from "../../src/testing/case-language.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const run = promisify(execFile);

function sourceOf(bytes: Buffer): ByteSource {
  return {
    size: bytes.length,
    read: (into, position) => Promise.resolve(bytes.copy(into, 0, position, position + into.length)),
  };
}

async function pack(bytes: Buffer): Promise<Buffer[]> {
  const members: Buffer[] = [];
  for await (const member of packMembers(sourceOf(bytes), bytes.length)) members.push(member);
  return members;
}

const linesOf = (lengths: readonly number[]): Buffer =>
  Buffer.concat(
    lengths.flatMap((length, index) => [Buffer.alloc(length, `{"seq":${index}}`), Buffer.from("\n")]),
  );

describe("a gzip member", () => {
  test("comes back, says both lengths, and is plain gzip", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), (array) => {
        const bytes = Buffer.from(array);
        const member = encodeMember(bytes);
        expect(readMemberHeader(member)).toEqual({
          memberBytes: member.length,
          bytes: bytes.length,
          headerBytes: 24,
        });
        expect(decodeMember(member)).toEqual(bytes);
        expect(gunzipSync(member)).toEqual(bytes);
      }),
    );
  });

  test("no flipped bit gives other bytes, and no shorter or longer piece gives any", () => {
    const bytes = linesOf([40, 7, 120]);
    const member = encodeMember(bytes);
    for (let bit = 0; bit < member.length * 8; bit++) {
      const copy = Buffer.from(member);
      copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const content = decodeMember(copy);
      // Unused bits behind the end of the deflate data may flip without changing what it says.
      if (content !== undefined) expect(content).toEqual(bytes);
    }
    for (let length = 0; length < member.length; length++)
      expect(decodeMember(member.subarray(0, length))).toBeUndefined();
    expect(decodeMember(Buffer.concat([member, Buffer.from([0])]))).toBeUndefined();
  });

  test("lengths that no member of ours has are not believed", () => {
    for (const [at, value] of [
      [16, 32],
      [16, 0xffffffff],
      [20, MAX_CONTENT_BYTES + 1],
    ] as const) {
      const member = encodeMember(Buffer.from("x\n"));
      member.writeUInt32LE(value, at);
      expect(readMemberHeader(member)).toBeUndefined();
    }
    // Inflates to far more than its trailer says.
    const bomb = encodeMember(Buffer.alloc(8 * 1024 * 1024));
    bomb.writeUInt32LE(10, 20);
    bomb.writeUInt32LE(10, bomb.length - 4);
    expect(decodeMember(bomb)).toBeUndefined();
    expect(() => encodeMember(Buffer.alloc(MAX_CONTENT_BYTES + 1))).toThrow(RangeError);
    expect(readMemberHeader(gzipSync("by another program"))).toBeUndefined();
    expect(decodeMember(gzipSync("by another program"))).toBeUndefined();
    expect(decodeMember(Buffer.alloc(0))).toBeUndefined();
  });
});

describe("packing", () => {
  test("whole lines, as many as fit, and the same bytes again", async () => {
    const edge = fc.integer({ min: PACKED_BYTES - 3, max: PACKED_BYTES + 3 });
    const length = fc.oneof(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 0, max: 90_000 }), edge);
    await fc.assert(
      fc.asyncProperty(fc.array(length, { maxLength: 12 }), fc.boolean(), async (lengths, isTerminated) => {
        const all = linesOf(lengths);
        const bytes = isTerminated ? all : all.subarray(0, Math.max(0, all.length - 1));
        const contents = (await pack(bytes)).map((member) => decodeMember(member) ?? Buffer.from("damaged"));
        expect(Buffer.concat(contents).equals(bytes)).toBe(true);
        for (const [index, content] of contents.entries()) {
          expect(content.length).toBeGreaterThan(0);
          if (index < contents.length - 1) expect(content.at(-1)).toBe(0x0a);
          if (content.length > PACKED_BYTES)
            expect(content.indexOf("\n") + 1 || content.length).toBe(content.length);
          // Full: the next line would not have fitted.
          const next = contents[index + 1];
          if (next !== undefined)
            expect(content.length + (next.indexOf("\n") + 1 || next.length)).toBeGreaterThan(PACKED_BYTES);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("a line longer than any of ours keeps its bytes, without being held whole", async () => {
    const size = MAX_LINE_BYTES + 2_000_000;
    let largest = 0;
    const source: ByteSource = {
      size,
      read: (into, position) => {
        largest = Math.max(largest, into.length);
        into.fill("x");
        if (position + into.length === size) into[into.length - 1] = 0x0a;
        return Promise.resolve(into.length);
      },
    };
    const lengths: number[] = [];
    for await (const member of packMembers(source, size)) lengths.push(decodeMember(member)?.length ?? -1);
    expect(lengths[0]).toBe(MAX_CONTENT_BYTES);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(size);
    expect(largest).toBe(PACKED_BYTES);
  });

  test("a source that ends too early is a typed error, never a shorter segment", async () => {
    const short = { ...sourceOf(linesOf([100])), size: 500 };
    const packed = (async () => {
      for await (const member of packMembers(short, 500)) expect(member).toBeDefined();
    })();
    await rejectsWith("IO_FAILED", packed);
  });

  test("gunzip of Node and of the system read the file", async () => {
    const bytes = linesOf(Array.from({ length: 900 }, (_, index) => (index * 37) % 2000));
    const file = Buffer.concat(await pack(bytes));
    expect((await pack(bytes)).length).toBeGreaterThan(3);
    expect(gunzipSync(file).equals(bytes)).toBe(true);
    const directory = await makeTemporaryDirectory();
    try {
      const path = join(directory, "segment.gz");
      await writeFile(path, file);
      const options = { encoding: "buffer", maxBuffer: bytes.length * 2 } as const;
      // gzip is part of every Linux and macOS; its -t also checks every trailer.
      await run("gzip", ["-t", path]);
      const { stdout } = await run("gzip", ["-dc", path], options);
      expect(stdout.equals(bytes)).toBe(true);
    } finally {
      await removeDirectory(directory);
    }
  });
});
