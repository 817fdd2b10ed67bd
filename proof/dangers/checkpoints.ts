/**
 * A checkpoint says nothing that the records before it do not: each byte of one is changed in turn, and the session must
 * show the same state, the damage told.
 */

import { isDeepStrictEqual } from "node:util";
import { jsonlBackend, openStore } from "@longhand/store";
import { SimulatedMachine, type Host } from "@longhand/store/testing";
import { Violation } from "../part.ts";
import { DIRECTORY, KEY } from "./told-writes.ts";

const FILE = `${DIRECTORY}/${KEY}.jsonl`;
/** So small that the second file of the session begins with what the first has led to. */
const SEGMENT_BYTES = 400;

export async function searchCheckpoints(): Promise<number> {
  const machine = new SimulatedMachine(1);
  const store = await openStore(
    jsonlBackend(DIRECTORY, { host: machine.startProcess(), segmentBytes: SEGMENT_BYTES }),
  );
  const session = store.session(KEY);
  for (const content of ["one", "two", "three"]) await session.append({ role: "user", content });
  await session.setSummary("so far");
  await session.append({ role: "user", content: "four" });
  await store.close();
  const whole = machine.capture();
  const right = await stateOf(whole.afterKill().startProcess());
  const { bytes, from, to } = await findCheckpoint(machine.startProcess());
  for (let at = from; at < to; at++) {
    for (const bit of [1, 4]) {
      const spoiled = whole.afterKill();
      const file = await spoiled.startProcess().files.open(FILE, "write");
      await file.write(Buffer.from([(bytes[at] ?? 0) ^ bit]), at);
      const found = await stateOf(spoiled.startProcess());
      if (isDeepStrictEqual(found.state, right.state) && found.isDamaged) continue;
      throw new Violation(
        `byte ${at} of ${FILE}, in a checkpoint, was changed: the state is ${JSON.stringify(found.state)}, not ` +
          `${JSON.stringify(right.state)}, and damage was ${found.isDamaged ? "" : "not "}reported`,
      );
    }
  }
  return 2 * (to - from);
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
