/** A dead writer's records belong to a key, not only to a session id: they are never replayed into, or laid over, the file of another key. */

import { beforeEach, expect, test } from "vitest";
import { jsonlBackend, openStore, type Damage, type Store } from "../../src/index.ts";
import { decodeHeader, encodeHeader } from "../../src/format/header.ts";
import type { Host } from "../../src/host/host.ts";
import { failingHost, SimulatedMachine } from "../../src/testing/index.ts";
import { landingFaults } from "../support/apply-faults.ts";
import { filesUnder } from "../support/built-store.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { DIRECTORY, readSimulatedFile } from "../support/simulated-store.ts";

const K = `${DIRECTORY}/k.jsonl`;
const J = `${DIRECTORY}/j.jsonl`;
const DAMAGED = `${DIRECTORY}/.longhand/damaged`;

async function open(host: Host, readOnly = false): Promise<{ store: Store; damage: Damage[] }> {
  const damage: Damage[] = [];
  const store = await openStore(jsonlBackend(DIRECTORY, { host }), {
    readOnly,
    onDamage: (found) => damage.push(found),
    onError: () => undefined,
  });
  return { store, damage };
}

async function put(host: Host, path: string, bytes: Buffer): Promise<void> {
  const directory = path.slice(0, path.lastIndexOf("/"));
  if ((await host.files.stat(directory)) === undefined) await host.files.makeDirectory(directory);
  const file = await host.files.open(path, "create");
  await file.write(bytes, 0);
  await file.sync();
  await file.close();
  await host.files.syncDirectory(directory);
}

let host: Host;
let id: string;
/** The file of "k" as it is without what the dead writer has acknowledged. */
let bytes: Buffer;

/** A session "k", and a copy of it as "j", with the same id; then a writer to `keys` that dies before anything is in the files. */
async function killWriterTo(...keys: readonly string[]): Promise<void> {
  const machine = new SimulatedMachine(5);
  const first = await open(machine.startProcess());
  await first.store.session("k").append(user("one"));
  id = (await first.store.session("k").state())?.id ?? "";
  await first.store.close();
  const disk = machine.startProcess();
  bytes = await readSimulatedFile(disk, K);
  const end = bytes.indexOf("\n");
  const decoded = decodeHeader(bytes.subarray(0, end));
  if (decoded.kind !== "header") throw new Error("no header");
  const header = encodeHeader({ ...decoded.header, key: "j" });
  await put(disk, J, Buffer.concat([header, bytes.subarray(end + 1)]));
  const writer = await open(failingHost(machine.startProcess(), landingFaults().plan));
  for (const key of keys) await writer.store.session(key).append(user(`said by ${key}`));
  host = machine.capture().afterKill().startProcess();
}

beforeEach(async () => {
  await killWriterTo("k");
});

test("without a file of their key they are kept aside and reported, and a repair puts them back once it is there", async () => {
  await host.files.unlink(K);
  const { store, damage } = await open(host);
  expect(await contentsOf(store.session("j"))).toEqual(["one"]);
  const kept = `${DAMAGED}/${id}.0.${bytes.length}.records`;
  expect(damage).toMatchObject([{ kept }]);
  expect((await filesUnder(host, DAMAGED)).get(kept.slice(DAMAGED.length + 1))?.toString()).toContain(
    '"name":"k.jsonl"',
  );
  expect((await store.verify()).damage).toMatchObject([{ file: kept, left: expect.any(String) as string }]);
  await store.repair();
  expect(await contentsOf(store.session("j"))).toEqual(["one"]);
  await store.close();
  await put(host, K, bytes);
  const again = await open(host);
  await again.store.repair();
  expect(await contentsOf(again.store.session("k"))).toEqual(["one", "said by k"]);
  expect(await contentsOf(again.store.session("j"))).toEqual(["one"]);
  await again.store.close();
});

test("without any file of the session they are kept aside in the same way", async () => {
  await host.files.unlink(K);
  await host.files.unlink(J);
  const { store, damage } = await open(host);
  expect(damage).toMatchObject([{ kept: `${DAMAGED}/${id}.0.${bytes.length}.records` }]);
  await store.close();
  await put(host, K, bytes);
  const again = await open(host);
  await again.store.repair();
  expect(await contentsOf(again.store.session("k"))).toEqual(["one", "said by k"]);
  await again.store.close();
});

test("an archived file of their key is found by the key in its header", async () => {
  await put(host, `${DIRECTORY}/archive/k.${id}.jsonl`, bytes);
  await host.files.unlink(K);
  const { store } = await open(host);
  expect(await contentsOf(store.session("j"))).toEqual(["one"]);
  const [, archived] = await readAll(store);
  expect(archived).toEqual(["one", "said by k"]);
  await store.close();
});

/** What "j" shows, and what "k" shows wherever it lies. */
async function readAll(store: Store): Promise<readonly [string[], string[]]> {
  return [await contentsOf(store.session("j")), await contentsOf(store.session("k"))];
}

test("a reader lays them over the file of their key only", async () => {
  const { store } = await open(host, true);
  expect(await readAll(store)).toEqual([["one"], ["one", "said by k"]]);
  await store.close();
});

test("a reader without a file of their key shows them nowhere", async () => {
  await host.files.unlink(K);
  const { store } = await open(host, true);
  expect(await readAll(store)).toEqual([["one"], []]);
  await store.close();
});

test("a writer to both keys that dies has each record replayed into its own file", async () => {
  await killWriterTo("k", "j");
  const { store } = await open(host);
  expect(await readAll(store)).toEqual([
    ["one", "said by j"],
    ["one", "said by k"],
  ]);
  await store.close();
});
