/** Which records of a journal belong into a file: the one they were written after decides, and damage is no other history. */

import { describe, expect, test } from "vitest";
import type { Patch } from "../../src/session/byte-source.ts";
import { fitRecords } from "../../src/session/fit-records.ts";
import { encodeEntry } from "../../src/format/encode.ts";
import { encodeHeader, firstHeader } from "../../src/format/header.ts";
import { lastSum } from "../../src/format/last-sum.ts";
import { toId } from "../../src/format/session-id.ts";
import { fileOfBytes } from "../support/file-of-bytes.ts";

const ID = toId("01M7GANKT8040G2081040G2081");
const HEADER = encodeHeader(firstHeader({ key: "k", id: ID, at: "2026-11-15T19:24:13.000Z" }));

function line(seq: number, text: string): Buffer {
  const json = JSON.stringify({ role: "user", content: text });
  return encodeEntry({ seq, at: "2026-11-15T19:24:13.000Z", body: { op: "message", json } }, ID);
}

/** A history, and the records that a journal would have for it. */
function history(...texts: readonly string[]): { readonly file: Buffer; readonly records: readonly Patch[] } {
  let file = HEADER;
  const records: Patch[] = [];
  for (const [index, text] of texts.entries()) {
    const bytes = line(index + 1, text);
    records.push({ offset: file.length, bytes, after: lastSum(file) });
    file = Buffer.concat([file, bytes]);
  }
  return { file, records };
}

async function fit(file: Buffer, records: readonly Patch[]): Promise<string> {
  const { fits, strays } = await fitRecords(fileOfBytes(file), file.length, ID, records);
  const textOf = ({ bytes }: Patch): string => /"content":"([^"]*)"/.exec(bytes.toString())?.[1] ?? "";
  return `${fits.map(textOf).join()} | ${strays.map(textOf).join()}`;
}

const { file, records } = history("one", "two", "thr", "for");
const endOf = (count: number): number =>
  history("one", "two", "thr", "for").records[count]?.offset ?? file.length;

describe("records of the same history fit", () => {
  test.each([0, 1, 2, 3, 4])("a file that ends after %i of them", async (count) => {
    expect(await fit(file.subarray(0, endOf(count)), records)).toBe("one,two,thr,for | ");
  });

  test("a file that ends in the middle of one, and one of NULs where they go", async () => {
    for (let length = endOf(2) + 1; length < endOf(3); length++)
      expect(await fit(file.subarray(0, length), records.slice(2))).toBe("thr,for | ");
    const nuls = Buffer.concat([file.subarray(0, endOf(2)), Buffer.alloc(endOf(4) - endOf(2))]);
    expect(await fit(nuls, records.slice(2))).toBe("thr,for | ");
  });

  test("each single bit that is flipped before them, or where they go, is damage", async () => {
    for (let byte = 0; byte < file.length; byte++) {
      for (let bit = 0; bit < 8; bit++) {
        const flipped = Buffer.from(file);
        flipped[byte] = (flipped[byte] ?? 0) ^ (1 << bit);
        expect(await fit(flipped, records.slice(2)), `byte ${byte}, bit ${bit}`).toBe("thr,for | ");
        expect(await fit(flipped.subarray(0, endOf(2)), records.slice(2))).toBe("thr,for | ");
      }
    }
  });

  test("a block of NULs over the line before them is damage", async () => {
    const spoiled = Buffer.from(file);
    spoiled.fill(0, endOf(1), endOf(2));
    expect(await fit(spoiled, records.slice(2))).toBe("thr,for | ");
  });

  test("lines that an editor has ended with \\r\\n before the writer opened the file", async () => {
    const edited = Buffer.from(file.subarray(0, endOf(2)).toString().replaceAll("\n", "\r\n"));
    const record = { offset: edited.length, bytes: line(3, "thr"), after: lastSum(edited) };
    expect(await fit(edited, [record])).toBe("thr | ");
  });

  test("of two writers, whatever the order of their journals", async () => {
    const [one, two, thr, four] = records;
    if (one === undefined || two === undefined || thr === undefined || four === undefined) throw new Error();
    expect(await fit(file.subarray(0, endOf(3)), [one, thr, two, four])).toBe("one,two,thr,for | ");
  });
});

describe("records of another history are strays", () => {
  test.each([1, 2, 3])("gone on from after %i of them, with lines of the same lengths", async (count) => {
    const names = ["one", "two", "thr", "for"];
    const other = history(...names.slice(0, count), "new").file;
    const expected = `${names.slice(0, count).join()} | ${names.slice(count).join()}`;
    expect(await fit(other, records)).toBe(expected);
    expect(await fit(other, records.slice(count))).toBe(` | ${names.slice(count).join()}`);
  });

  test("with lines of other lengths", async () => {
    const other = history("one", "a much longer text than there was before, longer than two of them").file;
    expect(await fit(other, records)).toBe("one | two,thr,for");
  });

  test("a file that ends before the record they were written after", async () => {
    for (const count of [0, 1])
      expect(await fit(file.subarray(0, endOf(count)), records.slice(2))).toBe(" | thr,for");
  });

  test("both histories in one journal: the first that is there stays", async () => {
    const other = history("one", "new", "nov");
    const both = [...records, ...other.records.slice(1)];
    expect(await fit(file.subarray(0, endOf(1)), both)).toBe("one,two,thr,for | new,nov");
    expect(await fit(other.file, both)).toBe("one,new,nov | two,thr,for");
  });
});

describe("records of an older journal, which do not say what they were written after", () => {
  const old = records.map(({ offset, bytes }) => ({ offset, bytes }));

  test("are written where they say", async () => {
    expect(await fit(file.subarray(0, endOf(1)), old)).toBe("one,two,thr,for | ");
  });

  test("are not written over a whole line of another history, nor behind it", async () => {
    expect(await fit(history("one", "new").file, old)).toBe("one | two,thr,for");
  });
});

describe("lines that another program has moved, of which the journal has every one", () => {
  const lines = ["one", "two", "thr", "for"].map((text, index) => line(index + 1, text));
  const fileOf = (...parts: readonly (Buffer | undefined)[]): Buffer =>
    Buffer.concat([HEADER, ...parts.filter((part) => part !== undefined)]);
  const [one, two, thr, four] = lines;

  test("a removed newline, a removed line, swapped lines: all of them are written again", async () => {
    for (let at = 0; at < 3; at++) {
      const glued = lines.map((each, index) => (index === at ? each.subarray(0, -1) : each));
      expect(await fit(fileOf(...glued), records), `newline ${at}`).toBe("one,two,thr,for | ");
      expect(await fit(fileOf(...lines.toSpliced(at, 1)), records), `line ${at}`).toBe("one,two,thr,for | ");
    }
    expect(await fit(fileOf(four, two, thr, one), records)).toBe("one,two,thr,for | ");
    expect(await fit(fileOf(one, thr, two, four), records.slice(1))).toBe("two,thr,for | ");
  });

  test("a line that no journal has is not written over, whole or glued to another", async () => {
    expect(await fit(fileOf(one, two, one, four), records.slice(2))).toBe(" | thr,for");
    expect(await fit(fileOf(one, two, four, thr), records.slice(3))).toBe(" | for");
    const glued = fileOf(one, two?.subarray(0, -1), thr);
    expect(await fit(glued, records.slice(1, 2))).toBe(" | two");
    expect(await fit(fileOf(two?.subarray(0, -1), one, two), records.slice(2))).toBe(" | thr,for");
  });

  test("a run that begins in the middle of a line is not written, also if that line is glued to others", async () => {
    const glued = fileOf(two?.subarray(0, -1), one?.subarray(0, -1), thr, four);
    expect(await fit(glued, records.slice(2))).toBe(" | thr,for");
  });

  test("a copy makes the file longer: what is behind the copy is left where it stands", async () => {
    expect(await fit(fileOf(one, two, two, thr, four), records)).toBe("one,two | thr,for");
  });

  test("another history from the middle of the run on is not written over", async () => {
    const other = history("one", "two", "new", "nov").file;
    const removed = Buffer.concat([other.subarray(0, endOf(1)), other.subarray(endOf(2))]);
    expect(await fit(removed, records)).toBe("one | two,thr,for");
  });
});

describe("the journal has lost what was before a record", () => {
  const [one, two, thr, four] = records;
  const between = endOf(2) - endOf(1);
  const after = (record: Patch | undefined, bytes: number, from?: number): Patch => {
    if (record === undefined) throw new Error("there is no such record");
    return { ...record, lostBefore: { bytes, from } };
  };
  const present = (...given: readonly (Patch | undefined)[]): Patch[] =>
    given.filter((each) => each !== undefined);

  test("a file that ends before it gets it at its position, and a newline at the end of the hole", async () => {
    for (const from of [undefined, endOf(1)]) {
      const given = present(one, after(thr, between, from), four);
      const ends = file.subarray(0, endOf(1));
      const { fits, strays } = await fitRecords(fileOfBytes(ends), ends.length, ID, given);
      expect(fits.map(({ offset }) => offset)).toEqual([endOf(0), endOf(2) - 1, endOf(2), endOf(3)]);
      expect(fits[1]?.bytes.toString()).toBe("\n");
      expect(strays).toEqual([]);
    }
  });

  test("so does one that ends within what was lost; one that has it gets no newline", async () => {
    for (let length = endOf(1); length < endOf(2); length++)
      expect(await fit(file.subarray(0, length), present(after(thr, between, endOf(1)), four))).toBe(
        ",thr,for | ",
      );
    for (const length of [endOf(2), endOf(3), file.length])
      expect(await fit(file.subarray(0, length), present(after(thr, between, endOf(1)), four))).toBe(
        "thr,for | ",
      );
  });

  test("a hole that is longer than what was lost is an older file, and so is one before the record before it", async () => {
    const ends = file.subarray(0, endOf(1));
    expect(await fit(ends, present(after(thr, between - 1), four))).toBe(" | thr,for");
    expect(await fit(file.subarray(0, endOf(0)), present(after(thr, file.length, endOf(1)), four))).toBe(
      " | thr,for",
    );
  });

  test("where the record before it is of another history, so is it", async () => {
    const other = history("new").file;
    expect(await fit(other, present(one, after(thr, file.length, endOf(1)), four))).toBe(" | one,thr,for");
  });

  test("control: without that, a file that ends before it is an older one", async () => {
    expect(await fit(file.subarray(0, endOf(1)), present(one, thr, four))).toBe("one | thr,for");
    expect(await fit(file.subarray(0, endOf(1)), present(one, two, thr, four))).toBe("one,two,thr,for | ");
  });
});

test("many records cost a few reads", async () => {
  const many = history(...Array.from({ length: 2000 }, (_, index) => `text ${index}`));
  const there = fileOfBytes(many.file);
  const { strays } = await fitRecords(there, many.file.length, ID, many.records);
  expect(strays).toEqual([]);
  expect(there.reads.length).toBeLessThan(10);
});
