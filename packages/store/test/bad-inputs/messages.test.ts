/** Messages that have broken other stores, M1 to M20, over every backend. What needs a raw file or a disk is in jsonl. */

import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { jsonlBackend } from "../../src/backends/jsonl/jsonl-backend.ts";
import type { LonghandErrorCode } from "../../src/errors.ts";
import { openStore } from "../../src/open-store.ts";
import { decodeLine } from "../../src/format/decode.ts";
import { decodeHeader } from "../../src/format/header.ts";
import { encodeEntry } from "../../src/format/encode.ts";
import { MAX_MESSAGE_BYTES } from "../../src/format/format.ts";
import { fileNameOf } from "../../src/format/key.ts";
import type { Message } from "../../src/format/message.ts";
import { rejectsWith, say, sayAll, seqOf } from "../../src/testing/case-language.ts";
import { withInstance } from "../support/begin-instance.ts";
import { countingHost } from "../support/counting-host.ts";
import { onEachBackend, type OpenedStore } from "../support/on-each-backend.ts";
import { SESSION_ID } from "../support/sample-log.ts";
import { settled } from "../support/settled.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const MEBIBYTE = 1024 * 1024;

function holding(value: unknown): Message {
  return { role: "user", content: "x", extra: value } as Message;
}

/** Deep-equal, at once and after reopening. */
async function comesBack(opened: OpenedStore, message: Message, as = message): Promise<void> {
  await opened.store.session("s").append(message);
  expect((await opened.store.session("s").messages()).at(-1)).toEqual(as);
  await opened.reopen();
  expect((await opened.store.session("s").messages()).at(-1)).toEqual(as);
}

/** A typed error, nothing written, the store usable afterwards. */
async function refuses(
  { store, directory }: OpenedStore,
  code: LonghandErrorCode,
  message: unknown,
): Promise<void> {
  const session = store.session("s");
  const before = await seqOf(session);
  const onDisk = directory === undefined ? undefined : await appliedContentOf(directory, before);
  await rejectsWith(code, session.append(message as Message));
  await rejectsWith(code, session.append([say("good"), message as Message]));
  if (directory !== undefined) expect(await contentOf(directory)).toBe(onDisk);
  expect(await session.append(say("after"))).toEqual({ seq: before + 1 });
}

/** Records are written to the session's file shortly after the answer. */
async function appliedContentOf(directory: string, seq: number): Promise<string | undefined> {
  const isApplied = async (): Promise<boolean> => {
    const content = await contentOf(directory);
    return seq === 0 || content === undefined || content.includes(`{"seq":${seq},`);
  };
  await expect.poll(isApplied).toBe(true);
  return await contentOf(directory);
}

async function contentOf(directory: string): Promise<string | undefined> {
  return await readFile(join(directory, fileNameOf("s")), "utf8").catch(() => undefined);
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

describe("messages", () => {
  onEachBackend("M1 a lone surrogate in the text comes back exactly", async (opened) => {
    await comesBack(opened, say("\ud83d and \ude42, \ude42\ud83d"));
    await comesBack(opened, holding({ "\udfff": ["\ud800"] }));
  });

  // First of the large ones: the peak of the process's memory is then still its own.
  test("M2 a string of 100 MB is a typed error, and memory stays below three times that", async () => {
    const megabytes = 100;
    const content = Buffer.alloc(megabytes * MEBIBYTE, "x").toString("latin1");
    const store = await openStore(jsonlBackend(await makeTemporaryDirectory()));
    const before = process.memoryUsage.rss();
    await rejectsWith("MESSAGE_TOO_LARGE", store.session("s").append(say(content)));
    // The highest ever, so rather too much than too little. The message itself is in `before`: twice more is allowed.
    const peak = process.resourceUsage().maxRSS * 1024;
    expect(peak - before).toBeLessThan(2 * megabytes * MEBIBYTE);
    await store.close();
    await removeDirectory(store.directory ?? "");
  });

  onEachBackend("M2 100 MB are a typed error, what fits into 64 MiB passes", async (opened) => {
    await refuses(opened, "MESSAGE_TOO_LARGE", say("x".repeat(100 * MEBIBYTE)));
    const image = { type: "image", mediaType: "image/png", data: "A".repeat(20 * MEBIBYTE) };
    const message: Message = { role: "user", content: [image] };
    await opened.store.session("s").append(message);
    const [kept] = await (await opened.reopen()).session("s").messages({ last: 1 });
    // Not by toEqual, which would print 20 MB when it fails.
    expect(JSON.stringify(kept) === JSON.stringify(message)).toBe(true);
  });

  onEachBackend("M2 the limit is exact: 64 MiB of JSON pass, one byte more does not", async (opened) => {
    const frame = JSON.stringify(say("")).length;
    const session = opened.store.session("s");
    await rejectsWith("MESSAGE_TOO_LARGE", session.append(say("x".repeat(MAX_MESSAGE_BYTES - frame + 1))));
    const content = "x".repeat(MAX_MESSAGE_BYTES - frame);
    await session.append(say(content));
    const again = (await opened.reopen()).session("s");
    expect((await again.messages())[0]?.content === content).toBe(true);
    expect((await again.state())?.damaged).toBe(0);
  });

  onEachBackend("M3 more than 512 MB is a typed error and no crash", async (opened) => {
    const longest = "x".repeat(536_870_888);
    await refuses(opened, "MESSAGE_TOO_LARGE", say(longest));
    await refuses(opened, "MESSAGE_TOO_LARGE", holding([longest, longest]));
    // Each part would pass, all of them together could not even be one string.
    const part = { type: "text", text: "x".repeat(40 * MEBIBYTE) };
    await refuses(opened, "MESSAGE_TOO_LARGE", {
      role: "user",
      content: Array.from({ length: 20 }, () => part),
    });
  });

  test("M3 what grows sixfold when it is escaped is a typed error too", async () => {
    const store = await openStore(jsonlBackend(await makeTemporaryDirectory()));
    await rejectsWith("MESSAGE_TOO_LARGE", store.session("s").append(say("\u0001".repeat(60 * MEBIBYTE))));
    await store.close();
    await removeDirectory(store.directory ?? "");
  });

  onEachBackend("M4 a depth of 5,000 and more is a typed error before the write", async (opened) => {
    for (const levels of [5000, 10_000, 1_000_000]) {
      await refuses(opened, "MESSAGE_INVALID", holding(nested(levels)));
    }
    await comesBack(opened, holding(nested(200)));
  });

  onEachBackend(
    "M5 a __proto__ key is a property of its own and pollutes nothing",
    async ({ store, reopen }) => {
      const hostile = JSON.parse(
        '{"role":"user","content":"x","__proto__":{"polluted":1},"a":{"__proto__":{"b":1}}}',
      ) as Message;
      await store.session("s").append(hostile);
      const again = await reopen();
      const [kept] = (await again.session("s").messages()) as unknown as Record<string, object>[];
      expect(Object.keys(kept ?? {})).toEqual(["role", "content", "__proto__", "a"]);
      expect(Object.keys(kept?.["a"] ?? {})).toEqual(["__proto__"]);
      expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
      expect("polluted" in {}).toBe(false);
    },
  );

  onEachBackend("M6 NaN and Infinity are refused", async (opened) => {
    for (const value of [Number.NaN, Infinity, -Infinity]) {
      await refuses(opened, "MESSAGE_INVALID", holding(value));
      await refuses(opened, "MESSAGE_INVALID", holding([{ deep: value }]));
    }
  });

  onEachBackend("M7 a BigInt is a typed error", async (opened) => {
    await refuses(opened, "MESSAGE_INVALID", holding(12345678901234567890n));
  });

  onEachBackend("M8 a cycle is a typed error", async (opened) => {
    const circle: Record<string, unknown> = { role: "user", content: "x" };
    circle["self"] = circle;
    await refuses(opened, "MESSAGE_INVALID", circle);
    const list: unknown[] = [];
    list.push([list]);
    await refuses(opened, "MESSAGE_INVALID", holding(list));
  });

  onEachBackend(
    "M9 an undefined property is left out, undefined elsewhere and functions are refused",
    async (opened) => {
      await comesBack(opened, holding(undefined), say("x"));
      await comesBack(opened, holding({ a: undefined, b: 1 }), holding({ b: 1 }));
      const withNothing = (await opened.store.session("s").messages())[0];
      expect("extra" in (withNothing ?? {})).toBe(false);
      await refuses(opened, "MESSAGE_INVALID", holding([undefined]));
      await refuses(
        opened,
        "MESSAGE_INVALID",
        holding(() => 1),
      );
      await refuses(opened, "MESSAGE_INVALID", holding({ method() {} }));
      await refuses(opened, "MESSAGE_INVALID", holding(Symbol("x")));
    },
  );

  onEachBackend("M10 -0 becomes 0, in memory as on disk", async (opened) => {
    await comesBack(opened, holding([-0, { zero: -0 }]), holding([0, { zero: 0 }]));
  });

  onEachBackend("M11 U+2028, U+2029, \\n, \\r\\n and NUL come back", async (opened) => {
    await comesBack(opened, say("a\u2028b\u2029c\nd\r\ne\0f\u0085g"));
  });

  onEachBackend("M12 a byte order mark in the text is kept", async (opened) => {
    await comesBack(opened, say("\ufeffat the start, \ufeff in the middle, at the end\ufeff"));
  });

  onEachBackend("M13 Date, Map, Buffer, classes and what throws are typed errors", async (opened) => {
    class Throwing {
      toJSON(): never {
        throw new Error("toJSON threw");
      }
    }
    for (const value of [
      new Date(0),
      new Map(),
      Buffer.from("x"),
      new Throwing(),
      new Set(),
      new Error("x"),
    ]) {
      await refuses(opened, "MESSAGE_INVALID", holding(value));
      await refuses(opened, "MESSAGE_INVALID", holding({ deep: [value] }));
    }
    await refuses(opened, "MESSAGE_INVALID", new Throwing());
    const throwing = { enumerable: true, get: (): never => expect.fail("read") };
    await refuses(opened, "MESSAGE_INVALID", holding(Object.defineProperty({}, "x", throwing)));
    await refuses(opened, "MESSAGE_INVALID", Object.defineProperty(holding(1), "y", throwing));
  });

  onEachBackend("M14 a getter that changes between calls is read once", async (opened) => {
    let reads = 0;
    const counting = (): PropertyDescriptor => ({ enumerable: true, get: () => `read ${++reads}` });
    const message = {
      role: "user",
      extra: Object.defineProperty({}, "inner", counting()),
    } as unknown as Message;
    Object.defineProperty(message, "content", counting());
    await opened.store.session("s").append(message);
    expect(reads).toBe(2);
    const kept = { role: "user", content: "read 1", extra: { inner: "read 2" } };
    expect(await opened.store.session("s").messages()).toEqual([kept]);
    expect(await (await opened.reopen()).session("s").messages()).toEqual([kept]);
  });

  onEachBackend("M14 a getter cannot show one shape to the check and another to the file", async (opened) => {
    let reads = 0;
    const shifty = Object.defineProperty({}, "type", {
      enumerable: true,
      get: () => (++reads === 1 ? "text" : 5),
    });
    await opened.store
      .session("s")
      .append({ role: "user", content: [shifty as never] })
      .catch(() => undefined);
    for (const { content } of await opened.store.session("s").messages()) {
      expect(content).toEqual([{ type: "text" }]);
    }
  });

  onEachBackend("M17 an empty batch is a no-op", async ({ store, reopen }) => {
    expect(await store.session("s").append([])).toEqual({ seq: 0 });
    expect(await store.session("s").exists()).toBe(false);
    expect(await (await reopen()).session("s").exists()).toBe(false);
  });

  onEachBackend(
    "M18 an object changed after append() is kept as it was at the call",
    async ({ store, reopen }) => {
      const part = { type: "text", text: "before" };
      const batch = [{ role: "user" as const, content: [part] }];
      const writing = store.session("s").append(batch);
      part.text = "after";
      batch.pop();
      await writing;
      const kept = [{ role: "user", content: [{ type: "text", text: "before" }] }];
      expect(await store.session("s").messages()).toEqual(kept);
      expect(await (await reopen()).session("s").messages()).toEqual(kept);
    },
  );

  onEachBackend("M20 append after close is a typed error", async ({ store }) => {
    const session = store.session("s");
    await session.append(say("before"));
    await store.close();
    await rejectsWith("STORE_CLOSED", session.append(say("after")));
    await rejectsWith("STORE_CLOSED", session.append(sayAll("after", "that")));
  });

  // A key may be used again; who must not begin anew says so with the seq it builds on.
  onEachBackend(
    "M20 append after delete never goes to what was deleted: a new session, or a typed error if one is expected",
    async (opened) => {
      const session = opened.store.session("s");
      await session.append(sayAll("old", "older"));
      const old = await session.state();
      await session.delete();
      await rejectsWith("SEQ_CONFLICT", session.append(say("after"), { expectedSeq: 2 }));
      expect(await session.exists()).toBe(false);
      expect(await session.append(say("new"))).toEqual({ seq: 1 });
      const again = (await opened.reopen()).session("s");
      expect(await again.messages()).toEqual([say("new")]);
      expect((await again.state())?.id).not.toBe(old?.id);
    },
    ["memory", "jsonl"],
  );
});

async function inJsonl(body: (directory: string) => Promise<void>): Promise<void> {
  const directory = await makeTemporaryDirectory();
  try {
    await body(directory);
  } finally {
    await removeDirectory(directory);
  }
}

/** A session with one message, a line from elsewhere behind it, and two more appends. */
async function rawLineSurvives(json: string): Promise<Message | undefined> {
  let kept: Message | undefined;
  await inJsonl(async (directory) => {
    const path = join(directory, fileNameOf("s"));
    const first = await openStore(jsonlBackend(directory));
    await first.session("s").append(say("first"));
    await first.close();
    const before = await readFile(path);
    const header = decodeHeader(before.subarray(0, before.indexOf("\n")));
    const id = header.kind === "header" ? header.header.id : "";
    const entry = { seq: 2, at: "2026-11-15T19:24:12.123Z", body: { op: "message", json } } as const;
    const raw = encodeEntry(entry, id);
    await appendFile(path, raw);
    const second = await openStore(jsonlBackend(directory));
    expect(await second.session("s").append(say("third"))).toEqual({ seq: 3 });
    await second.session("s").truncate({ keepFrom: 2 });
    kept = (await second.session("s").messages())[0];
    await second.close();
    const after = await readFile(path);
    expect(after.subarray(0, before.length + raw.length)).toEqual(Buffer.concat([before, raw]));
  });
  return kept;
}

function survivesDecoding(json: string): void {
  const entry = { seq: 2, at: "2026-11-15T19:24:12.123Z", body: { op: "message", json } } as const;
  const line = encodeEntry(entry, SESSION_ID);
  const decoded = decodeLine(line.subarray(0, -1), SESSION_ID);
  expect(decoded).toEqual({ kind: "entry", entry });
  expect(decoded.kind === "entry" && encodeEntry(decoded.entry, SESSION_ID)).toEqual(line);
}

describe("messages in jsonl files", () => {
  test("M11 a message with line breaks of every kind is one physical line", async () => {
    await inJsonl(async (directory) => {
      const store = await openStore(jsonlBackend(directory));
      await store.session("s").append(say("a\u2028b\u2029c\nd\r\ne\0f\u0085g\rh"));
      await store.close();
      const text = await readFile(join(directory, fileNameOf("s")), "utf8");
      expect(text.split("\n")).toHaveLength(3); // the header, the record, and nothing behind the last newline
      expect(text).not.toContain("\r");
      expect(text).not.toContain("\0");
    });
  });

  test("M15 an integer beyond 2^53 from elsewhere is kept in its line to the digit", async () => {
    const json = '{"role":"user","content":"x","big":12345678901234567890,"exact":1.000}';
    survivesDecoding(json);
    expect(await rawLineSurvives(json)).toMatchObject({ content: "x", big: 12345678901234567000 });
  });

  test("M16 of duplicate keys the last wins, and the line is kept as it is", async () => {
    const json = '{"role":"user","content":"first","content":"last","a":1,"a":2}';
    survivesDecoding(json);
    expect(await rawLineSurvives(json)).toEqual({ role: "user", content: "last", a: 2 });
  });

  test("M17 an empty batch writes and syncs nothing", async () => {
    await inJsonl(async (directory) => {
      const { host, counts } = countingHost();
      const store = await withInstance(await openStore(jsonlBackend(directory, { host })));
      const opened = { ...counts };
      for (let round = 0; round < 10; round++)
        expect(await store.session("s").append([])).toEqual({ seq: 0 });
      // The one write is the lease, which is no part of any session.
      expect([counts.writes, counts.syncs]).toEqual([opened.writes + 1, opened.syncs]);
      await store.session("s").append(say("first"));
      // The counter counts: a message does both.
      expect(counts.writes).toBeGreaterThan(opened.writes);
      expect(counts.syncs).toBeGreaterThan(opened.syncs);
      await settled(counts);
      const quiet = { ...counts };
      for (let round = 0; round < 10; round++)
        expect(await store.session("s").append([])).toEqual({ seq: 1 });
      await settled(counts);
      expect([counts.writes, counts.syncs]).toEqual([quiet.writes, quiet.syncs]);
      await store.close();
    });
  });
});
