/**
 * Two files with one session id: a copy of a session's file in each place where it could lie, whole or with a damaged header beside a whole
 * or damaged one, then each operation that moves, removes or mends files. Both files and every sealed file are there afterwards, byte for
 * byte, or after a repair line for line; verify names the copy, and each file that is damaged.
 */

import { isLonghandError, jsonlBackend, openStore, type Damage, type Store } from "@longhand/store";
import { SimulatedMachine, type Host } from "@longhand/store/testing";
import { alteredHost } from "../altered-host.ts";
import { filesUnder, putFile } from "../damage/simulated-files.ts";
import { Violation } from "../part.ts";
import { DIRECTORY, KEY } from "./told-writes.ts";

const SEGMENT_BYTES = 300;

/** Where the session itself is. */
const STATES: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  active: async () => await Promise.resolve(),
  archived: async (store) => await store.session(KEY).archive(),
  trashed: async (store) => await store.session(KEY).delete(),
};

const COPIES: Readonly<Record<string, (id: string) => string>> = {
  "under its active name": () => `${DIRECTORY}/${KEY}.jsonl`,
  "under another active name": () => `${DIRECTORY}/other.jsonl`,
  "in the archive": (id) => `${DIRECTORY}/archive/${KEY}.${id}.jsonl`,
  "in the archive, for another key": (id) => `${DIRECTORY}/archive/other.${id}.jsonl`,
  "in the trash": (id) => `${DIRECTORY}/trash/${KEY}.${id}.jsonl`,
};

const OPERATIONS: Readonly<Record<string, (store: Store, id: string) => Promise<unknown>>> = {
  archive: async (store) => await store.session(KEY).archive(),
  delete: async (store) => await store.session(KEY).delete(),
  "delete forever": async (store) => await store.session(KEY).delete({ forever: true }),
  restore: async (store) => await store.session(KEY).restore(),
  "restore by id": async (store, id) => await store.session(KEY).restore({ id }),
  purge: async (store) => await store.purge(),
  fork: async (store) => await store.session(KEY).fork("child"),
  "delete and purge": async (store) => {
    await store.session(KEY).delete();
    await store.purge();
  },
  repair: async (store) => await store.repair(),
};

/** Which of the two files has a header with a flipped bit, which can be mended. */
const DAMAGED = ["neither", "the copy", "the session"] as const;

/** `spoil`: what is wrong with the host of whoever does it; it is told where the copy is. */
export async function searchSecondFiles(
  spoil: (host: Host, copy: string) => Host = (host) => host,
): Promise<number> {
  let moments = 0;
  for (const state of Object.keys(STATES)) {
    for (const copy of Object.keys(COPIES)) {
      for (const operation of Object.keys(OPERATIONS)) {
        for (const goesOn of [false, true]) {
          for (const damaged of DAMAGED) {
            if (await judge({ state, copy, operation, goesOn, damaged }, spoil)) moments++;
          }
        }
      }
    }
  }
  return moments;
}

interface Case {
  readonly state: string;
  readonly copy: string;
  readonly operation: string;
  /** The active session, which may be the copy, is written to before. */
  readonly goesOn: boolean;
  readonly damaged: (typeof DAMAGED)[number];
}

/** False: the session itself lies where the copy would. */
async function judge(which: Case, spoil: (host: Host, copy: string) => Host): Promise<boolean> {
  const { state, copy, operation, goesOn, damaged } = which;
  const machine = new SimulatedMachine(1);
  const host = machine.startProcess();
  const first = await open(host);
  for (let number = 1; number <= 6; number++) await append(first, `message ${number}`);
  const id = (await first.session(KEY).state())?.id ?? "";
  await STATES[state]?.(first);
  await first.close();
  const own = (await filesUnder(host, DIRECTORY)).find(({ path }) => isSessionFile(path));
  const path = COPIES[copy]?.(id) ?? "";
  if (own === undefined || own.path === path) return false;
  await putFile(host, path, own.bytes);
  const store = await open(spoil(machine.startProcess(), path));
  const isActive = state === "active" || copy === "under its active name";
  if (goesOn && isActive) await append(store, "and one more");
  await store.close();
  const hurt = damaged === "neither" ? undefined : damaged === "the copy" ? path : own.path;
  if (hurt !== undefined) await flipHeader(host, hurt);
  const isMended = operation === "repair";
  const found = hurt === undefined || (await verified(machine)).some(({ file }) => file === hurt);
  if (!found) throw new Violation(`${tell(which)}: verify does not name ${hurt}, which is damaged`);
  const before = await kept(host, isMended);
  const again = await open(spoil(machine.startProcess(), path));
  const outcome = await (OPERATIONS[operation]?.(again, id) ?? Promise.resolve()).then(() => "done", refusal);
  await again.close();
  const after = new Set(await kept(host, isMended));
  const gone = before.filter((bytes) => !after.has(bytes));
  const damage = await verified(machine);
  if (gone.length > 0 || damage.length === 0) {
    throw new Violation(
      `${tell(which)} (${outcome}): ${gone.length} files or lines are gone or changed, verify reports ${damage.length}\n${machine.describe()}`,
    );
  }
  return true;
}

function tell({ state, copy, operation, goesOn, damaged }: Case): string {
  return `${operation} of a session that is ${state}, with a copy ${copy}${goesOn ? ", gone on with" : ""}; ${damaged} is damaged`;
}

async function verified(machine: SimulatedMachine): Promise<readonly Damage[]> {
  const verifier = await open(machine.startProcess());
  const { damage } = await verifier.verify();
  await verifier.close();
  return damage;
}

async function flipHeader(host: Host, path: string): Promise<void> {
  const bytes = (await filesUnder(host, DIRECTORY)).find((file) => file.path === path)?.bytes;
  if (bytes === undefined) throw new Error(`there is no ${path}`);
  bytes.write("lOnghand", bytes.indexOf("longhand"));
  await putFile(host, path, bytes);
}

function isSessionFile(path: string): boolean {
  return path.endsWith(".jsonl") && !path.includes("/segments/") && !path.includes("/.longhand/");
}

/** The bytes of every session file and sealed file, wherever they lie; `asLines`: their records, and the names of sealed files. */
async function kept(host: Host, asLines: boolean): Promise<string[]> {
  const files = (await filesUnder(host, DIRECTORY)).filter(
    ({ path }) => isSessionFile(path) || path.includes("/segments/"),
  );
  if (!asLines) return files.map(({ bytes }) => bytes.toString("latin1"));
  const sealed = files.map(({ path }) => path).filter((path) => path.includes("/segments/"));
  const records = files.flatMap(({ path, bytes }) =>
    bytes
      .toString("latin1")
      .split("\n")
      .filter((line) => line.startsWith('{"seq":'))
      .map((line) => `${path} ${line}`),
  );
  return [...sealed, ...records];
}

/** The control: does not see the copy before it has moved something over it, or removed what belongs to it. */
export function withoutSeeing(host: Host, copy: string): Host {
  const [directory, name] = [copy.slice(0, copy.lastIndexOf("/")), copy.slice(copy.lastIndexOf("/") + 1)];
  return alteredHost(host, (files) => ({
    stat: async (path) => (path === copy ? undefined : await files.stat(path)),
    readDirectory: async (path) => {
      const names = await files.readDirectory(path);
      return path === directory ? names.filter((each) => each !== name) : names;
    },
  }));
}

async function open(host: Host): Promise<Store> {
  return await openStore(jsonlBackend(DIRECTORY, { host, segmentBytes: SEGMENT_BYTES }), {
    onDamage: () => undefined,
    onError: () => undefined,
  });
}

async function append(store: Store, content: string): Promise<void> {
  await store.session(KEY).append({ role: "user", content });
}

function refusal(error: unknown): string {
  if (isLonghandError(error)) return error.code;
  throw error;
}
