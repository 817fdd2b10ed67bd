/** What was encoded is decoded the same; what was changed is not decoded at all. */

import fc from "fast-check";
import { assert, describe, expect, test } from "vitest";
import { encodeCheckpoint } from "../../src/format/checkpoint.ts";
import { checksum } from "../../src/format/checksum.ts";
import { decodeLine } from "../../src/format/decode.ts";
import { encodeEntry } from "../../src/format/encode.ts";
import { EMPTY_STATE } from "../../src/format/fold.ts";
import { MAX_SEQ } from "../../src/format/format.ts";
import { decodeHeader, encodeHeader, firstHeader, type Header } from "../../src/format/header.ts";
import { isKey } from "../../src/format/key.ts";
import { isId, makeId, toId } from "../../src/format/session-id.ts";
import { toEntries } from "../../src/format/to-entries.ts";
import { anyEntry, anyText } from "../support/arbitrary-entries.ts";
import { message, SAMPLE, SESSION_ID } from "../support/sample-log.ts";

const HEADER = firstHeader({ key: "telegram:123456", id: SESSION_ID, at: "2026-11-15T19:24:12.123Z" });
const LATER_HEADER: Header = {
  ...HEADER,
  file: 2,
  chain: [
    { file: 0, first: 1, last: 9, bytes: 700, sum: "0b7d1e44", until: HEADER.at, dropped: HEADER.at },
    {
      file: 1,
      first: 10,
      last: 12,
      bytes: 300,
      sum: "c1e09a72",
      until: HEADER.at,
      session: toId("01JCW0000000000000000000ZZ"),
    },
  ],
};

function lineOf(text: string, salt: string = SESSION_ID): Buffer {
  return Buffer.from(`${text},"crc":"${checksum(salt, text)}"}`);
}

function withoutNewline(line: Buffer): Buffer {
  expect(line.indexOf("\n")).toBe(line.length - 1);
  return line.subarray(0, -1);
}

function* singleBitFlips(bytes: Buffer): Iterable<Buffer> {
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    yield flipped;
  }
}

describe("an entry", () => {
  test("comes back from its line as it was, whatever it holds, and the line is one line of JSON", () => {
    fc.assert(
      fc.property(anyEntry, (entry) => {
        const line = withoutNewline(encodeEntry(entry, SESSION_ID));
        expect(decodeLine(line, SESSION_ID)).toEqual({ kind: "entry", entry });
        expect(JSON.parse(line.toString("utf8"))).toMatchObject({ seq: entry.seq, at: entry.at });
      }),
      { numRuns: 500 },
    );
  });

  test("comes back with a carriage return before the newline: an editor may have put it there", () => {
    const entry = SAMPLE[0];
    if (entry === undefined) throw new Error("the sample is empty");
    const line = withoutNewline(encodeEntry(entry, SESSION_ID));
    expect(decodeLine(Buffer.concat([line, Buffer.from("\r")]), SESSION_ID)).toEqual({
      kind: "entry",
      entry,
    });
  });

  test("never comes back different from a line with one flipped bit", () => {
    let flips = 0;
    for (const entry of SAMPLE) {
      for (const flipped of singleBitFlips(withoutNewline(encodeEntry(entry, SESSION_ID)))) {
        expect(decodeLine(flipped, SESSION_ID).kind).toBe("bad");
        flips++;
      }
    }
    expect(flips).toBeGreaterThan(5000);
  });

  test("never comes back from a part of its line", () => {
    for (const entry of SAMPLE) {
      const line = withoutNewline(encodeEntry(entry, SESSION_ID));
      for (let length = 0; length < line.length; length++) {
        expect(decodeLine(line.subarray(0, length), SESSION_ID).kind).toBe("bad");
        expect(decodeLine(line.subarray(line.length - length), SESSION_ID).kind).toBe("bad");
      }
    }
  });

  test("of another session is bad here: the checksum is salted with the session's id", () => {
    const other = makeId(0, new Uint8Array(10));
    for (const entry of SAMPLE) {
      const line = withoutNewline(encodeEntry(entry, other));
      expect(decodeLine(line, other).kind).toBe("entry");
      expect(decodeLine(line, SESSION_ID)).toEqual({ kind: "bad", reason: { code: "checksum-mismatch" } });
    }
  });

  test("two glued lines are bad", () => {
    const [first, second] = SAMPLE.map((entry) => withoutNewline(encodeEntry(entry, SESSION_ID)));
    if (first === undefined || second === undefined) throw new Error("the sample is too short");
    expect(decodeLine(Buffer.concat([first, second]), SESSION_ID).kind).toBe("bad");
  });
});

describe("a line", () => {
  test("is bad for a reason that is told", () => {
    const reasonOf = (line: Buffer): unknown => decodeLine(line, SESSION_ID);
    expect(reasonOf(Buffer.alloc(0))).toEqual({ kind: "bad", reason: { code: "empty-line" } });
    expect(reasonOf(Buffer.alloc(40))).toEqual({ kind: "bad", reason: { code: "nul-bytes" } });
    expect(reasonOf(Buffer.from("hello"))).toEqual({ kind: "bad", reason: { code: "not-whole" } });
    expect(reasonOf(lineOf('{"seq":1', "other"))).toEqual({
      kind: "bad",
      reason: { code: "checksum-mismatch" },
    });
  });

  test("that holds a checkpoint is what version 1 of the format has written, to the byte", () => {
    const text =
      '{"checkpoint":{"seq":7,"count":3,"keepFrom":2,"kept":[[1,4],[6,9007199254740991]],"summary":"so far",' +
      '"title":"T","tags":["a"],"updated":"2026-11-15T19:24:12.123Z",' +
      '"ids":[["x",3,4,"digest"],["y",5,5,"other",true]],"notes":[["pin",5]]},"sum":"0badcafe"';
    const line = lineOf(text);
    const decoded = decodeLine(line, SESSION_ID);
    assert(decoded.kind === "checkpoint");
    expect(decoded.checkpoint.state).toMatchObject({ seq: 7, count: 3, title: "T", notes: [["pin", 5]] });
    expect(decoded.checkpoint.state.ids).toMatchObject([{ id: "x" }, { id: "y", isNote: true }]);
    expect(encodeCheckpoint(decoded.checkpoint, SESSION_ID).subarray(0, -1).toString()).toBe(line.toString());
    // Before there were notes among the fields; it has a title only where one was given.
    const older = text.replace(',"notes":[["pin",5]]', "").replace('"title":"T",', "");
    expect(decodeLine(lineOf(older), SESSION_ID)).toMatchObject({
      kind: "checkpoint",
      checkpoint: { state: { seq: 7, title: undefined, notes: [] }, sum: "0badcafe" },
    });
  });

  test("with a good checksum that is no record is passed over, not refused", () => {
    for (const text of [
      '{"checkpoint":{"seq":9}',
      '{"seq":0,"at":"x","message":1',
      `{"seq":${MAX_SEQ + 1},"at":"x","message":1`,
      '{"at":"x","seq":1,"op":"x"',
    ]) {
      expect(decodeLine(lineOf(text), SESSION_ID)).toEqual({ kind: "aside" });
    }
  });

  test("gets no number that could not be told from the next", () => {
    const last = { ...EMPTY_STATE, seq: MAX_SEQ - 1 };
    expect(toEntries(last, [message("one")], undefined, HEADER.at)).toMatchObject([{ seq: MAX_SEQ }]);
    const two = [message("one"), message("two")];
    expect(() => toEntries(last, two, undefined, HEADER.at)).toThrow("which no session reaches");
  });

  test("of an unknown kind is kept whole", () => {
    for (const rest of [
      '"op":"pin","what":{"deep":[1]}',
      '"op":"truncate","keepFrom":"three","count":1',
      '"op":"rewind","to":1,"count":1,"view":{"keepFrom":1}',
      '"op":"note","kind":5,"data":1',
      '"op":"note","kind":"no data"',
      // Good JSON, but not as we write it: reading the data out of it would be a guess.
      '"op":"note","kind":"\\u0041","data":1',
    ]) {
      const text = `{"seq":7,"at":"2026-11-15T19:24:12.123Z",${rest}`;
      expect(decodeLine(lineOf(text), SESSION_ID)).toMatchObject({
        kind: "entry",
        entry: { seq: 7, body: { op: "unknown", json: `${text}}` } },
      });
    }
  });

  test("a record of an unknown kind is never written anew", () => {
    const entry = { seq: 1, at: "2026-11-15T19:24:12.123Z", body: { op: "unknown", json: "{}" } } as const;
    expect(() => encodeEntry(entry, SESSION_ID)).toThrow(/never written anew/);
  });
});

describe("a header", () => {
  test("comes back as it was, whatever the key", () => {
    fc.assert(
      fc.property(anyText.filter(isKey), (key) => {
        for (const header of [
          { ...HEADER, key },
          { ...LATER_HEADER, key },
        ]) {
          expect(decodeHeader(withoutNewline(encodeHeader(header)))).toEqual({ kind: "header", header });
        }
      }),
    );
  });

  test("with an id, a key or a number that is not ours is none, though its checksum fits", () => {
    const decode = (fields: object): string => {
      const text = JSON.stringify({ longhand: 1, ...LATER_HEADER, version: undefined, ...fields });
      return decodeHeader(lineOf(text.slice(0, -1), "")).kind;
    };
    const [link] = LATER_HEADER.chain;
    const paths = fc.constantFrom("..", "/", ".", "\0", "\n", "é", "A", "0", SESSION_ID);
    const names = fc.array(paths, { maxLength: 27 }).map((parts) => parts.join(""));
    const strange = fc.oneof(anyText, names, fc.integer()).filter((id) => !isId(id));
    fc.assert(
      fc.property(strange, (id) => {
        expect(decode({ id })).toBe("bad");
        expect(decode({ chain: [{ ...link, session: id }] })).toBe("bad");
      }),
    );
    for (const key of ["", "a\0b", "x".repeat(1025), 5]) expect(decode({ key })).toBe("bad");
    for (const file of [-1, 1.5, 2 ** 52 + 1, 2 ** 53, "1"]) {
      expect(decode({ file })).toBe("bad");
      expect(decode({ chain: [{ ...link, file }] })).toBe("bad");
    }
    expect(decode({})).toBe("header");
  });

  test("never comes back different from a line with one flipped bit", () => {
    for (const flipped of singleBitFlips(withoutNewline(encodeHeader(HEADER)))) {
      expect(decodeHeader(flipped).kind).not.toBe("header");
    }
  });

  test("of a newer format is told from a damaged one", () => {
    expect(decodeHeader(Buffer.from('{"longhand":2,"whatever":true}'))).toEqual({
      kind: "too-new",
      version: 2,
    });
    expect(decodeHeader(Buffer.from("no header"))).toEqual({ kind: "bad", reason: { code: "no-header" } });
    expect(decodeHeader(Buffer.from('{"longhand":1}')).kind).toBe("bad");
    expect(decodeHeader(lineOf('{"longhand":1,"key":5,"id":"x","at":"x"', ""))).toEqual({
      kind: "bad",
      reason: { code: "header-fields" },
    });
  });
});

describe("the checksum", () => {
  test("depends on the salt and on the bytes, and is eight hexadecimal digits", () => {
    const bytes = Buffer.from("the same bytes");
    expect(checksum("a", bytes)).not.toBe(checksum("b", bytes));
    expect(checksum("a", bytes)).not.toBe(checksum("a", Buffer.from("other bytes!!!")));
    expect(checksum("a", "text")).toBe(checksum("a", Buffer.from("text")));
    fc.assert(
      fc.property(anyText, fc.uint8Array(), (salt, any) => /^[0-9a-f]{8}$/.test(checksum(salt, any))),
    );
  });

  test("is the CRC-32 of the salt followed by the bytes", () => {
    // The check value of CRC-32 is that of "123456789".
    expect(checksum("", "123456789")).toBe("cbf43926");
    expect(checksum("1234", "56789")).toBe("cbf43926");
  });
});

test("the text of a message is kept as it was written, to the byte", () => {
  const json = '{ "role" : "user","content":"x","content":"y","big":12345678901234567890,"n":1.0}';
  const entry = { seq: 1, at: "2026-11-15T19:24:12.123Z", body: { ...message(""), json } } as const;
  const line = encodeEntry(entry, SESSION_ID);
  const decoded = decodeLine(line.subarray(0, -1), SESSION_ID);
  expect(decoded.kind === "entry" && encodeEntry(decoded.entry, SESSION_ID).equals(line)).toBe(true);
});
