/**
 * What a proof by flipped bits and forged files has found, each kept small: one bit in the last block of a journal, in an
 * alias, in a lease, in the number of the format; a repair that cut a batch in two; places and lengths that lead nowhere.
 */

import { describe, expect, test } from "vitest";
import { jsonlBackend } from "../../src/backends/jsonl/jsonl-backend.ts";
import type { Host } from "../../src/host/host.ts";
import { blockSalt, encodeBlock } from "../../src/wal/block.ts";
import { encodeHead, HEAD_BYTES } from "../../src/wal/head.ts";
import { readJournal } from "../../src/wal/read-journal.ts";
import { MEMBER_SIGNATURE, readMemberHeader } from "../../src/session/gzip-member.ts";
import { openStore } from "../../src/open-store.ts";
import { checksum } from "../../src/format/checksum.ts";
import { withChecksum } from "../../src/format/line-checksum.ts";
import type { Damage } from "../../src/format/session-record.ts";
import type { Store } from "../../src/contract/types.ts";
import { failingHost } from "../../src/testing/failing-host.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { toId } from "../../src/format/session-id.ts";
import { readSimulatedFile, usedBytes } from "../support/simulated-store.ts";

const DIRECTORY = "/store";

interface Opened {
  readonly store: Store;
  readonly damage: Damage[];
}

async function open(host: Host, readOnly = false): Promise<Opened> {
  const damage: Damage[] = [];
  const store = await openStore(jsonlBackend(DIRECTORY, { host, lockWait: 200 }), {
    readOnly,
    onDamage: (found) => damage.push(found),
    onError: () => undefined,
  });
  return { store, damage };
}

const say = (content: string): { role: "user"; content: string } => ({ role: "user", content });

async function contents(store: Store, key: string): Promise<unknown[]> {
  return (await store.session(key).messages()).map(({ content }) => content);
}

async function change(host: Host, path: string, edit: (bytes: Buffer) => Buffer): Promise<void> {
  const file = await host.files.open(path, "write");
  const bytes = Buffer.alloc((await file.stat()).size);
  await file.read(bytes, 0);
  const edited = edit(bytes);
  await file.truncate(edited.length);
  await file.write(edited, 0);
  await file.close();
}

function flip(offset: number, bit: number): (bytes: Buffer) => Buffer {
  return (bytes) => {
    bytes[offset] = (bytes[offset] ?? 0) ^ (1 << bit);
    return bytes;
  };
}

async function pathIn(host: Host, directory: string, ending: string): Promise<string> {
  const name = (await host.files.readDirectory(directory)).find((each) => each.endsWith(ending));
  return `${directory}/${name ?? ""}`;
}

describe("the journal of a killed writer", () => {
  /** "one" has landed, "two" is in the journal alone, in its last block. */
  async function killed(): Promise<{
    machine: SimulatedMachine;
    journal: string;
    lastBlock: number;
    size: number;
  }> {
    const machine = new SimulatedMachine(1);
    const process = machine.startProcess();
    let isHeldBack = false;
    const host = failingHost(process, ({ operation, path }) =>
      isHeldBack && operation === "write" && !path.endsWith(".journal")
        ? { kind: "error", code: "EIO" }
        : undefined,
    );
    const { store } = await open(host);
    await store.session("a").append(say("one"));
    const journal = await pathIn(host, `${DIRECTORY}/.longhand/journal`, ".journal");
    const lastBlock = usedBytes(await readSimulatedFile(process, journal)).length;
    isHeldBack = true;
    await store.session("a").append(say("two"));
    const size = usedBytes(await readSimulatedFile(process, journal)).length;
    process.kill();
    return { machine, journal, lastBlock, size };
  }

  test("a flipped bit in its last block loses nothing, and is told", async () => {
    const { machine, journal, lastBlock, size } = await killed();
    const capture = machine.capture();
    const wrong: string[] = [];
    for (let offset = lastBlock; offset < size; offset++) {
      const spoiled = capture.afterKill();
      await change(spoiled.startProcess(), journal, flip(offset, offset % 8));
      for (const readOnly of [true, false]) {
        const { store, damage } = await open(spoiled.startProcess(), readOnly);
        const found = (await contents(store, "a")).join();
        const isTold = damage.some(({ file }) => file === journal);
        if (found !== "one,two" || !isTold) wrong.push(`byte ${offset}: ${found}, ${damage.length} reports`);
        await store.close();
      }
    }
    expect(size - lastBlock).toBeGreaterThan(150);
    expect(wrong).toEqual([]);
  });

  test("two flipped bits in it are no block: nothing is guessed", async () => {
    const { machine, journal, lastBlock } = await killed();
    const host = machine.startProcess();
    await change(host, journal, (bytes) => flip(lastBlock + 90, 1)(flip(lastBlock + 91, 1)(bytes)));
    const { store } = await open(host, true);
    expect(await contents(store, "a")).toEqual(["one"]);
  });

  test("a record for a place far behind the end of its file is told, not read up to", async () => {
    const { machine, journal } = await killed();
    const host = machine.startProcess();
    await change(host, journal, (bytes) => {
      const contentsBefore = readJournal(bytes);
      if (contentsBefore === undefined) throw new Error("the journal is not readable");
      const { head, records } = contentsBefore;
      const far = records.map((record) => ({ ...record, offset: Number.MAX_SAFE_INTEGER - 1000 }));
      return Buffer.concat([bytes.subarray(0, HEAD_BYTES), encodeBlock(head, 1, far)]);
    });
    const reader = await open(host, true);
    expect(await contents(reader.store, "a")).toEqual(["one"]);
    expect(reader.damage.map(({ reason }) => reason).join()).toContain("do not fit this file");
    expect((await reader.store.verify()).damage).not.toEqual([]);
    const writer = await open(host);
    expect(await contents(writer.store, "a")).toEqual(["one"]);
    expect(writer.damage).not.toEqual([]);
    await writer.store.close();
  });
});

test("a place with a length below zero is no place: the block is not valid, and reading it ends", () => {
  const head = { instance: toId("01JCW0000000000000000000AB"), generation: 1, owner: undefined };
  const block = (length: number): Buffer => {
    const payload = Buffer.from(
      `{"session":"${head.instance}","file":0,"name":"n.jsonl","offset":0,"bytes":${length}}\nx\n`,
    );
    const sum = checksum(blockSalt(head, 1, payload.length), payload);
    const first = `{"generation":1,"block":1,"bytes":${payload.length},"crc":"${sum}"}\n`;
    return Buffer.concat([encodeHead(head), encodeHead(head), Buffer.from(first), payload]);
  };
  expect(readJournal(block(2))?.records).toHaveLength(1);
  for (const length of [-60, -1, 0.5, 3, 2 ** 53]) expect(readJournal(block(length))?.records).toEqual([]);
});

test("a damaged alias is told: its key neither reads as nothing nor begins a session that hides the one meant", async () => {
  const machine = new SimulatedMachine(1);
  const host = machine.startProcess();
  await host.files.makeDirectory(DIRECTORY);
  for (const [name, text] of [
    [
      "sk_1.jsonl",
      `${JSON.stringify({ role: "user", content: "old", created_at: "2026-04-03T07:00:00Z" })}\n`,
    ],
    [
      "sk_1.meta.json",
      JSON.stringify({
        ...{ key: "sk_1", created_at: "2026-04-03T07:00:00Z", updated_at: "2026-04-03T07:00:00Z" },
        aliases: ["agent:main"],
      }),
    ],
  ] as const) {
    const file = await host.files.open(`${DIRECTORY}/${name}`, "create");
    await file.write(Buffer.from(text), 0);
    await file.close();
  }
  await (await openStore(jsonlBackend(DIRECTORY, { host }), { migrate: true })).close();
  const before = await open(host);
  expect(await contents(before.store, "agent:main")).toEqual(["old"]);
  expect((await before.store.verify()).damage).toEqual([]);
  await before.store.close();
  const path = await pathIn(host, `${DIRECTORY}/aliases`, ".json");
  await change(host, path, flip(20, 3));
  const { store } = await open(host);
  await expect(store.session("agent:main").messages()).rejects.toMatchObject({ code: "SESSION_DAMAGED" });
  await expect(store.session("agent:main").append(say("new"))).rejects.toMatchObject({
    code: "SESSION_DAMAGED",
  });
  expect((await store.verify()).damage).toMatchObject([{ file: path }]);
  expect((await store.verify({ keys: ["agent:main"] })).damage).toMatchObject([{ file: path }]);
  expect((await store.verify({ keys: ["sk_1"] })).damage).toEqual([]);
  expect(await contents(store, "sk_1")).toEqual(["old"]);
  await store.close();
});

test("a flipped bit in the lease of a process that has ended locks nobody out", async () => {
  const machine = new SimulatedMachine(1);
  const host = machine.startProcess();
  const before = await open(host);
  await before.store.session("a").append(say("one"));
  await before.store.close();
  const leases = `${DIRECTORY}/.longhand/leases`;
  for (const shard of await host.files.readDirectory(leases)) {
    for (const name of await host.files.readDirectory(`${leases}/${shard}`)) {
      const path = `${leases}/${shard}/${name}`;
      // "instance" has another name.
      if (name.startsWith("a.")) await change(host, path, flip(15, 1));
    }
  }
  const { store } = await open(host);
  await store.session("a").append(say("two"));
  expect(await contents(store, "a")).toEqual(["one", "two"]);
  await store.close();
});

test("a flipped bit in the number of the format is mended", async () => {
  const machine = new SimulatedMachine(1);
  const host = machine.startProcess();
  const before = await open(host);
  await before.store.session("a").append(say("one"));
  await before.store.close();
  await change(host, `${DIRECTORY}/a.jsonl`, flip(12, 3));
  const { store } = await open(host);
  await expect(store.session("a").messages()).rejects.toMatchObject({ code: "FORMAT_TOO_NEW" });
  await store.repair();
  expect((await store.verify()).damage).toEqual([]);
  expect(await contents(store, "a")).toEqual(["one"]);
  await store.close();
});

test.each([0, 250])(
  "a repair keeps what a fork has of a batch that goes on behind it (byte %d of the shared file is hit)",
  async (offset) => {
    const machine = new SimulatedMachine(1);
    const host = machine.startProcess();
    const before = await open(host);
    await before.store.session("parent").append([say("one"), say("two")]);
    await before.store.session("parent").fork("child", { at: 1 });
    await before.store.session("child").append(say("other"));
    await before.store.close();
    await change(host, `${DIRECTORY}/parent.jsonl`, flip(offset, 0));
    const { store } = await open(host);
    await store.repair();
    expect((await store.verify()).damage).toEqual([]);
    expect(await contents(store, "child")).toEqual(["one", "other"]);
    await store.close();
  },
);

test("a gzip header that promises more than deflate can hold is no header: no room is made for it", () => {
  const header = (content: number): Buffer => {
    const bytes = Buffer.alloc(MEMBER_SIGNATURE.length + 8);
    MEMBER_SIGNATURE.copy(bytes);
    bytes.writeUInt32LE(100, MEMBER_SIGNATURE.length);
    bytes.writeUInt32LE(content, MEMBER_SIGNATURE.length + 4);
    return bytes;
  };
  expect(readMemberHeader(header(100_000))).toBeDefined();
  expect(readMemberHeader(header(64 * 1024 * 1024))).toBeUndefined();
});

test("a session that is damaged at its beginning, and in a record, is not taken for another program's", async () => {
  const machine = new SimulatedMachine(1);
  const host = machine.startProcess();
  const before = await open(host);
  await before.store.session("a").append(say("hello"));
  await before.store.close();
  const path = `${DIRECTORY}/a.jsonl`;
  await change(host, path, (bytes) => {
    bytes[0] = 0xfb;
    bytes.write("[seq", bytes.indexOf('"seq'));
    bytes.write("hullo", bytes.indexOf("hello"));
    return bytes;
  });
  const { store } = await open(host);
  await expect(store.session("a").messages()).rejects.toMatchObject({ code: "SESSION_DAMAGED" });
  expect(await store.search("hullo")).toEqual([]);
  expect((await store.verify()).damage.map(({ file }) => file)).toContain(path);
  expect(await host.files.readDirectory(DIRECTORY)).not.toContain("a.jsonl.migrated");
  await store.close();
});

test("nothing is glued to a last line without its newline, though its seq was there before, behind a bad line", async () => {
  const machine = new SimulatedMachine(1);
  const host = machine.startProcess();
  const before = await open(host);
  await before.store.session("a").append(say("one"));
  await before.store.close();
  await change(host, `${DIRECTORY}/a.jsonl`, (bytes) => {
    const record = bytes.subarray(bytes.indexOf("\n") + 1, -1);
    return Buffer.concat([bytes, Buffer.from("bad\n"), record]);
  });
  const { store } = await open(host);
  await store.session("a").append(say("two"));
  expect(await contents(store, "a")).toEqual(["one", "two"]);
  await store.close();
});

test("a file put together from two sessions is not given to either of them", async () => {
  const machine = new SimulatedMachine(1);
  const host = machine.startProcess();
  const before = await open(host);
  await before.store.session("a").append(say("of a"));
  await before.store.session("b").append(say("of b"));
  await before.store.close();
  const whole = new Map<string, Buffer>();
  for (const key of ["a", "b"]) {
    await change(host, `${DIRECTORY}/${key}.jsonl`, (bytes) => {
      whole.set(key, Buffer.from(bytes));
      return bytes;
    });
  }
  const [a = Buffer.alloc(0), b = Buffer.alloc(0)] = [whole.get("a"), whole.get("b")];
  for (const middle of ["", "\0".repeat(100)]) {
    const mixed = [a.subarray(0, a.indexOf(',"id"')), Buffer.from(middle), b.subarray(b.indexOf(',"id"'))];
    await change(host, `${DIRECTORY}/a.jsonl`, () => Buffer.concat(mixed));
    const { store } = await open(host);
    await store.repair();
    await expect(store.session("a").messages()).rejects.toMatchObject({ code: "SESSION_DAMAGED" });
    expect(await contents(store, "b")).toEqual(["of b"]);
    await store.close();
  }
});

test("nor is one whose header has the fields of both, also if the other's file is damaged too", async () => {
  const machine = new SimulatedMachine(1);
  const host = machine.startProcess();
  const before = await open(host);
  await before.store.session("a").append(say("of a"));
  await before.store.session("b").append(say("of b"));
  await before.store.close();
  let other = Buffer.alloc(0);
  await change(host, `${DIRECTORY}/b.jsonl`, (bytes) => {
    other = Buffer.from(bytes);
    return Buffer.concat([Buffer.from("xxx\n"), bytes]);
  });
  await change(host, `${DIRECTORY}/a.jsonl`, (bytes) =>
    Buffer.concat([
      bytes.subarray(0, bytes.indexOf('"at":"') + 16),
      other.subarray(other.indexOf('","id":"')),
    ]),
  );
  const { store } = await open(host);
  await store.repair();
  await expect(store.session("a").messages()).rejects.toMatchObject({ code: "SESSION_DAMAGED" });
  await store.close();
});

test("a message that is nested deeper than any of ours, under a good checksum, keeps nobody from searching", async () => {
  const machine = new SimulatedMachine(1);
  const host = machine.startProcess();
  const before = await open(host);
  await before.store.session("a").append(say("hello"));
  const { id = "" } = (await before.store.session("a").state()) ?? {};
  await before.store.close();
  const depth = 100_000;
  const deep = "[".repeat(depth) + "]".repeat(depth);
  const at = "2026-01-01T00:00:00.000Z";
  const line = withChecksum(`{"seq":2,"at":"${at}","message":{"role":"user","content":${deep}}`, id);
  await change(host, `${DIRECTORY}/a.jsonl`, (bytes) => Buffer.concat([bytes, line]));
  const { store } = await open(host, true);
  expect(await store.search("hello")).toHaveLength(1);
  const header = Buffer.from(
    `{"longhand":1,"key":"a","id":"${id}","at":"${at}","x":${deep},"crc":"00000000"}\n`,
  );
  await change(host, `${DIRECTORY}/a.jsonl`, (bytes) =>
    Buffer.concat([header, bytes.subarray(bytes.indexOf("\n") + 1)]),
  );
  expect((await store.verify()).damage).not.toEqual([]);
  await store.close();
});
