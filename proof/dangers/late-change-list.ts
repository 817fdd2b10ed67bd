/** The changes of names in which a living instance may be stopped, each with the store that it needs. */

import { jsonlBackend, openStore, type Store } from "@longhand/store";
import type { SimulatedMachine } from "@longhand/store/testing";
import { DIRECTORY, KEY } from "./told-writes.ts";

export interface Change {
  /** Answers with what was acknowledged. */
  readonly prepare: (machine: SimulatedMachine) => Promise<readonly string[]>;
  readonly perform: (store: Store) => Promise<unknown>;
  /** Of the store that performs it. */
  readonly segmentBytes: number;
  /** What was there before may be gone: that is what it was asked for. */
  readonly isDestructive?: boolean;
  /** What it was prepared with is damage, before and perhaps after it. */
  readonly leavesDamage?: boolean;
}

/** Whoever has this seals the file before each of his appends. */
const ALWAYS = 1;
const NEVER = 1_000_000;
const FILE = `${DIRECTORY}/${KEY}.jsonl`;

const late = async (store: Store): Promise<unknown> =>
  await store.session(KEY).append({ role: "user", content: "late" });

export const CHANGES: Readonly<Record<string, Change>> = {
  "creates a session": { prepare: nothing, perform: late, segmentBytes: NEVER },
  "seals it": { prepare: written(NEVER), perform: late, segmentBytes: ALWAYS },
  "takes back a seal that was cut short": { prepare: halfSealed, perform: late, segmentBytes: NEVER },
  "seals what was half sealed": { prepare: halfSealed, perform: late, segmentBytes: ALWAYS },
  "cuts a torn tail": { prepare: torn, perform: late, segmentBytes: NEVER, leavesDamage: true },
  "archives it": {
    prepare: written(NEVER),
    perform: async (store) => await store.session(KEY).archive(),
    segmentBytes: NEVER,
  },
  "brings it back": {
    prepare: written(NEVER, async (store) => await store.session(KEY).archive()),
    perform: async (store) => await store.session(KEY).restore(),
    segmentBytes: NEVER,
  },
  "deletes it": {
    prepare: written(ALWAYS),
    perform: async (store) => await store.session(KEY).delete(),
    segmentBytes: NEVER,
  },
  "deletes it for ever": {
    prepare: written(ALWAYS),
    perform: async (store) => await store.session(KEY).delete({ forever: true }),
    segmentBytes: NEVER,
    isDestructive: true,
  },
  "purges the trash": {
    prepare: written(ALWAYS, async (store) => await store.session(KEY).delete()),
    perform: async (store) => await store.purge({ before: new Date("2100-01-01") }),
    segmentBytes: NEVER,
    isDestructive: true,
  },
  "forks it": {
    prepare: written(ALWAYS),
    perform: async (store) => await store.session(KEY).fork("b"),
    segmentBytes: NEVER,
  },
  "compresses its segments": {
    prepare: written(ALWAYS),
    perform: async (store) => await store.reclaim(),
    segmentBytes: NEVER,
  },
  "drops its segments": {
    prepare: written(ALWAYS),
    perform: async (store) => await store.reclaim({ drop: { before: new Date("2100-01-01") } }),
    segmentBytes: NEVER,
    isDestructive: true,
  },
  "seals it on request": {
    prepare: written(NEVER),
    perform: async (store) => await store.reclaim({ seal: true }),
    segmentBytes: NEVER,
  },
  "repairs a sealed file": {
    prepare: flippedInSegment,
    perform: async (store) => await store.repair(),
    segmentBytes: NEVER,
    isDestructive: true,
    leavesDamage: true,
  },
  "repairs it": {
    prepare: flipped,
    perform: async (store) => await store.repair(),
    segmentBytes: NEVER,
    isDestructive: true,
    leavesDamage: true,
  },
};

async function nothing(): Promise<readonly string[]> {
  return await Promise.resolve([]);
}

/** Three messages; with ALWAYS each in a file of its own. */
function written(
  segmentBytes: number,
  then: (store: Store) => Promise<void> = async () => await Promise.resolve(),
): Change["prepare"] {
  return async (machine) => {
    const host = machine.startProcess();
    const store = await openStore(jsonlBackend(DIRECTORY, { host, segmentBytes }), {
      onError: () => undefined,
    });
    const texts = ["one", "two", "three"];
    for (const content of texts) await store.session(KEY).append({ role: "user", content });
    await then(store);
    await store.close();
    return texts;
  };
}

async function halfSealed(machine: SimulatedMachine): Promise<readonly string[]> {
  const texts = await written(NEVER)(machine);
  const { files } = machine.startProcess();
  const { id } = JSON.parse((await firstLine(machine, FILE)).toString()) as { readonly id: string };
  await files.makeDirectory(`${DIRECTORY}/segments`);
  await files.makeDirectory(`${DIRECTORY}/segments/${id}`);
  await files.link(FILE, `${DIRECTORY}/segments/${id}/0.jsonl`);
  for (const path of ["", "/segments", `/segments/${id}`]) await files.syncDirectory(`${DIRECTORY}${path}`);
  return texts;
}

async function torn(machine: SimulatedMachine): Promise<readonly string[]> {
  const texts = await written(NEVER)(machine);
  const file = await machine.startProcess().files.open(FILE, "write");
  const bytes = Buffer.from('{"seq":4,"at":"2026');
  await file.write(bytes, (await file.stat()).size);
  await file.sync();
  return texts;
}

async function flipped(machine: SimulatedMachine): Promise<readonly string[]> {
  const texts = await written(NEVER)(machine);
  await flipMessage(machine, FILE);
  return texts;
}

async function flippedInSegment(machine: SimulatedMachine): Promise<readonly string[]> {
  const texts = await written(ALWAYS)(machine);
  const { id } = JSON.parse((await firstLine(machine, FILE)).toString()) as { readonly id: string };
  await flipMessage(machine, `${DIRECTORY}/segments/${id}/0.jsonl`);
  return texts;
}

/** In the second line, the first message. */
async function flipMessage(machine: SimulatedMachine, path: string): Promise<void> {
  const file = await machine.startProcess().files.open(path, "write");
  await file.write(Buffer.from("X"), (await firstLine(machine, path)).length + 30);
  await file.sync();
}

async function firstLine(machine: SimulatedMachine, path: string): Promise<Buffer> {
  const file = await machine.startProcess().files.open(path, "read");
  const bytes = Buffer.alloc((await file.stat()).size);
  await file.read(bytes, 0);
  return bytes.subarray(0, bytes.indexOf("\n"));
}
