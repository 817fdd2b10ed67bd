/** Every kind of damage: verify names it and nothing else, repair mends it and keeps everything that is good. */

import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { LonghandError } from "../../src/errors.ts";
import { packMembers } from "../../src/session/pack-members.ts";
import { jsonlBackend, openStore } from "../../src/index.ts";
import { putAwayName } from "../../src/format/layout.ts";
import { segmentPath } from "../../src/session/segment-path.ts";
import { decodeHeader, encodeHeader, type Header } from "../../src/format/header.ts";
import { fileNameOf } from "../../src/format/key.ts";
import type { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import {
  appendOne,
  buildSession,
  filesUnder,
  LAYOUT,
  machineWith,
  readBack,
  repair,
  verify,
  type BuiltSession,
} from "../support/built-store.ts";
import { message } from "../support/sample-log.ts";
import { toId } from "../../src/format/session-id.ts";

const ID = toId("01JCW0000000000000000000AB");
const OTHER_ID = toId("01JCW0000000000000000000CD");

const SMALL = buildSession("telegram:1", ID, [
  message("one"),
  [message("two"), message("three"), message("four")],
  { op: "truncate", keepFrom: 2, count: 3 },
  message("six"),
]);
/** Two sealed files and an active one. */
const LONG = buildSession("telegram:1", ID, [
  message("one"),
  message("two"),
  "checkpoint",
  message("three"),
  "seal",
  message("four"),
  { op: "truncate", keepFrom: 3, count: 2 },
  message("six"),
  "seal",
  message("seven"),
  message("eight"),
]);
const BYSTANDER = buildSession("bystander", OTHER_ID, [message("hello")]);

/** `changes`: other bytes for some paths; `undefined`: the file is not there. */
async function spoil(
  session: BuiltSession,
  changes: Readonly<Record<string, Buffer | undefined>>,
): Promise<SimulatedMachine> {
  const files = new Map<string, Buffer>([...session.files, ...BYSTANDER.files]);
  for (const [path, bytes] of Object.entries(changes)) {
    if (bytes === undefined) files.delete(path);
    else files.set(path, bytes);
  }
  return await machineWith(files);
}

function bytesOf(session: BuiltSession, path = session.path): Buffer {
  return Buffer.from(session.files.get(path) ?? Buffer.alloc(0));
}

function linesOf(bytes: Buffer): Buffer[] {
  return bytes
    .toString("latin1")
    .split(/(?<=\n)/)
    .map((line) => Buffer.from(line, "latin1"));
}

const segment = (file: number): string => segmentPath(LAYOUT.segments, ID, file);

/** Repaired: the same seqs with the same bodies as before, but for those named; nothing to report; appends go on. */
async function expectMended(
  machine: SimulatedMachine,
  session: BuiltSession,
  lost: readonly number[],
  lostBefore: readonly number[] = [],
): Promise<void> {
  const host = machine.startProcess();
  const before = await filesUnder(host, LAYOUT.damaged);
  const report = await repair(host);
  expect(report.damage.length).toBeGreaterThan(0);
  expect(report.damage.filter(({ reason }) => reason.includes("left as it is"))).toEqual([]);
  // What it says it gave up is what is missing afterwards, no more and no less; what it kept is there.
  expect((report.lost ?? []).flatMap(seqsOf)).toEqual(lost.filter((seq) => !lostBefore.includes(seq)));
  const aside = [...(await filesUnder(host, LAYOUT.damaged)).keys()].filter((name) => !before.has(name));
  expect(new Set(report.kept ?? [])).toEqual(new Set(aside.map((name) => `${LAYOUT.damaged}/${name}`)));
  expect((await verify(host)).damage).toEqual([]);
  const read = await readBack(host, session);
  expect(read.entries).toEqual(session.entries.filter(({ seq }) => !lost.includes(seq)));
  expect(read.damage).toEqual([]);
  expect(read.info).toMatchObject({ seq: session.state.seq, damaged: 0 });
  expect((await readBack(host, BYSTANDER)).entries).toEqual(BYSTANDER.entries);
  expect(await appendOne(host, session)).toBe(session.state.seq + 1);
  expect((await verify(host)).damage).toEqual([]);
}

function seqsOf({ first, last }: { readonly first: number; readonly last: number }): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

async function kept(machine: SimulatedMachine): Promise<Buffer> {
  return Buffer.concat([...(await filesUnder(machine.startProcess(), LAYOUT.damaged)).values()]);
}

describe("a whole store", () => {
  test.each([SMALL, LONG])("has nothing to report, and repair leaves it as it is", async (session) => {
    const machine = await spoil(session, {});
    const host = machine.startProcess();
    const whole = { sessions: 2, records: session.entries.length + 1, damage: [] };
    expect(await verify(host)).toEqual(whole);
    const before = await filesUnder(host, LAYOUT.directory);
    expect(await repair(host)).toEqual(whole);
    expect(await filesUnder(host, LAYOUT.directory)).toEqual(before);
    expect((await filesUnder(host, LAYOUT.damaged)).size).toBe(0);
  });

  test("is counted by key too", async () => {
    const host = (await spoil(SMALL, {})).startProcess();
    expect(await verify(host, { keys: ["bystander"] })).toEqual({ sessions: 1, records: 1, damage: [] });
  });
});

describe("the active file", () => {
  const lines = linesOf(bytesOf(SMALL));
  const offsetOf = (line: number): number =>
    lines.slice(0, line).reduce((sum, { length }) => sum + length, 0);
  const replaced = (line: number, bytes: Buffer): Buffer => Buffer.concat(lines.with(line, bytes));

  test("F5 a block of NULs in the middle", async () => {
    const hole = Buffer.from(lines[3] ?? "").fill(0, 20, 60);
    const machine = await spoil(SMALL, { [SMALL.path]: replaced(3, hole) });
    expect((await verify(machine.startProcess())).damage).toEqual([
      {
        file: SMALL.path,
        key: SMALL.key,
        offset: offsetOf(3),
        bytes: hole.length,
        kind: "corrupt",
        reason: expect.any(String) as string,
        seq: 3,
      },
    ]);
    await expectMended(machine, SMALL, [3]);
    expect((await kept(machine)).includes(hole)).toBe(true);
  });

  test("F8 two records without the newline between them are both saved", async () => {
    const machine = await spoil(SMALL, {
      [SMALL.path]: replaced(5, lines[5]?.subarray(0, -1) ?? Buffer.alloc(0)),
    });
    await expectMended(machine, SMALL, []);
  });

  test("F8 a whole record behind half a record is saved", async () => {
    const machine = await spoil(SMALL, {
      [SMALL.path]: replaced(1, lines[1]?.subarray(0, 30) ?? Buffer.alloc(0)),
    });
    await expectMended(machine, SMALL, [1]);
  });

  test("F9 a line that is there twice is kept once", async () => {
    const twice = Buffer.concat([lines[1] ?? Buffer.alloc(0), lines[1] ?? Buffer.alloc(0)]);
    const machine = await spoil(SMALL, { [SMALL.path]: replaced(1, twice) });
    expect((await verify(machine.startProcess())).damage).toMatchObject([
      { offset: offsetOf(2), reason: "seq 1 after seq 1: a copy, or out of order" },
    ]);
    await expectMended(machine, SMALL, []);
  });

  test("F10 a gap becomes a line that says what is lost", async () => {
    const machine = await spoil(SMALL, { [SMALL.path]: replaced(5, Buffer.alloc(0)) });
    expect((await verify(machine.startProcess())).damage).toMatchObject([
      { offset: offsetOf(5), bytes: 0, reason: "seq 5 is missing here" },
    ]);
    await expectMended(machine, SMALL, [5]);
  });

  test("lines out of order go back to their places", async () => {
    const [header, one, two, three, four, five, six] = lines as [Buffer, ...Buffer[]];
    const bytes = Buffer.concat(
      [header, one, five, two, three, four, two, six].map((line) => line ?? Buffer.alloc(0)),
    );
    await expectMended(await spoil(SMALL, { [SMALL.path]: bytes }), SMALL, []);
  });

  test("a second repair keeps what the first has called lost", async () => {
    const hole = Buffer.from(lines[5] ?? "").fill(0, 20, 60);
    const machine = await spoil(SMALL, { [SMALL.path]: replaced(5, hole) });
    const host = machine.startProcess();
    await repair(host);
    const file = await host.files.open(SMALL.path, "write");
    const bytes = Buffer.alloc((await file.stat()).size);
    await file.read(bytes, 0);
    await file.write(Buffer.from("X"), bytes.indexOf("one"));
    await expectMended(machine, SMALL, [1, 5], [5]);
  });

  test("F2 a mark before the header stays", async () => {
    const mark = Buffer.from([0xef, 0xbb, 0xbf]);
    const hole = Buffer.from(lines[5] ?? "").fill(0, 20, 60);
    const machine = await spoil(SMALL, { [SMALL.path]: Buffer.concat([mark, replaced(5, hole)]) });
    await expectMended(machine, SMALL, [5]);
    const found = await filesUnder(machine.startProcess(), LAYOUT.directory);
    expect(found.get(fileNameOf(SMALL.key))?.subarray(0, 3)).toEqual(mark);
  });

  test("F3 F6 a torn tail is torn only if nobody is writing, and goes by repair", async () => {
    const torn = bytesOf(SMALL).subarray(0, -10);
    const machine = await spoil(SMALL, { [SMALL.path]: torn });
    expect((await verify(machine.startProcess(), { isGrowing: true })).damage).toEqual([]);
    expect((await verify(machine.startProcess())).damage).toMatchObject([
      { offset: offsetOf(6), kind: "torn" },
    ]);
    const host = machine.startProcess();
    await repair(host);
    expect((await verify(host)).damage).toEqual([]);
    expect((await readBack(host, SMALL)).entries).toEqual(SMALL.entries.slice(0, 5));
    expect((await kept(machine)).equals(torn.subarray(offsetOf(6)))).toBe(true);
  });

  test("the last newline turned into another byte costs no record", async () => {
    const bytes = bytesOf(SMALL);
    bytes[bytes.length - 1] = 0x0b;
    await expectMended(await spoil(SMALL, { [SMALL.path]: bytes }), SMALL, []);
  });

  test("F18 random bytes are left exactly as they are", async () => {
    const noise = Buffer.from(
      Array.from({ length: 5000 }, (_, index) => (index * 7919 + (index >> 3)) & 255),
    );
    const machine = await spoil(SMALL, { [SMALL.path]: noise });
    const host = machine.startProcess();
    expect((await verify(host)).damage).toMatchObject([{ file: SMALL.path, offset: 0 }]);
    const { damage, sessions } = await repair(host);
    expect(damage).toMatchObject([
      { file: SMALL.path, reason: expect.stringContaining("left as it is") as string },
    ]);
    expect(sessions).toBe(1);
    expect((await filesUnder(host, LAYOUT.directory)).get(fileNameOf(SMALL.key))).toEqual(noise);
  });

  test.each(["gzip", "our members"])("F16 gzip bytes under its name (%s) are unpacked", async (kind) => {
    const bytes = bytesOf(SMALL);
    const packed: Buffer[] = [];
    const source = {
      size: bytes.length,
      read: (into: Buffer, position: number) => Promise.resolve(bytes.copy(into, 0, position)),
    };
    for await (const member of packMembers(source, bytes.length)) packed.push(member);
    const spoiled = kind === "gzip" ? gzipSync(bytes) : Buffer.concat(packed);
    const machine = await spoil(SMALL, { [SMALL.path]: spoiled });
    expect(await verify(machine.startProcess())).toMatchObject({ damage: [{ file: SMALL.path, offset: 0 }] });
    await expectMended(machine, SMALL, []);
    expect((await kept(machine)).equals(spoiled)).toBe(true);
  });

  test("F16 of a truncated gzip file the beginning is saved", async () => {
    const noisy = buildSession(
      "telegram:1",
      ID,
      Array.from({ length: 400 }, (_, index) => message(String(Math.imul(index + 1, 2654435761)))),
    );
    const packed = gzipSync(bytesOf(noisy));
    const machine = await spoil(noisy, { [noisy.path]: packed.subarray(0, packed.length / 2) });
    const host = machine.startProcess();
    await repair(host);
    expect((await verify(host)).damage).toEqual([]);
    const { entries } = await readBack(host, noisy);
    expect(entries.length).toBeGreaterThan(50);
    expect(entries).toEqual(noisy.entries.slice(0, entries.length));
  });
});

describe("the header", () => {
  function withHeader(change: (line: Buffer) => Buffer, session = SMALL): Buffer {
    const [first = Buffer.alloc(0), ...others] = linesOf(bytesOf(session));
    return Buffer.concat([change(first), ...others]);
  }

  test("several damaged bytes in its checksum: its name and its records prove it", async () => {
    const bytes = withHeader((line) => Buffer.concat([line.subarray(0, -12), Buffer.from('00000000"}\n')]));
    await expectMended(await spoil(SMALL, { [SMALL.path]: bytes }), SMALL, []);
  });

  test("a damaged chain is not believed unless the files prove it", async () => {
    const wrong = (line: Buffer): Buffer =>
      Buffer.from(line.toString().replace('"last":3', '"last":2').replace('"until"', '"until"'));
    const machine = await spoil(LONG, { [LONG.path]: withHeader((line) => wrong(twoBits(line)), LONG) });
    const host = machine.startProcess();
    const before = await filesUnder(host, LAYOUT.directory);
    expect((await repair(host)).damage[0]?.reason).toContain("left as it is");
    expect(await filesUnder(host, LAYOUT.directory)).toEqual(before);
    expect((await filesUnder(host, LAYOUT.damaged)).size).toBe(0);
    const right = await spoil(LONG, { [LONG.path]: withHeader(twoBits, LONG) });
    await expectMended(right, LONG, []);
  });

  /** In its checksum only. */
  function twoBits(line: Buffer): Buffer {
    const spoiled = Buffer.from(line);
    for (const at of [-4, -5]) spoiled[line.length + at] = (spoiled.at(at) ?? 0) === 0x30 ? 0x31 : 0x30;
    return spoiled;
  }

  test("another key's header is never taken for this file's", async () => {
    const other = encodeHeader({ ...BYSTANDER.header, key: "telegram:2" });
    const machine = await spoil(SMALL, { [SMALL.path]: withHeader(() => twoBits(other)) });
    const host = machine.startProcess();
    expect((await repair(host)).damage).toMatchObject([
      { reason: expect.stringContaining("left as it is") as string },
    ]);
  });
});

describe("sealed files", () => {
  test("a flipped bit costs its record; the file is replaced and kept", async () => {
    const bytes = bytesOf(LONG, segment(1));
    const at = bytes.indexOf("four");
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    const machine = await spoil(LONG, { [segment(1)]: bytes });
    expect((await verify(machine.startProcess())).damage).toMatchObject([
      { file: segment(1), key: LONG.key, kind: "corrupt", reason: "checksum mismatch" },
    ]);
    await expectMended(machine, LONG, [4]);
    expect((await kept(machine)).includes(bytes)).toBe(true);
  });

  test("what a lost truncate did is known from the next file", async () => {
    const bytes = bytesOf(LONG, segment(1));
    const at = bytes.indexOf("truncate");
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    const machine = await spoil(LONG, { [segment(1)]: bytes });
    await expectMended(machine, LONG, [5]);
    const { state } = await readBack(machine.startProcess(), LONG);
    expect(state.keepFrom).toBe(3);
  });

  test("one that is missing becomes a line that says what is lost", async () => {
    const machine = await spoil(LONG, { [segment(0)]: undefined });
    expect((await verify(machine.startProcess())).damage).toMatchObject([
      { file: segment(0), reason: "this segment, records 1 to 3, is not there" },
    ]);
    await expectMended(machine, LONG, [1, 2, 3]);
  });

  test("all of them missing", async () => {
    const machine = await spoil(LONG, { [segment(0)]: undefined, [segment(1)]: undefined });
    await expectMended(machine, LONG, [1, 2, 3, 4, 5, 6]);
  });

  test("one that was cut off keeps its beginning", async () => {
    const machine = await spoil(LONG, { [segment(1)]: bytesOf(LONG, segment(1)).subarray(0, -20) });
    expect((await verify(machine.startProcess())).damage).toMatchObject([
      { file: segment(1), reason: expect.stringContaining("ends too early") as string },
    ]);
    await expectMended(machine, LONG, [6]);
  });

  test("a line that was taken out of it whole is missed", async () => {
    const lines = linesOf(bytesOf(LONG, segment(0)));
    const machine = await spoil(LONG, { [segment(0)]: Buffer.concat(lines.slice(0, -1)) });
    expect((await verify(machine.startProcess())).damage).toHaveLength(1);
    await expectMended(machine, LONG, [3]);
  });

  test("a compressed one with a damaged member", async () => {
    const big = buildSession("telegram:1", ID, [
      ...Array.from({ length: 12 }, (_, index) => message(String(index).repeat(50_000))),
      "seal",
      message("last"),
    ]);
    const bytes = bytesOf(big, segment(0));
    const members: Buffer[] = [];
    const source = {
      size: bytes.length,
      read: (into: Buffer, position: number) => Promise.resolve(bytes.copy(into, 0, position)),
    };
    for await (const member of packMembers(source, bytes.length)) members.push(Buffer.from(member));
    expect(members.length).toBeGreaterThan(2);
    const second = members[1] ?? Buffer.alloc(0);
    second[second.length - 12] = (second[second.length - 12] ?? 0) ^ 1;
    const packed = Buffer.concat(members);
    const machine = await spoil(big, { [segment(0)]: undefined, [`${segment(0)}.gz`]: packed });
    const found = await verify(machine.startProcess());
    expect(found.damage).toMatchObject([{ file: `${segment(0)}.gz`, key: big.key }]);
    const served = new Set((await readBack(machine.startProcess(), big)).entries.map(({ seq }) => seq));
    const lost = big.entries.map(({ seq }) => seq).filter((seq) => !served.has(seq));
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.length).toBeLessThan(8);
    await expectMended(machine, big, lost);
    expect((await kept(machine)).equals(packed)).toBe(true);
  });

  test("dropped ones are no damage; their file, if it is still there, goes with the next reclaim", async () => {
    const { path, header } = LONG;
    const [first, ...others] = header.chain;
    if (first === undefined) throw new Error("no chain");
    const dropped: Header = {
      ...header,
      chain: [{ ...first, dropped: "2026-11-16T00:00:00.000Z" }, ...others],
    };
    const bytes = Buffer.concat([encodeHeader(dropped), ...linesOf(bytesOf(LONG)).slice(2)]);
    const without = await spoil(LONG, { [path]: bytes, [segment(0)]: undefined });
    expect((await verify(without.startProcess())).damage).toEqual([]);
    const host = (await spoil(LONG, { [path]: bytes })).startProcess();
    expect((await verify(host)).damage).toEqual([]);
    expect(await host.files.stat(segment(0))).toBeDefined();
    const store = await openStore(jsonlBackend(LAYOUT.directory, { host }));
    await store.reclaim();
    await store.close();
    expect(await host.files.stat(segment(0))).toBeUndefined();
    expect((await readBack(host, LONG)).entries.slice(0, LONG.entries.length - 3)).toEqual(
      LONG.entries.slice(3),
    );
  });
});

describe("files that belong to nobody", () => {
  const stray = `${LAYOUT.segments}/${OTHER_ID.replace("CD", "EF")}/0.jsonl`;
  const orphan = segment(7);

  test("orphans are reported and moved away, never deleted", async () => {
    const machine = await spoil(LONG, { [stray]: Buffer.from("stray"), [orphan]: Buffer.from("orphan") });
    const host = machine.startProcess();
    const files = (await verify(host)).damage.map(({ file }) => file);
    expect(files).toEqual([orphan, stray.slice(0, stray.lastIndexOf("/"))]);
    expect((await repair(host)).damage.map(({ file }) => file)).toEqual(files);
    expect((await verify(host)).damage).toEqual([]);
    expect((await kept(machine)).toString()).toBe("orphan");
    const moved = `${LAYOUT.damaged}/segments.${stray.split("/").at(-2) ?? ""}`;
    expect((await filesUnder(host, moved)).get("0.jsonl")?.toString()).toBe("stray");
    expect((await readBack(host, LONG)).entries).toEqual(LONG.entries);
  });

  test("nothing is called an orphan while somebody may be making it", async () => {
    const host = (
      await spoil(LONG, { [stray]: Buffer.from("stray"), [orphan]: Buffer.from("orphan") })
    ).startProcess();
    expect((await verify(host, { isGrowing: true, isForking: true })).damage).toEqual([]);
  });

  test("an orphan beside a session that is held is moved under its lease", async () => {
    const host = (await spoil(LONG, { [orphan]: Buffer.from("orphan") })).startProcess();
    const { damage } = await repair(host, { isGrowing: true });
    expect(damage).toMatchObject([{ file: orphan }]);
    expect((await verify(host)).damage).toEqual([]);
  });

  test("the segments of a session whose header is damaged are left to it", async () => {
    const machine = await spoil(LONG, { [LONG.path]: Buffer.from("nothing of a header\n") });
    const host = machine.startProcess();
    const found = (await verify(host)).damage;
    expect(found.map(({ file }) => file)).toEqual([LONG.path, segment(0).slice(0, -"/0.jsonl".length)]);
    expect(found.filter(({ left }) => left === undefined)).toEqual([]);
    const { damage } = await repair(host);
    expect(damage).toHaveLength(2);
    expect(damage.every(({ reason }) => reason.includes("left as it is"))).toBe(true);
    expect(await host.files.stat(segment(0))).toBeDefined();
  });

  test("a copy by another name is reported and left alone", async () => {
    const copy = `${LAYOUT.directory}/copy.jsonl`;
    const host = (await spoil(SMALL, { [copy]: bytesOf(SMALL) })).startProcess();
    expect(await verify(host)).toMatchObject({ sessions: 2, records: 7, damage: [{ file: copy }] });
    await repair(host);
    expect((await verify(host)).damage).toMatchObject([{ file: copy }]);
  });
});

test.each([LAYOUT.archive, LAYOUT.trash])(
  "what was put away is mended in its place: %s",
  async (directory) => {
    const path = `${directory}/${putAwayName(fileNameOf(SMALL.key), ID)}`;
    const bytes = bytesOf(SMALL);
    const at = bytes.indexOf("three");
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    const machine = await spoil(SMALL, { [SMALL.path]: undefined, [path]: bytes });
    await expectMended(machine, { ...SMALL, path }, [3]);
  },
);

describe("the lease", () => {
  const bytes = bytesOf(SMALL);
  bytes[bytes.indexOf("three")] = 0;

  test("a session that somebody else keeps is left, and the others are mended", async () => {
    const spoiled = Buffer.from(bytesOf(BYSTANDER));
    spoiled[spoiled.indexOf("hello")] = 0;
    const host = (await spoil(SMALL, { [SMALL.path]: bytes, [BYSTANDER.path]: spoiled })).startProcess();
    let calls = 0;
    const alone = async (task: () => Promise<void>): Promise<void> => {
      calls += 1;
      if (calls === 1) throw new LonghandError("SESSION_LOCKED", "it is locked by process 7");
      await task();
    };
    const { damage } = await repair(host, { alone });
    expect(damage).toHaveLength(2);
    expect(damage[0]?.reason).toContain("left as it is: it is locked by process 7");
    expect((await verify(host)).damage).toMatchObject([{ file: damage[0]?.file }]);
  });

  test("one that is archived while repair waits is mended where it went", async () => {
    const host = (await spoil(SMALL, { [SMALL.path]: bytes })).startProcess();
    const path = `${LAYOUT.archive}/${putAwayName(fileNameOf(SMALL.key), ID)}`;
    const alone = async (task: () => Promise<void>): Promise<void> => {
      await host.files.rename(SMALL.path, path);
      await task();
    };
    expect((await repair(host, { alone })).damage).toMatchObject([{ file: path }]);
    expect((await verify(host)).damage).toEqual([]);
  });
});

test("a mended file has the next number, so that old journal records are passed over", async () => {
  const bytes = bytesOf(SMALL);
  bytes[bytes.indexOf("one")] = 0;
  const host = (await spoil(SMALL, { [SMALL.path]: bytes })).startProcess();
  await repair(host);
  const [header = Buffer.alloc(0)] = linesOf(
    (await filesUnder(host, LAYOUT.directory)).get(fileNameOf(SMALL.key)) ?? Buffer.alloc(0),
  );
  expect(decodeHeader(header.subarray(0, -1))).toMatchObject({ header: { file: 1, id: ID } });
});
