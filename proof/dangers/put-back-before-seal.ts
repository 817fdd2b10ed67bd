/**
 * An older version of a session's file is put back into a closed store, from before or between its seals, so that the chain no longer names
 * sealed files that are there. Then each operation that seals or compresses. Every record that was in a sealed file is still in one, or
 * kept aside, and verify names each sealed file that the chain does not.
 */

import { isLonghandError, jsonlBackend, openStore, type Store } from "@longhand/store";
import { SimulatedMachine, type Capture, type Host } from "@longhand/store/testing";
import { alteredHost } from "../altered-host.ts";
import { filesUnder, putFile } from "../damage/simulated-files.ts";
import { contentOf } from "../edits/line-files.ts";
import { Violation } from "../part.ts";
import { DIRECTORY, KEY } from "./told-writes.ts";

const FILE = `${DIRECTORY}/${KEY}.jsonl`;
/** So small that an append after a few others seals the file. */
const SMALL_BYTES = 300;
const LARGE_BYTES = 1024 * 1024;

type Step = (store: Store) => Promise<unknown>;

const seal: Step = async (store) => await store.reclaim({ seal: true });
const compress: Step = async (store) => await store.reclaim();
const fork: Step = async (store) => await store.session(KEY).fork("child");
const append =
  (content: string): Step =>
  async (store) =>
    await store.session(KEY).append({ role: "user", content });

interface Course {
  /** How long a file may become. */
  readonly segmentBytes: number;
  readonly steps: readonly Step[];
}

/** What has happened to the session before a version of its file is put back. */
const HISTORIES: Readonly<Record<string, Course>> = {
  "sealed and compressed": {
    segmentBytes: LARGE_BYTES,
    steps: [append("one"), append("two"), seal, append("three")],
  },
  "sealed twice": {
    segmentBytes: LARGE_BYTES,
    steps: [append("one"), append("two"), seal, append("three"), seal, append("four")],
  },
  "sealed, and shared with a fork": {
    segmentBytes: LARGE_BYTES,
    steps: [append("one"), append("two"), fork, seal, append("three")],
  },
  "sealed since it was long, and not compressed": {
    segmentBytes: SMALL_BYTES,
    steps: ["one", "two", "three", "four"].map(append),
  },
};

const WORDS = ["five", "six", "seven", "eight"];
const appends = WORDS.map(append);

/** What is done afterwards. */
const SEQUELS: Readonly<Record<string, Course>> = {
  "sealed on request": { segmentBytes: LARGE_BYTES, steps: [append("five"), seal] },
  "sealed twice": { segmentBytes: LARGE_BYTES, steps: [append("five"), seal, append("six"), seal] },
  "sealed since it is long": { segmentBytes: SMALL_BYTES, steps: [...appends, compress] },
  "compressed only": { segmentBytes: LARGE_BYTES, steps: [compress] },
  "repaired and sealed": {
    segmentBytes: LARGE_BYTES,
    steps: [async (store) => await store.repair(), append("five"), seal, append("six"), seal],
  },
};

/** `spoil`: what is wrong with the host of the store that goes on. Answers with how many moments there were. */
export async function searchPutBacksBeforeSeals(
  spoil: (host: Host) => Host = (host) => host,
): Promise<number> {
  let moments = 0;
  for (const [history, course] of Object.entries(HISTORIES)) {
    const { versions, capture } = await happened(course);
    for (const [index, version] of versions.entries()) {
      for (const [sequel, { segmentBytes, steps: then }] of Object.entries(SEQUELS)) {
        const what = `a session that was ${history}, its file put back as it was after step ${index + 1}, then ${sequel}`;
        await judge(capture, version, segmentBytes, then, what, spoil);
        moments++;
      }
    }
  }
  return moments;
}

interface Happened {
  /** The active file after each step but the last. */
  readonly versions: readonly Buffer[];
  readonly capture: Capture;
}

async function happened({ segmentBytes, steps }: Course): Promise<Happened> {
  const machine = new SimulatedMachine(1);
  const versions: Buffer[] = [];
  for (const step of steps) {
    const store = await open(machine.startProcess(), segmentBytes);
    await step(store);
    await store.close();
    const files = await filesUnder(machine.startProcess(), DIRECTORY);
    versions.push(files.find(({ path }) => path === FILE)?.bytes ?? Buffer.alloc(0));
  }
  return { versions: versions.slice(0, -1), capture: machine.capture() };
}

async function judge(
  capture: Capture,
  version: Buffer,
  segmentBytes: number,
  steps: readonly Step[],
  what: string,
  spoil: (host: Host) => Host,
): Promise<void> {
  const machine = capture.afterKill();
  const host = machine.startProcess();
  await putFile(host, FILE, version);
  const before = await recordsIn(host, (path) => path.includes("/segments/"));
  const outcomes: string[] = [];
  const store = await open(spoil(machine.startProcess()), segmentBytes);
  for (const step of steps) outcomes.push(await step(store).then(() => "done", refusal));
  await store.close();
  const after = await recordsIn(host, () => true);
  const gone = [...before].filter((line) => !after.has(line));
  const fail = (wrong: string): never => {
    throw new Violation(`${what} (${outcomes.join(", ")}): ${wrong}\n${machine.describe()}`);
  };
  if (gone.length > 0) fail(`${gone.length} records of sealed files are nowhere: ${gone.join("")}`);
  const reader = await open(machine.startProcess(), segmentBytes, true);
  const { damage } = await reader.verify();
  const served = new Set<string>();
  for (const key of [KEY, "child"])
    for await (const record of reader.session(key).records()) served.add(JSON.stringify(record));
  await reader.close();
  const sealed = await recordsIn(host, (path) => path.includes("/segments/"));
  const isServed = (line: string): boolean => [...served].some((record) => record.includes(contentIn(line)));
  const hidden = [...sealed].filter((line) => !isServed(line));
  if (hidden.length > 0 && damage.length === 0)
    fail(`sealed records are not served, and verify does not say so: ${hidden.join("")}`);
}

const contentIn = (line: string): string => /"content":"[^"]*"/.exec(line)?.[0] ?? line;

/** The lines of records in these files, unpacked. */
async function recordsIn(host: Host, isWanted: (path: string) => boolean): Promise<Set<string>> {
  const found = new Set<string>();
  for (const { path, bytes } of await filesUnder(host, DIRECTORY)) {
    if (!isWanted(path) || !path.includes(".jsonl")) continue;
    for (const line of contentOf(bytes).toString().split("\n"))
      if (line.startsWith('{"seq":')) found.add(line);
  }
  return found;
}

/** The control: a store that looks for a plain sealed file only. */
export function withoutCompressed(host: Host): Host {
  return alteredHost(host, (files) => ({
    stat: async (path) => (path.endsWith(".gz") ? undefined : await files.stat(path)),
  }));
}

async function open(host: Host, segmentBytes: number, readOnly = false): Promise<Store> {
  return await openStore(jsonlBackend(DIRECTORY, { host, segmentBytes }), {
    readOnly,
    onDamage: () => undefined,
    onError: () => undefined,
  });
}

function refusal(error: unknown): string {
  if (isLonghandError(error)) return error.code;
  throw error;
}
