/** Fingerprints tell apart what a user of the disk can tell apart, and nothing else. */

import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { FileSystem } from "../../src/host/host.ts";
import { hashOfBytes } from "../../src/testing/hash64.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";

async function machineWith(work: (files: FileSystem) => Promise<unknown>): Promise<SimulatedMachine> {
  const machine = new SimulatedMachine();
  await work(machine.startProcess().files);
  return machine;
}

async function fingerprintOf(work: (files: FileSystem) => Promise<unknown>): Promise<bigint> {
  return (await machineWith(work)).fingerprint();
}

async function put(files: FileSystem, path: string, text: string): Promise<void> {
  const file = await files.open(path, "create");
  await file.write(Buffer.from(text), 0);
  await file.close();
}

test("the same for the same names and contents, whatever the order, the times and what is durable", async () => {
  const one = await fingerprintOf(async (files) => {
    await put(files, "/a", "A");
    await put(files, "/b", "B");
    await files.syncDirectory("/");
  });
  const other = await machineWith(async (files) => {
    await put(files, "/x", "");
    await put(files, "/b", "B");
    await put(files, "/a", "A");
    await files.unlink("/x");
  });
  expect(other.fingerprint()).toBe(one);
  other.setClock(5);
  const file = await other.startProcess().files.open("/a", "write");
  await file.write(Buffer.from("A"), 0);
  expect(other.fingerprint()).toBe(one);
});

test("another for other names, contents, places, kinds and links", async () => {
  const fingerprints = await Promise.all(
    [
      async () => Promise.resolve(),
      async (files: FileSystem) => await put(files, "/a", ""),
      async (files: FileSystem) => await put(files, "/a", "\0"),
      async (files: FileSystem) => await put(files, "/a", "A"),
      async (files: FileSystem) => await put(files, "/b", "A"),
      async (files: FileSystem) => await files.makeDirectory("/a"),
      async (files: FileSystem) => {
        await files.makeDirectory("/d");
        await put(files, "/d/a", "A");
      },
      async (files: FileSystem) => {
        for (const path of ["/a", "/b", "/c", "/d"]) await put(files, path, "A");
      },
      async (files: FileSystem) => {
        await put(files, "/a", "A");
        await put(files, "/c", "A");
        await files.link("/a", "/b");
        await files.link("/c", "/d");
      },
      async (files: FileSystem) => {
        await put(files, "/a", "A");
        await put(files, "/b", "A");
        await files.link("/a", "/c");
        await files.link("/b", "/d");
      },
    ].map(fingerprintOf),
  );
  expect(new Set(fingerprints).size).toBe(fingerprints.length);
});

test("without what is left out, whatever is in it", async () => {
  const make = async (text: string): Promise<SimulatedMachine> =>
    await machineWith(async (files) => {
      await files.makeDirectory("/cache");
      await put(files, "/cache/a", text);
      await put(files, "/b", "B");
    });
  const [one, other] = [await make("1"), await make("2")];
  expect(one.fingerprint()).not.toBe(other.fingerprint());
  const isCache = (path: string): boolean => path === "/cache";
  expect(one.fingerprint(isCache)).toBe(other.fingerprint(isCache));
  expect(one.fingerprint(isCache)).not.toBe(one.fingerprint((path) => path === "/b"));
});

test("bytes that differ anywhere have another hash, in both halves", () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(bytes, fc.nat(), fc.integer({ min: 1, max: 255 }), (content, where, change) => {
      const one = Buffer.from(content);
      const other = Buffer.from(content);
      other[where % other.length] = (other[where % other.length] ?? 0) ^ change;
      const [first, second] = [hashOfBytes(one, one.length), hashOfBytes(other, other.length)];
      expect(first.low).not.toBe(second.low);
      expect(first.high).not.toBe(second.high);
    }),
  );
});
