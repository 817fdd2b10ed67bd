/**
 * Whole lines of a session file glued, copied, moved or removed by an editor or a shell: nothing acknowledged becomes unreadable, no seq is given
 * twice, no half batch is served, and opening, verify and repair say so in the same words.
 */

import { describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type Damage, type Store, type VerifyReport } from "../../src/index.ts";
import { encodeCheckpoint } from "../../src/format/checkpoint.ts";
import { decodeLine } from "../../src/format/decode.ts";
import { lineSum } from "../../src/format/line-checksum.ts";
import { SimulatedMachine, type Capture, type Host } from "../../src/testing/index.ts";
import { contentsOf, recordsOf, user } from "../support/conversation.ts";
import { DIRECTORY, readSimulatedFile, writeSimulatedFile } from "../support/simulated-store.ts";

const KEY = "a";
const PATH = `${DIRECTORY}/${KEY}.jsonl`;

interface Opened {
  readonly store: Store;
  readonly damage: readonly Damage[];
}

async function open(host: Host): Promise<Opened> {
  const damage: Damage[] = [];
  const onDamage = (found: Damage): unknown => damage.push(found);
  return { store: await openStore(jsonlBackend(DIRECTORY, { host }), { onDamage }), damage };
}

async function written(write: (store: Store) => Promise<unknown>): Promise<Capture> {
  const machine = new SimulatedMachine(7);
  const { store } = await open(machine.startProcess());
  await write(store);
  await store.close();
  return machine.capture();
}

const linesOf = (bytes: Buffer): string[] => bytes.toString().split("\n").slice(0, -1);

/** The store with other lines in the file of its session. */
async function edited(capture: Capture, edit: (lines: string[], bytes: Buffer) => string): Promise<Host> {
  const machine = capture.afterKill();
  const bytes = await readSimulatedFile(machine.startProcess(), PATH);
  await writeSimulatedFile(machine.startProcess(), PATH, Buffer.from(edit(linesOf(bytes), bytes), "latin1"));
  return machine.startProcess();
}

const joined = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");
const reasonsOf = (damage: readonly Damage[]): string[] => [...new Set(damage.map(({ reason }) => reason))];

interface Told {
  readonly opening: readonly string[];
  readonly verified: VerifyReport;
}

/** Appends `content`; answers with its seq, and with what opening and verify have said. */
async function append(host: Host, content: string): Promise<Told & { readonly seq: number }> {
  const { store, damage } = await open(host);
  const { seq } = await store.session(KEY).append(user(content));
  const opening = reasonsOf(damage);
  const verified = await store.verify();
  await store.close();
  return { seq, opening, verified };
}

async function repaired(
  host: Host,
): Promise<{ readonly contents: readonly string[]; readonly report: VerifyReport }> {
  const { store } = await open(host);
  const report = await store.repair();
  expect((await store.verify()).damage).toEqual([]);
  const contents = await contentsOf(store.session(KEY));
  const backwards: number[] = [];
  for await (const { seq } of store.session(KEY).records({ reverse: true })) backwards.push(seq);
  expect(backwards.toReversed()).toEqual((await recordsOf(store.session(KEY))).map(({ seq }) => seq));
  await store.close();
  return { contents, report };
}

describe("the newline between the last two lines is removed", () => {
  const four = ["one", "two", "three", "four"];

  test("both are served, the next seq is higher, and a repair keeps all of them", async () => {
    const capture = await written(async (store) => {
      for (const content of four) await store.session(KEY).append(user(content));
    });
    const host = await edited(capture, (lines) => joined([...lines.slice(0, -2), lines.slice(-2).join("")]));
    const { seq, opening, verified } = await append(host, "five");
    expect(seq).toBe(5);
    expect(opening).toEqual(["2 lines in one: a newline is missing"]);
    expect(reasonsOf(verified.damage)).toEqual(opening);
    const { contents, report } = await repaired(host);
    expect(contents).toEqual([...four, "five"]);
    expect(report.lost).toBeUndefined();
    expect(report.kept).toHaveLength(1);
  });
});

/** So long that there is a checkpoint in the file. */
const MANY = Array.from({ length: 100 }, (_, index) => `${index} ${"x".repeat(4000)}`);
const appendMany = async (store: Store): Promise<void> => {
  for (const content of MANY) await store.session(KEY).append(user(content));
};
const isCheckpoint = (line: string): boolean => line.startsWith('{"checkpoint":');

describe("an older checkpoint is pasted", () => {
  const stray = expect.stringMatching(/^a checkpoint of seq \d+ that is not where it was written$/) as string;

  test.each([
    ["at the end", (lines: string[], old: string) => [...lines, old]],
    ["at the end, twice", (lines: string[], old: string) => [...lines, old, old]],
    ["before the last line", (lines: string[], old: string) => lines.toSpliced(-1, 0, old)],
    ["behind itself", (lines: string[], old: string) => lines.toSpliced(lines.indexOf(old), 0, old)],
  ])("%s: nothing is hidden, and opening and verify report it in the same words", async (_, paste) => {
    const host = await edited(await written(appendMany), (lines) => {
      const old = lines.find(isCheckpoint) ?? "";
      return joined(paste(lines, old));
    });
    const { seq, opening, verified } = await append(host, "after");
    expect(seq).toBe(MANY.length + 1);
    expect(opening).toContainEqual(stray);
    expect(reasonsOf(verified.damage)).toEqual(expect.arrayContaining([...opening]));
    const { store, damage } = await open(host);
    expect(await contentsOf(store.session(KEY))).toEqual([...MANY, "after"]);
    expect(reasonsOf(damage)).toContainEqual(stray);
    await store.close();
    expect((await repaired(host)).contents).toEqual([...MANY, "after"]);
  });

  test("control: one that says that it was written there is believed, and hides what came before it", async () => {
    const host = await edited(await written(appendMany), (lines, bytes) => {
      const id = /"id":"([0-9A-Z]{26})"/.exec(lines[0] ?? "")?.[1] ?? "";
      const decoded = decodeLine(Buffer.from(lines.find(isCheckpoint) ?? ""), id);
      if (decoded.kind !== "checkpoint") throw new Error("no checkpoint");
      const place = { offset: bytes.length, before: lineSum(bytes) };
      return joined(lines) + encodeCheckpoint({ ...decoded.checkpoint, place }, id).toString();
    });
    expect((await append(host, "after")).seq).toBeLessThan(MANY.length);
  });
});

test.each([true, false])(
  "an older copy of the file is added to its end (earlier version: %s)",
  async (isOld) => {
    const host = await edited(await written(appendMany), (lines) => {
      const id = /"id":"([0-9A-Z]{26})"/.exec(lines[0] ?? "")?.[1] ?? "";
      const present = isOld ? lines.map((line) => asEarlierVersion(line, id)) : lines;
      return joined(present) + joined(present.slice(0, 80));
    });
    const { seq, opening, verified } = await append(host, "after");
    expect(seq).toBe(MANY.length + 1);
    expect(opening).toContain("a header that is not the first line");
    expect(opening).toContain("seq 1 after seq 100: a copy, or out of order");
    expect(reasonsOf(verified.damage)).toEqual(expect.arrayContaining([...opening]));
    const { contents, report } = await repaired(host);
    expect(contents).toEqual([...MANY, "after"]);
    expect(report.lost).toBeUndefined();
  },
);

/** A checkpoint that does not say where it was written; its sum is not what it was, which is left to verify. */
function asEarlierVersion(line: string, id: string): string {
  const decoded = decodeLine(Buffer.from(line), id);
  if (decoded.kind !== "checkpoint") return line;
  const { state, sum } = decoded.checkpoint;
  return encodeCheckpoint({ state, sum }, id).toString().slice(0, -1);
}

test("checkpoints of an earlier version are read: as long as they stand behind the record they name", async () => {
  const host = await edited(await written(appendMany), (lines) => {
    const id = /"id":"([0-9A-Z]{26})"/.exec(lines[0] ?? "")?.[1] ?? "";
    return joined(lines.map((line) => asEarlierVersion(line, id)));
  });
  const { seq, opening, verified } = await append(host, "after");
  expect([seq, opening, verified.damage]).toEqual([MANY.length + 1, [], []]);
});

describe("of a batch of four one line is overwritten with NULs and another is removed", () => {
  const capture = written(async (store) => {
    await store.session(KEY).append(user("before"));
    await store.session(KEY).append(["1", "2", "3", "4"].map(user));
    await store.session(KEY).append(user("after"));
  });
  const spoil = (lines: string[]): string =>
    joined(lines.map((line, index) => (index === 3 ? "\0".repeat(line.length) : line)).toSpliced(5, 1));

  test("none of it is served, all of it is reported, and a repair brings back what is good", async () => {
    const host = await edited(await capture, spoil);
    const { store, damage } = await open(host);
    expect(await contentsOf(store.session(KEY))).toEqual(["before", "after"]);
    expect(reasonsOf(damage)).toEqual([
      "filled with NUL bytes",
      "seq 5 is missing here",
      "a batch of 4 records, seq 2 to 5, of which some are missing",
    ]);
    expect(reasonsOf((await store.verify()).damage)).toEqual(reasonsOf(damage));
    expect(await store.session(KEY).append(user("next"))).toEqual({ seq: 7 });
    await store.close();
    const { contents, report } = await repaired(host);
    expect(contents).toEqual(["before", "1", "3", "after", "next"]);
    expect(report.lost).toMatchObject([
      { first: 3, last: 3 },
      { first: 5, last: 5 },
    ]);
  });
});

test("a line moved to another place is served again after a repair, and its seq is never given to another", async () => {
  const five = ["1", "2", "3", "4", "5"];
  const capture = await written(async (store) => {
    for (const content of five) await store.session(KEY).append(user(content));
  });
  for (let from = 1; from <= 5; from++) {
    for (let to = 1; to <= 5; to++) {
      if (from === to) continue;
      const host = await edited(capture, (lines) => {
        const rest = lines.toSpliced(from, 1);
        return joined(rest.toSpliced(to, 0, lines[from] ?? ""));
      });
      const { seq, opening, verified } = await append(host, "6");
      expect(seq).toBe(6);
      expect(opening.length).toBeGreaterThan(0);
      expect(reasonsOf(verified.damage)).toEqual(expect.arrayContaining([...opening]));
      expect((await repaired(host)).contents).toEqual([...five, "6"]);
    }
  }
});
