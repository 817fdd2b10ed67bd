/** A store on a simulated machine, what was written to it, and which sessions each of its files belongs to. */

import { jsonlBackend, openStore, type JsonlOptions, type Message, type Store } from "@longhand/store";
import { failingHost, SimulatedMachine, type Capture, type Host } from "@longhand/store/testing";
import { EVERYWHERE } from "./read-everything.ts";
import { originalOf, type OriginalSession, type OriginalSessions } from "./original-sessions.ts";
import { filesUnder, type DiskFile } from "./simulated-files.ts";

export const DIRECTORY = "/s";

export interface SampleStore {
  readonly name: string;
  readonly capture: Capture;
  /** Each once, by its first path. */
  readonly files: readonly SampleFile[];
  readonly originals: OriginalSessions;
  /** For each key that can be read, aliases among them, the session that it means. */
  readonly idOf: ReadonlyMap<string, string>;
}

export interface SampleFile extends DiskFile {
  /** Ids of sessions, and aliases, that lose something when it is spoiled. */
  readonly owners: ReadonlySet<string>;
}

export interface SampleWork {
  readonly store: Store;
  readonly host: Host;
  /** Keeps what a session holds now, under its id: before it goes to the trash, where its key no longer reaches it. */
  readonly remember: (key: string) => Promise<void>;
  /** From now on nothing lands: what is acknowledged stays in the journal. */
  readonly holdBack: () => void;
}

export interface SampleOptions extends Omit<JsonlOptions, "host"> {
  readonly seed: number;
  /** Other keys of sessions: alias to key. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Puts files on the empty disk before the store is opened. */
  readonly prepare?: (host: Host) => Promise<void>;
  /** Ends with a kill instead of a close. */
  readonly isKilled?: boolean;
}

export function message(text: string): Message {
  return { role: "user", content: `${EVERYWHERE} ${text}` };
}

export async function buildSample(
  name: string,
  { seed, aliases = {}, prepare, isKilled = false, ...options }: SampleOptions,
  work: (on: SampleWork) => Promise<void>,
): Promise<SampleStore> {
  const machine = new SimulatedMachine(seed);
  await prepare?.(machine.startProcess());
  const process = machine.startProcess();
  let isHeldBack = false;
  const host = failingHost(process, ({ operation, path }) =>
    isHeldBack && operation === "write" && !path.endsWith(".journal")
      ? { kind: "error", code: "EIO" }
      : undefined,
  );
  const store = await openStore(jsonlBackend(DIRECTORY, { ...options, host }), {
    migrate: prepare !== undefined,
    onDamage: ({ file, reason }) => {
      throw new Error(`${name} is damaged before anything was spoiled: ${file}: ${reason}`);
    },
    // Landing fails where it is held back.
    onError: () => undefined,
  });
  const originals = new Map<string, OriginalSession>();
  const idOf = new Map<string, string>();
  const remember = async (key: string): Promise<void> => {
    const original = await originalOf(store, key);
    originals.set(original.id, original);
    idOf.set(key, original.id);
  };
  await work({ store, host, remember, holdBack: () => (isHeldBack = true) });
  const kept: string[] = [];
  for (const status of ["active", "archived"] as const)
    for await (const { key } of store.list({ status })) kept.push(key);
  for (const key of idOf.keys()) if (!kept.includes(key)) idOf.delete(key);
  for (const key of [...kept, ...Object.keys(aliases)]) await remember(key);
  if (isKilled) process.kill();
  else await store.close();
  const files = ownedFiles(await filesUnder(machine.startProcess(), DIRECTORY), aliases);
  return { name, capture: machine.capture(), files, originals, idOf };
}

function ownedFiles(all: readonly DiskFile[], aliases: Readonly<Record<string, string>>): SampleFile[] {
  const byInode = new Map<number, { file: DiskFile; owners: Set<string> }>();
  for (const file of all) {
    const known = byInode.get(file.inode) ?? { file, owners: new Set<string>() };
    byInode.set(file.inode, known);
    for (const owner of ownersOf(file, aliases)) known.owners.add(owner);
  }
  return [...byInode.values()].map(({ file, owners }) => ({ ...file, owners }));
}

/** By the path, and by what docs/format.md says of the file. */
function ownersOf({ path, bytes }: DiskFile, aliases: Readonly<Record<string, string>>): string[] {
  const [first = "", second = "", third = ""] = path.slice(DIRECTORY.length + 1).split("/");
  if (first === "segments") return [second];
  if (first === "aliases")
    return Object.keys(aliases).filter((alias) => bytes.includes(`"alias":"${alias}"`));
  if (first === ".longhand") return second === "journal" && third !== "" ? idsIn(bytes, "session") : [];
  return path.endsWith(".jsonl") ? idsIn(bytes.subarray(0, bytes.indexOf("\n")), "id").slice(0, 1) : [];
}

function idsIn(bytes: Buffer, field: string): string[] {
  const pattern = new RegExp(`"${field}":"([0-9A-Z]{26})"`, "g");
  return [...new Set([...bytes.toString("latin1").matchAll(pattern)].map(([, id = ""]) => id))];
}
