/** A small store on a disk in memory, made of the lines themselves, so that its files can be spoiled byte by byte. */

import { layoutOf } from "../../src/format/layout.ts";
import { readSession } from "../../src/engine/reading/read-session.ts";
import type { RepairDeps } from "../../src/upkeep/repair-segment.ts";
import { repairStore } from "../../src/upkeep/repair-store.ts";
import { verifyStore, type VerifyStorePlace } from "../../src/upkeep/verify-store.ts";
import type { FileSystem, Host } from "../../src/host/host.ts";
import { openSessionForWriting } from "../../src/session/open-session.ts";
import { segmentPath } from "../../src/session/segment-path.ts";
import { encodeCheckpoint } from "../../src/format/checkpoint.ts";
import { continueSum, EMPTY_SUM } from "../../src/format/checksum.ts";
import { encodeEntry } from "../../src/format/encode.ts";
import type { Body, Entry } from "../../src/format/entry.ts";
import { EMPTY_STATE, foldEntry, type SessionState } from "../../src/format/fold.ts";
import { encodeHeader, firstHeader, type Header } from "../../src/format/header.ts";
import { fileNameOf } from "../../src/format/key.ts";
import type { Damage, SessionInfo } from "../../src/format/session-record.ts";
import { toEntries } from "../../src/format/to-entries.ts";
import type { VerifyReport } from "../../src/contract/types.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { plainEntry } from "./plain-entry.ts";
import { toId } from "../../src/format/session-id.ts";

export const LAYOUT = layoutOf("/store");
export const AT = "2026-11-15T19:24:12.123Z";

export type Step = Body | readonly Body[] | "checkpoint" | "seal";

export interface BuiltSession {
  readonly key: string;
  readonly header: Header;
  /** By path: sealed files, then the active one. */
  readonly files: ReadonlyMap<string, Buffer>;
  readonly path: string;
  readonly entries: readonly Entry[];
  readonly state: SessionState;
}

/** The bytes of a session, as its writer leaves them. */
export function buildSession(key: string, idText: string, steps: readonly Step[]): BuiltSession {
  const id = toId(idText);
  let header = firstHeader({ key, id, at: AT });
  let state = EMPTY_STATE;
  let file = encodeHeader(header);
  const files = new Map<string, Buffer>();
  const entries: Entry[] = [];
  const sum = (): string => continueSum(EMPTY_SUM, file);
  const checkpoint = (): void => {
    file = Buffer.concat([file, encodeCheckpoint({ state, sum: sum() }, id)]);
  };
  for (const step of steps) {
    if (step === "checkpoint") {
      checkpoint();
    } else if (step === "seal") {
      const first = (header.chain.at(-1)?.last ?? 0) + 1;
      const bounds = { file: header.file, first, last: state.seq, bytes: file.length };
      files.set(segmentPath(LAYOUT.segments, id, header.file), file);
      const chain = [...header.chain, { ...bounds, sum: sum(), until: AT }];
      header = { ...header, file: header.file + 1, chain };
      file = encodeHeader(header);
      checkpoint();
    } else {
      for (const entry of toEntries(state, "op" in step ? [step] : step, undefined, AT)) {
        file = Buffer.concat([file, encodeEntry(entry, id)]);
        state = foldEntry(state, entry);
        entries.push(entry);
      }
    }
  }
  const path = `${LAYOUT.directory}/${fileNameOf(key)}`;
  files.set(path, file);
  return { key, header, files, path, entries, state };
}

/** A machine with these files on its disk, all of it synced. */
export async function machineWith(files: ReadonlyMap<string, Buffer>): Promise<SimulatedMachine> {
  const machine = new SimulatedMachine(5);
  const disk = machine.startProcess().files;
  const { directory, archive, trash, segments, own, journals, leases, damaged, temporary } = LAYOUT;
  const parents = new Set([...files.keys()].map((path) => path.slice(0, path.lastIndexOf("/"))));
  for (const path of new Set([
    directory,
    archive,
    trash,
    segments,
    own,
    journals,
    leases,
    damaged,
    temporary,
    ...parents,
  ])) {
    await disk.makeDirectory(path);
    await disk.syncDirectory(path.slice(0, path.lastIndexOf("/")) || "/");
  }
  for (const [path, bytes] of files) {
    const file = await disk.open(path, "create");
    await file.write(bytes, 0);
    await file.sync();
    await file.close();
  }
  for (const path of parents) await disk.syncDirectory(path);
  return machine;
}

export interface Deps {
  readonly isGrowing?: boolean;
  readonly isForking?: boolean;
  readonly keys?: readonly string[];
  /** Instead of a lease. */
  readonly alone?: (task: () => Promise<void>) => Promise<void>;
}

function placeOf(files: FileSystem, { isGrowing = false, isForking = false }: Deps): VerifyStorePlace {
  return {
    files,
    layout: LAYOUT,
    patchesOf: () => [],
    mayBeGrowing: () => Promise.resolve(isGrowing),
    mayBeForking: () => Promise.resolve(isForking),
    journalDamage: () => Promise.resolve([]),
    recordsWithoutFile: () => Promise.resolve([]),
  };
}

const optionsOf = ({ keys }: Deps): Parameters<typeof verifyStore>[1] => ({
  keys: keys === undefined ? undefined : new Set(keys),
  onProgress: () => undefined,
});

export async function verify(host: Host, surroundings: Deps = {}): Promise<VerifyReport> {
  return await verifyStore(placeOf(host.files, surroundings), optionsOf(surroundings));
}

export async function repair(host: Host, surroundings: Deps = {}): Promise<VerifyReport> {
  let temporaries = 0;
  const deps: RepairDeps = {
    files: host.files,
    layout: LAYOUT,
    temporaryPath: () => `${LAYOUT.temporary}/.new-repair-${(temporaries += 1)}-${host.now()}`,
    checkMayChange: () => Promise.resolve(),
    syncNames: async (directory) => await host.files.syncDirectory(directory),
    sealedPatches: () => Promise.resolve([]),
    now: () => AT,
  };
  return await repairStore(
    {
      ...placeOf(host.files, surroundings),
      deps,
      onWithoutFile: () => undefined,
      alone: async (_name, task) => {
        const { alone = async (run: () => Promise<void>) => await run() } = surroundings;
        await alone(async () => await task(deps));
      },
    },
    optionsOf(surroundings),
  );
}

export interface ReadBack {
  readonly info: SessionInfo;
  readonly state: SessionState;
  readonly entries: readonly Entry[];
  readonly damage: readonly Damage[];
}

/** What a reader gets of the active session, or of the file at `path`. */
export async function readBack(host: Host, { key, path }: { key: string; path: string }): Promise<ReadBack> {
  const damage: Damage[] = [];
  const place = {
    files: host.files,
    layout: LAYOUT,
    patchesOf: () => [],
    onDamage: (found: Damage) => damage.push(found),
    onError: (error: Error) => {
      throw error;
    },
  };
  const snapshot = await readSession(place, { path, status: "active" }, key);
  if (snapshot === undefined) throw new Error(`nothing at ${path}`);
  const entries: Entry[] = [];
  for await (const block of snapshot.entries({ from: 1, to: Infinity, reverse: false }))
    entries.push(...block.map(plainEntry));
  return { info: snapshot.info, state: snapshot.state, entries, damage };
}

/** Opens it for writing and appends a message, as the next writer would. The seq it got. */
export async function appendOne(host: Host, { key, path }: { key: string; path: string }): Promise<number> {
  const log = await openSessionForWriting({
    files: host.files,
    path,
    key,
    segments: LAYOUT.segments,
    sealedPatches: () => Promise.resolve([]),
    damagedDirectory: LAYOUT.damaged,
    checkMayChange: async () => await Promise.resolve(),
    temporaryPath: () => `${path}.new`,
    replaceBy: async () => await Promise.reject(new Error("it has no torn tail")),
    onDamage: ({ reason }) => {
      throw new Error(reason);
    },
    onError: (error) => {
      throw error;
    },
  });
  if (log === undefined) throw new Error(`nothing at ${path}`);
  const body: Body = { op: "message", json: '{"role":"user","content":"after"}' };
  const entries = toEntries(log.state, [body], undefined, AT);
  log.acknowledge(log.place([{ entries, state: entries.reduce(foldEntry, log.state) }]));
  await log.apply();
  const { seq } = log.state;
  await log.close();
  return seq;
}

export async function filesUnder(host: Host, directory: string): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for (const name of await host.files.readDirectory(directory)) {
    const path = `${directory}/${name}`;
    if ((await host.files.stat(path))?.kind !== "file") continue;
    const file = await host.files.open(path, "read");
    const bytes = Buffer.alloc((await file.stat()).size);
    await file.read(bytes, 0);
    found.set(name, bytes);
  }
  return found;
}
