/** Promise 3 and 4 through the public face: a flipped bit at every byte of a session, found, mended, and nothing else lost. */

import { expect, test } from "vitest";
import { jsonlBackend, openStore, type SessionRecord } from "../../src/index.ts";
import { recordsOf, user } from "../support/conversation.ts";
import { closedStore, DIRECTORY, readSimulatedFile, writeSimulatedFile } from "../support/simulated-store.ts";

const KEY = "a";
const PATH = `${DIRECTORY}/a.jsonl`;
const NEWLINE = 0x0a;

interface Outcome {
  readonly verified: readonly { readonly offset: number; readonly bytes: number }[];
  readonly records: readonly SessionRecord[];
  readonly seq: number;
}

function lineStarts(bytes: Buffer): number[] {
  return [0, ...[...bytes.keys()].filter((index) => bytes[index] === NEWLINE).map((index) => index + 1)];
}

test("a flipped bit at every byte", async () => {
  const capture = await closedStore(async (store) => {
    const session = store.session(KEY);
    await session.append(user("one"));
    await session.append([user("two"), user("three")]);
    await session.setTitle("a title");
    await session.append(user("five"));
  });
  const good = await readSimulatedFile(capture.afterKill().startProcess(), PATH);
  const wrong: string[] = [];
  const whole = await spoilAndRepair(good);
  expect(whole.verified).toEqual([]);
  const starts = lineStarts(good);
  for (let at = 0; at < good.length; at++) {
    const bytes = Buffer.from(good);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
    const { verified, records, seq } = await spoilAndRepair(bytes);
    const line = starts.findLastIndex((start) => start <= at);
    const isNewline = good[at] === NEWLINE;
    const expected = whole.records.filter((record) => record.seq !== line || isNewline);
    const isNamed = verified.some(({ offset, bytes: length }) => at >= offset && at < offset + length);
    // A new newline in the last record makes two lines of it: a seq too many.
    const seqs = bytes[at] === NEWLINE && line === 5 ? [6, 7] : [6];
    if (!isNamed) wrong.push(`byte ${at}: verify reports ${JSON.stringify(verified)}`);
    if (JSON.stringify(records) !== JSON.stringify(expected))
      wrong.push(`byte ${at}: records ${records.map((record) => record.seq).join()}`);
    if (!seqs.includes(seq)) wrong.push(`byte ${at}: the next seq is ${seq}`);
  }
  expect(wrong).toEqual([]);

  async function spoilAndRepair(bytes: Buffer): Promise<Outcome> {
    const machine = capture.afterKill();
    await writeSimulatedFile(machine.startProcess(), PATH, bytes);
    const silent = { onDamage: () => undefined, onError: () => undefined };
    const reader = await openStore(jsonlBackend(DIRECTORY, { host: machine.startProcess() }), {
      ...silent,
      readOnly: true,
    });
    const { damage } = await reader.verify();
    await reader.close();
    const store = await openStore(jsonlBackend(DIRECTORY, { host: machine.startProcess() }), silent);
    await store.repair();
    const left = (await store.verify()).damage;
    if (left.length > 0) wrong.push(`after repair: ${JSON.stringify(left)}`);
    const session = store.session(KEY);
    const records = await recordsOf(session);
    expect((await session.state())?.damaged).toBe(0);
    const { seq } = await session.append(user("after"));
    await store.close();
    return { verified: damage, records, seq };
  }
});

test("a session whose header is damaged is mended also after somebody has tried to use it", async () => {
  const capture = await closedStore(async (store) => {
    await store.session(KEY).append(user("one"));
  });
  const machine = capture.afterKill();
  const bytes = await readSimulatedFile(machine.startProcess(), PATH);
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  await writeSimulatedFile(machine.startProcess(), PATH, bytes);
  const silent = { onDamage: () => undefined, onError: () => undefined };
  const store = await openStore(jsonlBackend(DIRECTORY, { host: machine.startProcess() }), silent);
  await expect(store.session(KEY).append(user("two"))).rejects.toMatchObject({ code: "SESSION_DAMAGED" });
  expect((await store.repair()).damage).toHaveLength(1);
  expect(await store.session(KEY).append(user("two"))).toEqual({ seq: 2 });
  await store.close();
});
