/** Stores on a disk in memory: fast enough to be opened thousands of times, each time with another damage. */

import { jsonlBackend, openStore, type Damage, type SessionRecord, type Store } from "../../src/index.ts";
import type { Host } from "../../src/host/host.ts";
import { failingHost, SimulatedMachine, type Capture } from "../../src/testing/index.ts";
import { recordsOf } from "./conversation.ts";
import { landingFaults } from "./apply-faults.ts";

export const DIRECTORY = "/store";

/** The disk after `write`, closed cleanly. */
export async function closedStore(write: (store: Store) => Promise<unknown>): Promise<Capture> {
  const machine = new SimulatedMachine(5);
  const store = await openStore(jsonlBackend(DIRECTORY, { host: machine.startProcess() }));
  await write(store);
  await store.close();
  return machine.capture();
}

/** The disk after `write`, with everything in the journal and nothing but headers in the session files. */
export async function unappliedStore(write: (store: Store) => Promise<unknown>): Promise<Capture> {
  const machine = new SimulatedMachine(5);
  const host = failingHost(machine.startProcess(), landingFaults().plan);
  const store = await openStore(jsonlBackend(DIRECTORY, { host }), { onError: () => undefined });
  await write(store);
  return machine.capture();
}

export async function readSimulatedFile(host: Host, path: string): Promise<Buffer> {
  const file = await host.files.open(path, "read");
  const bytes = Buffer.alloc((await file.stat()).size);
  await file.read(bytes, 0);
  return bytes;
}

export async function writeSimulatedFile(host: Host, path: string, bytes: Buffer): Promise<void> {
  const file = await host.files.open(path, "write");
  await file.truncate(bytes.length);
  await file.write(bytes, 0);
}

/** The path of the one journal that a dead writer has left. */
export async function journalIn(host: Host): Promise<string> {
  const names = await host.files.readDirectory(`${DIRECTORY}/.longhand/journal`);
  const [name, ...others] = names.filter((each) => each.endsWith(".journal"));
  if (name === undefined || others.length > 0) throw new Error(`one journal expected: ${names.join()}`);
  return `${DIRECTORY}/.longhand/journal/${name}`;
}

export interface Reading {
  readonly records: readonly SessionRecord[];
  readonly damage: readonly Damage[];
  /** Thrown while reading. */
  readonly error: unknown;
}

export async function readRecords(host: Host, key: string, readOnly: boolean): Promise<Reading> {
  const damage: Damage[] = [];
  let records: readonly SessionRecord[] = [];
  let error: unknown;
  const store = await openStore(jsonlBackend(DIRECTORY, { host }), {
    readOnly,
    onDamage: (found) => damage.push(found),
  });
  try {
    records = await recordsOf(store.session(key));
  } catch (thrown) {
    error = thrown;
  }
  await store.close();
  return { records, damage, error };
}

/** Up to the end of its last block: behind that there are zeros. */
export function usedBytes(journal: Buffer): Buffer {
  return journal.subarray(0, journal.findLastIndex((byte) => byte !== 0) + 1);
}
