/** Keys that have broken other stores, K1 to K20, over every backend. */

import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { jsonlBackend } from "../../src/backends/jsonl/jsonl-backend.ts";
import { isLonghandError } from "../../src/errors.ts";
import { openStore } from "../../src/open-store.ts";
import { decodeHeader, encodeHeader, firstHeader } from "../../src/format/header.ts";
import { fileNameOf } from "../../src/format/key.ts";
import type { Store } from "../../src/contract/types.ts";
import { keysOf, rejectsWith, say, view } from "../../src/testing/case-language.ts";
import { onEachBackend, type OpenedStore } from "../support/on-each-backend.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";
import { toId } from "../../src/format/session-id.ts";

/** A name that every file system takes: no upper case, no dot or space at the end, no device. */
const PORTABLE_NAME = /^(?!(con|prn|aux|nul|com\d|lpt\d)\.)[a-z0-9_][a-z0-9_~-]*\.jsonl?$/;

async function sessionFiles(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name !== ".longhand");
}

/** Each key is a session of its own, before and after reopening, and its file lies in the directory. */
async function keepsApart({ store, directory, reopen }: OpenedStore, keys: readonly string[]): Promise<void> {
  for (const key of keys) await store.session(key).append(say(`in ${key}`));
  await expectApart(store, keys);
  await expectApart(await reopen(), keys);
  if (directory === undefined) return;
  const names = await sessionFiles(directory);
  expect(names).toHaveLength(keys.length);
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(keys.length);
  for (const name of names) expect(name).toMatch(PORTABLE_NAME);
}

async function expectApart(store: Store, keys: readonly string[]): Promise<void> {
  expect(await keysOf(store)).toEqual([...keys].sort());
  for (const key of keys) {
    expect(await view(store.session(key))).toEqual([`in ${key}`]);
    expect((await store.session(key).state())?.key).toBe(key);
  }
}

/** Refused with a typed error, nothing written, and the store works on. */
async function refuses({ store, directory }: OpenedStore, ...keys: readonly unknown[]): Promise<void> {
  for (const key of keys) {
    expect(() => store.session(key as string)).toThrow(
      expect.toSatisfy((error: unknown) => isLonghandError(error, "KEY_INVALID")),
    );
  }
  if (directory !== undefined) expect(await sessionFiles(directory)).toEqual([]);
  await store.session("good").append(say("hello"));
  expect(await keysOf(store)).toEqual(["good"]);
}

describe("session keys", () => {
  onEachBackend("K1 ../../etc/passwd is data, its file stays in the directory", async (opened) => {
    await keepsApart(opened, ["../../etc/passwd"]);
  });

  onEachBackend("K2 /abs is data, its file stays in the directory", async (opened) => {
    await keepsApart(opened, ["/abs", "/tmp/longhand", "//server/share", "C:\\Windows"]);
  });

  onEachBackend("K3 .. and . are data, their files stay in the directory", async (opened) => {
    await keepsApart(opened, ["..", ".", "...", "../", "./"]);
  });

  onEachBackend("K4 a/b and a\\b are two sessions, distinct from a_b and a:b", async (opened) => {
    await keepsApart(opened, ["a/b", "a\\b", "a_b", "a:b", "a", "b"]);
  });

  onEachBackend("K5 NUL inside is a typed error", async (opened) => {
    await refuses(opened, "a\0b", "\0", "a\0");
  });

  onEachBackend("K6 the empty string is a typed error", async (opened) => {
    await refuses(opened, "");
  });

  onEachBackend(
    "K7 only spaces, leading and trailing spaces are kept exactly, all distinct",
    async (opened) => {
      await keepsApart(opened, [" ", "  ", "a", " a", "a ", " a ", "\t", "a\t", "\u00a0a"]);
    },
  );

  onEachBackend("K8 10,000 characters are a typed error above 1,024 bytes", async (opened) => {
    await refuses(opened, "x".repeat(10_000), "x".repeat(1025), "é".repeat(513));
    await opened.store.session("x".repeat(1024)).append(say("fits"));
    expect(await view((await opened.reopen()).session("x".repeat(1024)))).toEqual(["fits"]);
  });

  onEachBackend("K9 a key of 256 bytes works, and longer ones that differ at the end", async (opened) => {
    const long = "x".repeat(1000);
    const keys = ["k".repeat(255), "k".repeat(256), "é".repeat(128), "🙂".repeat(64), `${long}1`, `${long}2`];
    await keepsApart(opened, keys);
  });

  onEachBackend("K10 CON, nul.txt, aux, trailing dots work and are portable", async (opened) => {
    await keepsApart(opened, [
      "CON",
      "con",
      "nul.txt",
      "nul",
      "aux",
      "AUX.x",
      "prn",
      "com1",
      "LPT9",
      "a.",
      "a..",
    ]);
  });

  onEachBackend("K11 A and a are two sessions, also where upper and lower case are one", async (opened) => {
    // keepsApart compares the names of the files without their case.
    await keepsApart(opened, ["A", "a", "Straße", "STRASSE", "strasse", "İ", "i̇", "ı", "I"]);
  });

  onEachBackend("K12 NFC and NFD are distinct, never mixed", async (opened) => {
    await keepsApart(opened, ["\u00e9", "e\u0301", "\u212b", "\u00c5", "A\u030a"]);
  });

  onEachBackend("K13 emoji, right-to-left and zero-width characters come back", async (opened) => {
    await keepsApart(opened, [
      "🙂",
      "👩‍👩‍👧",
      "👩👩👧",
      "שלום",
      "\u202eabc",
      "a\u200bb",
      "ab",
      "\u2066x\u2069",
      "🏳️‍🌈",
    ]);
  });

  onEachBackend("K14 a lone surrogate is a typed error", async (opened) => {
    await refuses(opened, "\ud800", "a\udfffb", "\udc00\ud800");
  });

  onEachBackend("K15 __proto__, constructor, toString are normal keys", async (opened) => {
    await keepsApart(opened, ["__proto__", "constructor", "toString", "hasOwnProperty", "prototype"]);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  onEachBackend("K16 newline, \\r, U+2028 and ESC codes are kept", async (opened) => {
    await keepsApart(opened, [
      "a\nb",
      "a\rb",
      "a\r\nb",
      "a\u2028b",
      "\u001b[31mred\u001b[0m",
      "\u0007",
      "a b",
    ]);
  });

  test("K16 in a file the key is escaped in one header line; in an error it is escaped too", async () => {
    const key = "\u001b[2Jgone\nnext\r\u2028";
    const directory = await makeTemporaryDirectory();
    try {
      const path = join(directory, fileNameOf(key));
      const store = await openStore(jsonlBackend(directory));
      await store.session(key).append(say("x"));
      await store.close();
      const [header] = (await readFile(path, "utf8")).split("\n");
      expect(header).toContain("\\u001b[2Jgone\\nnext\\r");
      expect(decodeHeader(Buffer.from(header ?? ""))).toMatchObject({ kind: "header", header: { key } });
      // The same key under another's name: the error names it.
      await writeFile(join(directory, fileNameOf("other")), await readFile(path));
      const again = await openStore(jsonlBackend(directory));
      const error = await rejectsWith("SESSION_DAMAGED", again.session("other").messages());
      await again.close();
      expect(error.message).toContain("\\u001b[2Jgone\\nnext\\r");
      expect(Buffer.from(error.message).every((byte) => byte >= 0x20)).toBe(true);
    } finally {
      await removeDirectory(directory);
    }
  });

  onEachBackend("K17 %2e%2e%2f is not decoded", async (opened) => {
    await keepsApart(opened, ["%2e%2e%2f", "../", "%252e", "%2e", "%", "%00", "&amp;"]);
  });

  onEachBackend("K18 a number, an object, undefined are typed errors", async (opened) => {
    const imitation = { toString: () => "key", length: 3 };
    await refuses(opened, 5, Number.NaN, {}, imitation, [], ["key"], undefined, null, true, Symbol("x"), 1n);
  });

  onEachBackend("K19 names of our own files are keys like others, without collision", async (opened) => {
    const own = ["segments", "archive", "trash", ".longhand", "journal", "leases", "damaged", "cache"];
    const suffixed = ["x", "x.lock", "x.tmp", "x.jsonl", "x.json", "x.jsonl.tmp", "x.journal", ".x", "index"];
    const hashed = fileNameOf("x.lock");
    await keepsApart(opened, [...own, ...suffixed, hashed, hashed.replace(".jsonl", "")]);
  });

  test("K20 a simulated hash collision is found by the header: a typed error, and the file is left alone", async () => {
    const directory = await makeTemporaryDirectory();
    try {
      const key = "the victim";
      const path = join(directory, fileNameOf(key));
      const header = encodeHeader(
        firstHeader({
          key: "another key",
          id: toId("01JCW0000000000000000000AB"),
          at: "2026-11-15T19:24:12.123Z",
        }),
      );
      await mkdir(directory, { recursive: true });
      await writeFile(path, header, { mode: 0o600 });
      const store = await openStore(jsonlBackend(directory));
      const session = store.session(key);
      const attempts: readonly (() => Promise<unknown>)[] = [
        () => session.append(say("x")),
        () => session.append(say("x"), { expectedSeq: 0 }),
        () => session.messages(),
        () => session.state(),
        () => session.exists(),
        () => session.replace([]),
      ];
      for (const attempt of attempts) {
        const error = await rejectsWith("SESSION_DAMAGED", attempt());
        expect(error.message).toContain(fileNameOf(key));
        expect(error.message).toContain("another key");
      }
      await store.session("bystander").append(say("fine"));
      expect(await view(store.session("bystander"))).toEqual(["fine"]);
      await store.close();
      expect(await readFile(path)).toEqual(header);
    } finally {
      await removeDirectory(directory);
    }
  });
});
