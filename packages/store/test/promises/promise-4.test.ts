/** No wrong data: every single bit of a session file is flipped, and one of every byte of a journal. */

import { inspect, isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { isLonghandError, type SessionRecord, type Store } from "../../src/index.ts";
import { user } from "../support/conversation.ts";
import {
  closedStore,
  DIRECTORY,
  journalIn,
  readRecords,
  readSimulatedFile,
  unappliedStore,
  writeSimulatedFile,
  type Reading,
} from "../support/simulated-store.ts";
import { lineOffsets } from "../support/store-files.ts";

const KEY = "a";
const PATH = `${DIRECTORY}/a.jsonl`;
const HEAD_BYTES = 8192;

async function write(store: Store): Promise<void> {
  const session = store.session(KEY);
  await session.append(user("12 dollars"));
  await session.append([user("pay"), user("me")]);
  await session.truncate({ keepLast: 2 });
}

function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return copy;
}

/** Everything that is returned is as it was written, in order. */
function isUnchanged(records: readonly SessionRecord[], truth: readonly SessionRecord[]): boolean {
  const expected = truth.filter(({ seq }) => records.some((record) => record.seq === seq));
  return isDeepStrictEqual(records, expected);
}

/** `undefined`: each record is served as it was written, or lies in a place that was named. */
function findWrong(
  { records, damage, error }: Reading,
  truth: readonly SessionRecord[],
  starts: readonly number[],
  byte: number,
): string | undefined {
  if (error !== undefined) {
    const isTyped = isLonghandError(error, "SESSION_DAMAGED") || isLonghandError(error, "FORMAT_TOO_NEW");
    // The header is the first line, with its newline.
    return isTyped && byte < (starts[1] ?? 0) ? undefined : `failed: ${inspect(error)}`;
  }
  if (!isUnchanged(records, truth)) return `changed: ${JSON.stringify(records)}`;
  if (damage.length === 0) return "nothing was reported";
  const lost = truth.filter(({ seq }) => !records.some((record) => record.seq === seq));
  const unnamed = lost.filter(({ seq }) => {
    const start = starts[seq] ?? -1;
    return !damage.some(({ offset, bytes }) => start >= offset && start < offset + bytes);
  });
  return unnamed.length === 0 ? undefined : `lost without a word: ${JSON.stringify(unnamed)}`;
}

/** What a reader would return that only parses: no checksum. */
function readWithoutChecksum(bytes: Buffer): unknown[] {
  return bytes
    .toString("utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        const { message } = JSON.parse(line) as { message?: unknown };
        return message === undefined ? [] : [message];
      } catch {
        return [];
      }
    });
}

describe("promise 4: no wrong data", () => {
  test("whatever bit of a session file is flipped, no changed record is returned, and it is named", async () => {
    const capture = await closedStore(write);
    const host = capture.afterKill().startProcess();
    const bytes = await readSimulatedFile(host, PATH);
    const { records: truth } = await readRecords(host, KEY, false);
    expect(truth).toHaveLength(4);
    const starts = lineOffsets(bytes);
    const wrong: string[] = [];
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const spoiled = flipped(bytes, bit);
      const writer = capture.afterKill().startProcess();
      await writeSimulatedFile(writer, PATH, spoiled);
      // A reader may not call a tail torn, so it is only held to what it returns; one bit a byte, for the time it takes.
      if (bit % 8 === (bit >> 3) % 8) {
        const { records } = await readRecords(writer, KEY, true);
        if (!isUnchanged(records, truth)) wrong.push(`bit ${bit}: a reader got ${JSON.stringify(records)}`);
      }
      const problem = findWrong(await readRecords(writer, KEY, false), truth, starts, bit >> 3);
      if (problem !== undefined) wrong.push(`bit ${bit}: ${problem}`);
    }
    expect(wrong.slice(0, 3)).toEqual([]);
  });

  test("control: a reader without the checksum returns changed messages in hundreds of cases", async () => {
    const capture = await closedStore(write);
    const bytes = await readSimulatedFile(capture.afterKill().startProcess(), PATH);
    const truth = readWithoutChecksum(bytes);
    expect(truth).toEqual([user("12 dollars"), user("pay"), user("me")]);
    let changed = 0;
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const read = readWithoutChecksum(flipped(bytes, bit));
      if (read.some((message) => !truth.some((each) => isDeepStrictEqual(each, message)))) changed += 1;
    }
    expect(changed).toBeGreaterThan(200);
  });

  describe("whatever byte of a journal is flipped, what is laid over the files is a prefix, unchanged, and it is named", () => {
    test.each([
      ["a writer, which replays it", false],
      ["a reader", true],
    ])("by %s", async (_, readOnly) => {
      const capture = await unappliedStore(write);
      const host = capture.afterKill().startProcess();
      const journal = await journalIn(host);
      const bytes = await readSimulatedFile(host, journal);
      const { records: truth } = await readRecords(host, KEY, false);
      expect(truth).toHaveLength(4);
      const lastBlock = bytes.lastIndexOf('{"generation":');
      // The head of generation 1 is the second copy; the rest of the two pages is filled with spaces.
      const headStart = HEAD_BYTES / 2;
      const headEnd = bytes.indexOf("\n") + 1;
      const wrong: string[] = [];
      for (let byte = headStart; byte < bytes.length; byte = byte + 1 === headEnd ? HEAD_BYTES : byte + 1) {
        const machine = capture.afterKill().startProcess();
        await writeSimulatedFile(machine, journal, flipped(bytes, byte * 8 + (byte % 8)));
        const { records, damage, error } = await readRecords(machine, KEY, readOnly);
        if (error !== undefined || !isDeepStrictEqual(records, truth.slice(0, records.length)))
          wrong.push(`byte ${byte}: ${inspect(error)} ${JSON.stringify(records)}`);
        // The last block cannot be told from one that a crash has cut short.
        const mayBeSilent = byte >= lastBlock || records.length === truth.length;
        if (!mayBeSilent && damage.length === 0)
          wrong.push(
            `byte ${byte}: ${truth.length - records.length} records were lost, and nothing was reported`,
          );
      }
      expect(wrong.slice(0, 3)).toEqual([]);
    });
  });
});
