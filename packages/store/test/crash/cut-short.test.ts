/**
 * Sealing, forking, dropping and deleting for ever, killed after every operation. What is left half done loses nothing,
 * so verify calls none of it damage; and once the store was opened again, nothing is left of a session that nobody has.
 */

import { expect, test } from "vitest";
import { openStore, type Store } from "../../src/index.ts";
import { jsonlBackend } from "../../src/backends/jsonl/jsonl-backend.ts";
import type { Host } from "../../src/host/host.ts";
import { SimulatedMachine, type Capture } from "../../src/testing/simulated-machine.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { readSimulatedFile, writeSimulatedFile } from "../support/simulated-store.ts";

const DIRECTORY = "/store";

interface Moment {
  readonly operation: string;
  readonly capture: Capture;
}

async function open(host: Host, readOnly = false): Promise<Store> {
  const backend = jsonlBackend(DIRECTORY, { host, segmentBytes: 400 });
  return await openStore(backend, { readOnly, onDamage: () => undefined });
}

async function run(work: (store: Store) => Promise<unknown>): Promise<Moment[]> {
  const machine = new SimulatedMachine(11);
  const moments: Moment[] = [];
  const store = await open(machine.startProcess());
  for (let round = 1; round <= 3; round++)
    await store.session("a").append(user(`${round} ${"x".repeat(150)}`));
  machine.onOperation(({ operation, path, changedDisk }) => {
    if (changedDisk) moments.push({ operation: `${operation} ${path}`, capture: machine.capture() });
  });
  await work(store);
  await store.close();
  return moments;
}

/** `undefined`: nothing is called damage, and nothing is left of sessions that are not there. */
async function findViolation(
  machine: SimulatedMachine,
  spoil = (host: Host): Host => host,
): Promise<string | undefined> {
  const host = machine.startProcess();
  const reader = await open(host, true);
  const [seen] = (await reader.verify()).damage;
  if (seen !== undefined) return `a reader calls it damage: ${seen.file}: ${seen.reason}`;
  await reader.close();
  const store = await open(spoil(host));
  const ids = new Set<string>();
  for await (const { id } of store.list({ status: "any" })) ids.add(id);
  const [damage] = (await store.verify()).damage;
  await store.close();
  if (damage !== undefined) return `damage: ${damage.file}: ${damage.reason}`;
  for (const name of await namesIn(host, `${DIRECTORY}/segments`)) {
    if (!ids.has(name) && (await namesIn(host, `${DIRECTORY}/segments/${name}`)).length > 0)
      return `left over: ${DIRECTORY}/segments/${name}`;
  }
  return undefined;
}

async function namesIn(host: Host, directory: string): Promise<string[]> {
  try {
    return await host.files.readDirectory(directory);
  } catch {
    return [];
  }
}

async function firstViolation(
  moments: readonly Moment[],
  spoil?: (host: Host) => Host,
): Promise<string | undefined> {
  for (const { operation, capture } of moments) {
    for (const machine of [capture.afterKill(), ...capture.afterPowerLoss({ limit: 12 })]) {
      const story = machine.describe();
      const violation = await findViolation(machine, spoil);
      if (violation !== undefined) return `after ${operation}: ${violation}\n${story}`;
    }
  }
  return undefined;
}

/** The first makes it long enough, the second finds that it is. */
async function sealOnce(store: Store): Promise<void> {
  await store.session("a").append(user("y".repeat(300)));
  await store.session("a").append(user("z"));
}

const WORK: readonly (readonly [string, (store: Store) => Promise<unknown>])[] = [
  ["sealing", sealOnce],
  ["forking", async (store) => await store.session("a").fork("b")],
  ["dropping", async (store) => await store.reclaim({ drop: { before: 3 } })],
  ["deleting for ever", async (store) => await store.session("a").delete({ forever: true })],
  [
    "emptying the trash",
    async (store) => {
      await store.session("a").delete();
      await store.purge();
    },
  ],
];

test.each(WORK)("%s, cut short", async (_, work) => {
  const moments = await run(work);
  expect(moments.length).toBeGreaterThan(5);
  expect(await firstViolation(moments)).toBeUndefined();
});

/** The moment in which the file has its sealed name, and is still the active one. */
async function sealCutShort(): Promise<Capture> {
  const moments = await run(sealOnce);
  const moment = moments.find(({ operation }) => operation.startsWith(`link ${DIRECTORY}/a.jsonl`));
  if (moment === undefined) throw new Error("nothing was sealed");
  return moment.capture;
}

test("a sealed name of the active file goes when the session is opened for writing", async () => {
  const host = (await sealCutShort()).afterKill().startProcess();
  const store = await openStore(jsonlBackend(DIRECTORY, { host }));
  const id = (await store.session("a").state())?.id ?? "";
  const before = await namesIn(host, `${DIRECTORY}/segments/${id}`);
  await store.session("a").setTitle("opened, and not long enough to be sealed");
  const gone = before.length - (await namesIn(host, `${DIRECTORY}/segments/${id}`)).length;
  expect(gone).toBe(1);
  expect((await store.verify()).damage).toEqual([]);
  expect(await contentsOf(store.session("a"))).toHaveLength(3);
  await store.close();
});

test("after a repair that was itself cut short, what an unfinished seal has left is not called damage", async () => {
  const machine = (await sealCutShort()).afterKill();
  const host = machine.startProcess();
  // What the journal holds would be written over the damage.
  await (await open(host)).close();
  const path = `${DIRECTORY}/a.jsonl`;
  const bytes = await readSimulatedFile(host, path);
  bytes[bytes.length - 40] = (bytes[bytes.length - 40] ?? 0) ^ 1;
  await writeSimulatedFile(host, path, bytes);
  const moments: Moment[] = [];
  machine.onOperation(({ operation, path, changedDisk }) => {
    if (changedDisk) moments.push({ operation: `${operation} ${path}`, capture: machine.capture() });
  });
  const store = await open(host);
  expect((await store.repair()).damage.map(({ file }) => file)).toEqual([path]);
  await store.close();
  for (const { operation, capture } of moments) {
    const again = await open(capture.afterKill().startProcess());
    const strange = (await again.verify()).damage.filter(({ file }) => file !== path);
    expect(strange, operation).toEqual([]);
    await again.close();
  }
});
