/** Session files that have broken other stores, F1 to F25, on the real file system. */

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import * as fs from "node:fs/promises";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type LonghandErrorCode } from "../../src/index.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { checksum } from "../../src/format/checksum.ts";
import { CHECKSUM_FIELD_BYTES, withChecksum } from "../../src/format/line-checksum.ts";
import { keysOf, rejectsWith } from "../../src/testing/case-language.ts";
import { ChildProcess, killChildren } from "../support/child-process.ts";
import { contentsOf, recordsOf, user } from "../support/conversation.ts";
import { openCollecting, type CollectingStore } from "../support/open-collecting.ts";
import { refusalOf, rejectsTyped } from "../support/rejects-typed.ts";
import { damagedCopies, lineOffsets, sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const CONTENTS = ["one", "two", "three", "four", "five", "six"];
let parent: string;
let directory: string;
/** Of the session "a", which is damaged; "bystander" must not notice. */
let path: string;
/** Of the undamaged file, with their newlines; line n is the record with seq n. */
let lines: Buffer[];
let offsets: number[];

beforeEach(async () => {
  parent = await makeTemporaryDirectory();
  directory = join(parent, "s");
  path = sessionFile(directory, "a");
  const store = await openStore(directory);
  for (const content of CONTENTS) await store.session("a").append(user(content));
  await store.session("bystander").append(user("hello"));
  await store.close();
  const bytes = await fs.readFile(path);
  offsets = lineOffsets(bytes);
  lines = offsets.map((offset, index) => bytes.subarray(offset, offsets[index + 1]));
});

afterEach(async () => {
  await killChildren();
  await removeDirectory(parent);
});

const line = (seq: number): Buffer => lines[seq] ?? Buffer.alloc(0);
const whole = (): Buffer => Buffer.concat(lines);

async function spoil(bytes: Buffer): Promise<void> {
  await fs.writeFile(path, bytes);
}

/** Instead of record `seq`; the others stay. */
function replacing(seq: number, bytes: Buffer): Buffer {
  return Buffer.concat(lines.map((good, index) => (index === seq ? bytes : good)));
}

async function seqsIn({ store }: Pick<CollectingStore, "store">): Promise<number[]> {
  return (await recordsOf(store.session("a"))).map(({ seq }) => seq);
}

/** A store over the damaged directory; in the end the bystander is whole, and so is what is listed of it. */
async function inStore(body: (opened: CollectingStore) => Promise<void>, readOnly = false): Promise<void> {
  const opened = await openCollecting(directory, { readOnly });
  try {
    await body(opened);
    expect(await contentsOf(opened.store.session("bystander"))).toEqual(["hello"]);
    expect(await keysOf(opened.store)).toContain("bystander");
  } finally {
    await opened.store.close();
  }
}

/** A torn tail: nobody but a writer touches it; a writer cuts it, keeps it and says so. */
async function isCut(tail: Buffer, kept: readonly string[] = CONTENTS): Promise<void> {
  const good = Buffer.concat(lines.slice(0, kept.length + 1));
  await spoil(Buffer.concat([good, tail]));
  await inStore(async ({ store }) => {
    expect(await contentsOf(store.session("a"))).toEqual(kept);
  }, true);
  expect((await fs.readFile(path)).length).toBe(good.length + tail.length);
  await inStore(async ({ store, damage }) => {
    expect(await store.session("a").append(user("more"))).toEqual({ seq: kept.length + 1 });
    const expected = { file: path, offset: good.length, bytes: tail.length, kind: "torn", key: "a" };
    expect(damage).toMatchObject([expected]);
  });
  const copies = await damagedCopies(directory);
  expect([...copies]).toEqual([[`${basename(path)}.${good.length}`, tail.toString("latin1")]]);
  await inStore(async ({ store, damage }) => {
    expect(await contentsOf(store.session("a"))).toEqual([...kept, "more"]);
    expect(damage).toEqual([]);
  });
}

/** Damage in the middle: named, the rest served, appends go on, verify tells it, repair mends it and keeps the bytes. */
async function isNamedAndMended(
  place: object,
  served: readonly number[],
  mended = served,
  ...missing: readonly object[]
): Promise<void> {
  const named = [{ file: path, kind: "corrupt", key: "a", ...place }, ...missing];
  const spoiled = await fs.readFile(path);
  for (const readOnly of [true, false]) {
    await inStore(async (opened) => {
      expect(await seqsIn(opened)).toEqual(served);
      expect(opened.damage).toMatchObject(named);
    }, readOnly);
  }
  expect(await fs.readFile(path)).toEqual(spoiled);
  await inStore(async (opened) => {
    const { store } = opened;
    expect(await store.session("a").append(user("seven"))).toEqual({ seq: 7 });
    expect(await seqsIn(opened)).toEqual([...served, 7]);
    const report = await store.verify();
    expect(report.damage).toMatchObject(named);
    expect(report).toMatchObject({ sessions: 2, records: served.length + 2 });
    expect((await store.repair()).damage).toMatchObject(named.map((each) => ({ ...each, file: path })));
    expect(await seqsIn(opened)).toEqual([...mended, 7]);
    expect((await store.verify()).damage).toEqual([]);
    expect(await store.session("a").append(user("eight"))).toEqual({ seq: 8 });
  });
  await inStore(async (opened) => {
    expect(await seqsIn(opened)).toEqual([...mended, 7, 8]);
    expect(opened.damage).toEqual([]);
    expect((await opened.store.verify()).damage).toEqual([]);
  });
}

/** Not readable as a session at all: every call on it says so, nothing is changed, and nothing else suffers. */
async function isRefused(code: LonghandErrorCode, bytes: Buffer): Promise<void> {
  await spoil(bytes);
  for (const readOnly of [true, false]) {
    await inStore(async ({ store, damage, errors }) => {
      const session = store.session("a");
      expect((await rejectsWith(code, session.messages())).message).toContain(path);
      await rejectsWith(code, session.state());
      if (!readOnly) await rejectsWith(code, session.append(user("more")));
      expect(await keysOf(store)).toEqual(["bystander"]);
      expect([...damage.map(({ file }) => file), ...errors.map(({ detail }) => detail["file"])]).toContain(
        path,
      );
    }, readOnly);
  }
  await inStore(async ({ store }) => {
    expect((await store.verify()).damage.map(({ file }) => file)).toEqual([path]);
    expect((await store.verify({ keys: ["bystander"] })).damage).toEqual([]);
  });
  expect(await fs.readFile(path)).toEqual(bytes);
}

/** Refused, or at least said aloud: what must never happen is silence. */
async function isNoticed({ store, damage, errors }: CollectingStore): Promise<void> {
  const refusal = await refusalOf(store.session("a").append(user("more")));
  if (refusal === undefined)
    expect([...damage, ...errors].length, "no refusal, no report").toBeGreaterThan(0);
}

describe("bytes of a session file", () => {
  test("F1 CRLF lines are read", async () => {
    await spoil(Buffer.from(whole().toString("utf8").replaceAll("\n", "\r\n")));
    await inStore(async ({ store, damage }) => {
      expect(await contentsOf(store.session("a"))).toEqual(CONTENTS);
      expect(await store.session("a").append(user("seven"))).toEqual({ seq: 7 });
      expect((await store.verify()).damage).toEqual([]);
      expect(damage).toEqual([]);
    });
  });

  test("F2 a UTF-8 BOM at the start is passed over, and stays", async () => {
    const mark = Buffer.from([0xef, 0xbb, 0xbf]);
    await spoil(Buffer.concat([mark, whole()]));
    await inStore(async ({ store, damage }) => {
      expect(await contentsOf(store.session("a"))).toEqual(CONTENTS);
      expect(await store.session("a").append(user("seven"))).toEqual({ seq: 7 });
      expect((await store.verify()).damage).toEqual([]);
      expect(damage).toEqual([]);
    });
    expect((await fs.readFile(path)).subarray(0, mark.length)).toEqual(mark);
  });

  test("F3 truncated UTF-8 at the tail is cut off by the writer and kept", async () => {
    const next = Buffer.from(
      '{"seq":7,"at":"2026-11-15T19:24:12.123Z","message":{"role":"user","content":"caf',
    );
    await isCut(Buffer.concat([next, Buffer.from([0xc3])]));
  });

  test("F4 a tail filled with NULs is cut and reported", async () => {
    await isCut(Buffer.alloc(4096));
  });

  test("F5 a block of NULs in the middle is named, and mended by repair; the rest is served", async () => {
    const hole = Buffer.from(line(3)).fill(0, 20, 60);
    await spoil(replacing(3, hole));
    await isNamedAndMended({ offset: offsets[3], bytes: hole.length }, [1, 2, 4, 5, 6]);
    expect([...(await damagedCopies(directory)).values()].join()).toContain(
      hole.toString("latin1").trimEnd(),
    );
  });

  test("F6 a torn last line without a newline is cut", async () => {
    await isCut(line(6).subarray(0, -30), CONTENTS.slice(0, 5));
  });

  test("F7 a complete last line without its newline is kept and gets it; with a wrong checksum it is cut", async () => {
    await spoil(whole().subarray(0, -1));
    await inStore(async ({ store, damage }) => {
      expect(await contentsOf(store.session("a"))).toEqual(CONTENTS);
      expect(await store.session("a").append(user("seven"))).toEqual({ seq: 7 });
      expect(damage).toEqual([]);
    });
    expect((await fs.readFile(path)).subarray(0, whole().length)).toEqual(whole());
    await isCut(
      Buffer.from(line(6).toString("latin1").replace("six", "s1x").trimEnd()),
      CONTENTS.slice(0, 5),
    );
  });

  test("F8 two glued records are reported; repair saves the whole one behind", async () => {
    await spoil(replacing(3, line(3).subarray(0, 40)));
    const bytes = 40 + line(4).length;
    // One damaged line is one record; that there were two is told by the next one.
    const missing = {
      offset: (offsets[3] ?? 0) + bytes,
      bytes: 0,
      reason: "seq 3 to 4 are missing here, or were in the damaged bytes before",
    };
    await isNamedAndMended({ offset: offsets[3], bytes }, [1, 2, 5, 6], [1, 2, 4, 5, 6], missing);
  });

  test("F8 two whole records that lost the newline between them are both served, and reported", async () => {
    await spoil(replacing(3, line(3).subarray(0, -1)));
    const bytes = line(3).length + line(4).length - 1;
    await isNamedAndMended({ offset: offsets[3], bytes }, [1, 2, 3, 4, 5, 6]);
  });

  test("F9 a line that is there twice is served once, reported, and dropped by repair", async () => {
    await spoil(replacing(3, Buffer.concat([line(3), line(2)])));
    const offset = (offsets[3] ?? 0) + line(3).length;
    await isNamedAndMended({ offset, bytes: line(2).length }, [1, 2, 3, 4, 5, 6]);
  });

  test("F10 a gap in the sequence is reported as corruption", async () => {
    await spoil(replacing(3, Buffer.alloc(0)));
    await isNamedAndMended({ offset: offsets[3], bytes: 0 }, [1, 2, 4, 5, 6]);
  });

  test("F17 invalid UTF-8 in the middle is corruption, not U+FFFD, even under a good checksum", async () => {
    const [before = "", after = ""] = line(3)
      .toString("latin1")
      .slice(0, -CHECKSUM_FIELD_BYTES - 1)
      .split("three");
    const covered = Buffer.from(`${before}thr\xff\xfee${after}`, "latin1");
    const { id } = JSON.parse(line(0).toString("utf8")) as { id: string };
    for (const sum of [checksum(id, covered), "00000000"]) {
      const bad = Buffer.concat([covered, Buffer.from(`,"crc":"${sum}"}\n`)]);
      await spoil(replacing(3, bad));
      await inStore(async (opened) => {
        expect(await seqsIn(opened)).toEqual([1, 2, 4, 5, 6]);
        expect(opened.damage).toMatchObject([{ offset: offsets[3], bytes: bad.length, kind: "corrupt" }]);
      });
    }
  });
});

describe("files that are no session, or another version's", () => {
  test("F12 an empty file is a typed error: it may have been a conversation", async () => {
    await isRefused("SESSION_DAMAGED", Buffer.alloc(0));
  });

  test("F13 a file with nothing but its header is an empty session", async () => {
    await spoil(line(0));
    await inStore(async ({ store, damage }) => {
      const session = store.session("a");
      expect(await session.exists()).toBe(true);
      expect(await session.messages()).toEqual([]);
      expect(await session.state()).toMatchObject({ key: "a", seq: 0, count: 0, damaged: 0 });
      expect((await store.verify()).damage).toEqual([]);
      expect(await session.append(user("first"))).toEqual({ seq: 1 });
      expect(damage).toEqual([]);
    });
  });

  test("F14 a newer version is read as far as it is understood; writing says so, and the file is untouched", async () => {
    const header = line(0)
      .toString("utf8")
      .slice(0, -CHECKSUM_FIELD_BYTES - 1)
      .replace('"longhand":1', '"longhand":99');
    const bytes = replacing(0, withChecksum(header, ""));
    await spoil(bytes);
    await inStore(async ({ store }) => {
      const session = store.session("a");
      expect(await contentsOf(session)).toEqual(CONTENTS);
      for (const attempt of [
        () => session.append(user("more")),
        () => session.truncate({ keepLast: 1 }),
        () => session.setTitle("more"),
      ]) {
        const error = await rejectsWith("FORMAT_TOO_NEW", attempt());
        expect(error).toMatchObject({ detail: { file: path, version: 99 } });
      }
      expect(await keysOf(store)).toEqual(["a", "bystander"]);
      expect(await contentsOf(session)).toEqual(CONTENTS);
    });
    expect(await fs.readFile(path)).toEqual(bytes);
  });

  test("F14 a newer version that is not understood at all is a typed error, and the file is untouched", async () => {
    const bytes = Buffer.concat([Buffer.from('{"longhand":99,"sealed":"otherwise"}\n'), randomBytes(300)]);
    await spoil(bytes);
    await inStore(async ({ store }) => {
      await rejectsWith("FORMAT_TOO_NEW", store.session("a").messages());
      await rejectsWith("FORMAT_TOO_NEW", store.session("a").append(user("more")));
      await store.repair();
    });
    expect(await fs.readFile(path)).toEqual(bytes);
  });

  test("F15 an older agent's file becomes a session, and is kept beside it", async () => {
    const messages = [user("from before"), { role: "assistant", content: "yes" }];
    const times = { created: "2024-01-02T03:04:05Z", updated: "2024-01-02T03:04:06Z" };
    const old = JSON.stringify({ key: "telegram:7", messages, summary: "Before.", ...times });
    await fs.writeFile(join(directory, "telegram_7.json"), old);
    await (await openStore(directory, { migrate: true })).close();
    for (let round = 0; round < 2; round++) {
      await inStore(async ({ store }) => {
        expect(await store.session("telegram:7").messages()).toEqual(messages);
        expect(await store.session("telegram:7").state()).toMatchObject({ summary: "Before.", count: 2 });
        expect(await keysOf(store)).toEqual(["a", "bystander", "telegram:7"]);
      });
      expect(await fs.readFile(join(directory, "telegram_7.json.migrated"), "utf8")).toBe(old);
      await expect(fs.lstat(join(directory, "telegram_7.json"))).rejects.toMatchObject({ code: "ENOENT" });
    }
  });

  test("F16 gzip under the name of a session is a typed error; repair unpacks it", async () => {
    const packed = gzipSync(whole());
    await isRefused("SESSION_DAMAGED", packed);
    await inStore(async ({ store }) => {
      await store.repair();
      expect(await contentsOf(store.session("a"))).toEqual(CONTENTS);
      expect(await store.session("a").append(user("seven"))).toEqual({ seq: 7 });
      expect((await store.verify()).damage).toEqual([]);
    });
    expect([...(await damagedCopies(directory)).values()]).toContain(packed.toString("latin1"));
  });

  test("F16 of gzip that is cut off, repair serves what can be unpacked", async () => {
    const contents = Array.from({ length: 200 }, (_, index) => `${index} ${randomBytes(30).toString("hex")}`);
    const writing = await openStore(directory);
    for (const content of contents) void writing.session("a").append(user(content));
    await writing.close();
    const packed = gzipSync(await fs.readFile(path));
    const cut = packed.subarray(0, Math.floor(packed.length * 0.6));
    await isRefused("SESSION_DAMAGED", cut);
    await inStore(async ({ store }) => {
      await store.repair();
      const saved = await contentsOf(store.session("a"));
      expect(saved.length).toBeGreaterThan(80);
      expect(saved).toEqual([...CONTENTS, ...contents].slice(0, saved.length));
    });
    expect([...(await damagedCopies(directory)).values()]).toContain(cut.toString("latin1"));
  });

  test("F18 random bytes are a typed error for that session only", async () => {
    await isRefused("SESSION_DAMAGED", randomBytes(5000));
  });
});

describe("what is no regular file", { timeout: 300_000 }, () => {
  async function isNotOpened(make: () => Promise<unknown>): Promise<void> {
    await fs.rm(path);
    await make();
    const before = await fs.lstat(path);
    for (const readOnly of [true, false]) {
      await inStore(async ({ store, damage }) => {
        const session = store.session("a");
        expect((await rejectsTyped(session.messages())).message).toContain(path);
        if (!readOnly) expect((await rejectsTyped(session.append(user("more")))).message).toContain(path);
        expect(await keysOf(store)).toEqual(["bystander"]);
        expect(damage.map(({ file }) => file)).toEqual([path]);
      }, readOnly);
    }
    await inStore(async ({ store }) => {
      expect((await store.verify()).damage.map(({ file }) => file)).toEqual([path]);
      await store.repair();
    });
    expect(await fs.lstat(path)).toMatchObject({ ino: before.ino, mode: before.mode });
  }

  test("F19 a symbolic link is not followed", async () => {
    const outside = join(parent, "outside.jsonl");
    await fs.writeFile(outside, whole());
    await isNotOpened(async () => await fs.symlink(outside, path));
    expect(await fs.readFile(outside)).toEqual(whole());
  });

  test("F19 a FIFO does not hang", async () => {
    await isNotOpened(() => Promise.resolve(execFileSync("mkfifo", [path])));
  });

  test("F19 a directory is not touched", async () => {
    await isNotOpened(async () => await fs.mkdir(path));
  });
});

describe("files that others hold or change", () => {
  test("F20 a second name of the active file is noticed", async () => {
    await fs.link(path, join(parent, "second-name.jsonl"));
    await inStore(isNoticed);
  });

  test("F20 what a fork shares is no such name", async () => {
    await inStore(async ({ store, damage, errors }) => {
      await store.session("a").fork("b");
      await store.session("a").append(user("seven"));
      await store.session("b").append(user("other seven"));
      expect([...damage, ...errors]).toEqual([]);
    });
    await inStore(async ({ store, damage, errors }) => {
      expect(await store.session("a").append(user("eight"))).toEqual({ seq: 8 });
      expect(await contentsOf(store.session("b"))).toEqual([...CONTENTS, "other seven"]);
      expect([...damage, ...errors]).toEqual([]);
    });
  });

  test.each([
    ["shrinks", async () => await fs.truncate(path, whole().length)],
    ["is emptied", async () => await fs.truncate(path, 0)],
    [
      "is replaced by another session's",
      async () => {
        await fs.copyFile(sessionFile(directory, "bystander"), join(parent, "other"));
        await fs.rename(join(parent, "other"), path);
      },
    ],
  ])("F21 a file that %s while it is open: a typed error", async (_, change) => {
    const opened = await openCollecting(directory);
    const session = opened.store.session("a");
    await session.append(user("seven"));
    // From now on the record is in the file, and not only in the journal.
    await expect.poll(async () => (await fs.readFile(path, "utf8")).includes('"seven"')).toBe(true);
    await change();
    const changed = await fs.readFile(path);
    expect((await rejectsTyped(session.append(user("eight")))).message).toContain(path);
    expect(await contentsOf(opened.store.session("bystander"))).toEqual(["hello"]);
    // What it cannot put away any more it may say; it must not write over what is there now.
    await refusalOf(opened.store.close());
    expect((await fs.readFile(path)).subarray(0, changed.length)).toEqual(changed);
  });

  test("F22 a file that others may read is made private, and that is said", async () => {
    await fs.chmod(path, 0o644);
    await inStore(async ({ store }) => {
      expect(await contentsOf(store.session("a"))).toEqual(CONTENTS);
    }, true);
    expect(((await fs.stat(path)).mode & 0o777).toString(8)).toBe("644");
    await inStore(async ({ store, damage, errors }) => {
      expect(await store.session("a").append(user("seven"))).toEqual({ seq: 7 });
      expect(((await fs.stat(path)).mode & 0o777).toString(8)).toBe("600");
      // Its mode is no damage of what is in it.
      expect(damage).toEqual([]);
      expect(errors).toMatchObject([
        { code: "DIRECTORY_UNSAFE", detail: { file: path, key: "a", mode: "644" } },
      ]);
    });
    await inStore(async ({ store, damage, errors }) => {
      await store.session("a").append(user("eight"));
      expect([...damage, ...errors]).toEqual([]);
    });
  });

  test("F23 what a writer left over is cleaned up when it is dead, not before", async () => {
    const writer = new ChildProcess("hold-store", directory);
    await writer.printed(1);
    await writer.ask("append a seven");
    const journals = join(directory, ".longhand", "journal");
    const own = (await fs.readdir(journals)).sort();
    const instance = own.find((name) => name.endsWith(".journal"))?.slice(0, -".journal".length) ?? "";
    const temporary = join(directory, ".longhand", "new", `.new-${instance}-1`);
    await fs.writeFile(temporary, "half a head", { mode: 0o600 });
    // Stopped is not dead.
    writer.signal("SIGSTOP");
    // Whether a second writer may come in is another matter; the first one's things stay.
    await refusalOf(openStore(directory).then(async (second) => await second.close()));
    expect(await fs.readFile(temporary, "utf8")).toBe("half a head");
    expect(await fs.readdir(journals)).toEqual(expect.arrayContaining(own));
    await writer.kill();
    await inStore(async ({ store }) => {
      expect(await contentsOf(store.session("a"))).toEqual([...CONTENTS, "seven"]);
    });
    await expect(fs.lstat(temporary)).rejects.toMatchObject({ code: "ENOENT" });
    expect(await fs.readdir(journals)).toEqual([]);
  });

  test("F24 a clock in 1970, in 2038 and backwards: the order is that of the seqs", async () => {
    const times = [
      "2038-01-19T03:14:08Z",
      "1970-01-01T00:00:00Z",
      "2100-01-01T00:00:00Z",
      "1999-12-31T23:59:59Z",
    ];
    const contents = [...CONTENTS, ...times];
    for (const [index, time] of times.entries()) {
      const host = { ...nodeHost, now: () => Date.parse(time) };
      const store = await openStore(jsonlBackend(directory, { host }));
      const session = store.session("a");
      expect(await session.append(user(time))).toEqual({ seq: 7 + index });
      expect(await contentsOf(session)).toEqual(contents.slice(0, 7 + index));
      expect((await session.messages({ last: 1 }))[0]).toEqual(user(time));
      await store.close();
    }
    await inStore(async (opened) => {
      expect(await seqsIn(opened)).toEqual(contents.map((_, index) => index + 1));
      expect(await contentsOf(opened.store.session("a"))).toEqual(contents);
      expect(opened.damage).toEqual([]);
    });
  });

  test("F25 an editor that saved the file while it was open is noticed, and its words are not written over", async () => {
    const opened = await openCollecting(directory);
    await opened.store.session("a").append(user("seven"));
    await expect.poll(async () => (await fs.readFile(path, "utf8")).includes('"seven"')).toBe(true);
    const saved = join(directory, ".a.jsonl.swp");
    await fs.writeFile(saved, await fs.readFile(path), { mode: 0o600 });
    await fs.rename(saved, path);
    const edited = await fs.readFile(path);
    await isNoticed(opened);
    await refusalOf(opened.store.close());
    expect((await fs.readFile(path)).subarray(0, edited.length)).toEqual(edited);
  });
});
