/**
 * A checkpoint says nothing that the records before it do not: each byte of one is changed in turn, and the session must
 * show the same state, the damage told.
 */

import { isDeepStrictEqual } from "node:util";
import { jsonlBackend, openStore } from "@longhand/store";
import { SimulatedMachine, type Capture, type Host } from "@longhand/store/testing";
import { forge } from "../bit-flips/forged-line.ts";
import { Violation } from "../part.ts";
import { DIRECTORY, KEY } from "./told-writes.ts";

const FILE = `${DIRECTORY}/${KEY}.jsonl`;
/** So small that the second file of the session begins with what the first has led to. */
const SEGMENT_BYTES = 400;

export async function searchCheckpoints(): Promise<number> {
  const sample = await makeSample();
  const { bytes, from, to } = sample;
  for (let at = from; at < to; at++) {
    for (const bit of [1, 4]) {
      const spoiled = Buffer.from(bytes);
      spoiled[at] = (bytes[at] ?? 0) ^ bit;
      await judge(sample, spoiled, `byte ${at}`);
    }
  }
  return 2 * (to - from);
}

/** The control: a checkpoint that says something else, with the checksum that belongs to it. No store can see that. */
export async function judgeForgedCheckpoint(): Promise<void> {
  const sample = await makeSample();
  const { bytes, from, id } = sample;
  const [words = "", digit = ""] = /"count":([0-9])/.exec(bytes.toString("latin1", from)) ?? [];
  const forged = Buffer.concat([
    bytes.subarray(0, from),
    forge(bytes.subarray(from), words, `"count":${(Number(digit) + 5) % 10}`, id),
  ]);
  await judge(sample, forged, "the count");
}

interface Sample {
  readonly whole: Capture;
  readonly id: string;
  readonly right: unknown;
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

async function makeSample(): Promise<Sample> {
  const machine = new SimulatedMachine(1);
  const store = await openStore(
    jsonlBackend(DIRECTORY, { host: machine.startProcess(), segmentBytes: SEGMENT_BYTES }),
  );
  const session = store.session(KEY);
  for (const content of ["one", "two", "three"]) await session.append({ role: "user", content });
  await session.setSummary("so far");
  await session.append({ role: "user", content: "four" });
  const { id = "" } = (await session.state()) ?? {};
  await store.close();
  const whole = machine.capture();
  const { state: right } = await stateOf(whole.afterKill().startProcess());
  return { whole, id, right, ...(await findCheckpoint(machine.startProcess())) };
}

async function judge({ whole, right }: Sample, bytes: Buffer, what: string): Promise<void> {
  const spoiled = whole.afterKill();
  const file = await spoiled.startProcess().files.open(FILE, "write");
  await file.write(bytes, 0);
  const { state, isDamaged } = await stateOf(spoiled.startProcess());
  if (isDeepStrictEqual(state, right) && isDamaged) return;
  throw new Violation(
    `${what} of ${FILE}, in a checkpoint, was changed: the state is ${JSON.stringify(state)}, not ` +
      `${JSON.stringify(right)}, and damage was ${isDamaged ? "" : "not "}reported`,
  );
}

async function stateOf(host: Host): Promise<{ readonly state: unknown; readonly isDamaged: boolean }> {
  let isDamaged = false;
  const store = await openStore(jsonlBackend(DIRECTORY, { host }), {
    readOnly: true,
    onDamage: () => (isDamaged = true),
  });
  const state = await store.session(KEY).state();
  const messages = await store.session(KEY).messages();
  const { seq, count, summary } = state ?? {};
  return { state: { seq, count, summary, messages }, isDamaged };
}

async function findCheckpoint({ files }: Host): Promise<{ bytes: Buffer; from: number; to: number }> {
  const file = await files.open(FILE, "read");
  const bytes = Buffer.alloc((await file.stat()).size);
  await file.read(bytes, 0);
  const from = bytes.indexOf('{"checkpoint":');
  if (from === -1) throw new Error(`${FILE} has no checkpoint`);
  return { bytes, from, to: bytes.indexOf("\n", from) };
}
