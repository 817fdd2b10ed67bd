/**
 * The lease of a living instance, with each of its bits flipped in turn: whatever it says then, it is not free. Another
 * store can be opened beside it and is refused; the holder goes on; and when the holder has ended, the other gets in.
 */

import { isLonghandError, jsonlBackend, openStore, type Session, type Store } from "@longhand/store";
import { SimulatedMachine, type Host } from "@longhand/store/testing";
import { Violation } from "../part.ts";

const DIRECTORY = "/s";
const KEY = "a";
const LOCK_WAIT = 60;

/** How many flips there are. */
export async function flipsOfLivingLease(): Promise<number> {
  const { lease } = await holdSession();
  return lease.bytes.length * 8;
}

/** `spoil` changes what was flipped: for the control. */
export async function judgeLivingLease(
  flip: number,
  spoil: (bytes: Buffer) => Buffer = (bytes) => flipped(bytes, flip),
): Promise<void> {
  const { machine, holder, end, lease } = await holdSession();
  const { path, bytes } = lease;
  const file = await machine.startProcess().files.open(path, "write");
  const spoiled = spoil(bytes);
  await file.truncate(spoiled.length);
  await file.write(spoiled, 0);
  const other = (await openOn(machine.startProcess())).session(KEY);
  const story = `bit ${flip % 8} of byte ${Math.floor(flip / 8)} of the lease ${path} was flipped while its holder had the session locked`;
  const answer = await append(other, "other");
  if (answer !== "SESSION_LOCKED") throw new Violation(`${story}: another writer gets in (${answer})`);
  const answers = [await append(holder, "two")];
  await end();
  answers.push(await append(other, "three"));
  const records: string[] = [];
  for await (const record of other.records())
    records.push(record.op === undefined ? `${record.seq} ${JSON.stringify(record.message.content)}` : "?");
  const told = JSON.stringify([answers, records]);
  if (
    told !==
    JSON.stringify([
      ["2", "3"],
      ['1 "one"', '2 "two"', '3 "three"'],
    ])
  )
    throw new Violation(`${story}: then the holder wrote, and ended, and the other wrote: ${told}`);
}

interface Held {
  readonly machine: SimulatedMachine;
  readonly holder: Session;
  readonly end: () => Promise<void>;
  readonly lease: { readonly path: string; readonly bytes: Buffer };
}

async function holdSession(): Promise<Held> {
  const machine = new SimulatedMachine(1);
  const store = await openOn(machine.startProcess());
  const holder = store.session(KEY);
  await holder.lock();
  await append(holder, "one");
  const lease = await findLease(machine.startProcess());
  return { machine, holder, end: async () => await store.close(), lease };
}

async function findLease({ files }: Host): Promise<Held["lease"]> {
  const leases = `${DIRECTORY}/.longhand/leases`;
  for (const shard of await files.readDirectory(leases)) {
    const name = (await files.readDirectory(`${leases}/${shard}`)).find((each) => each.startsWith(`${KEY}.`));
    if (name === undefined) continue;
    const path = `${leases}/${shard}/${name}`;
    const file = await files.open(path, "read");
    const bytes = Buffer.alloc((await file.stat()).size);
    await file.read(bytes, 0);
    return { path, bytes };
  }
  throw new Error(`nobody holds ${KEY}`);
}

async function openOn(host: Host): Promise<Store> {
  return await openStore(jsonlBackend(DIRECTORY, { host, lockWait: LOCK_WAIT }), {
    onError: () => undefined,
  });
}

/** The seq, or the code of the failure. */
async function append(session: Session, content: string): Promise<string> {
  try {
    return String((await session.append({ role: "user", content })).seq);
  } catch (error) {
    if (isLonghandError(error)) return error.code;
    throw error;
  }
}

function flipped(bytes: Buffer, flip: number): Buffer {
  const spoiled = Buffer.from(bytes);
  const at = Math.floor(flip / 8);
  spoiled[at] = (bytes[at] ?? 0) ^ (1 << (flip % 8));
  return spoiled;
}
