/** A store with one spoiled file, as a reader without a lease sees it. */

import { jsonlBackend, openStore, type Damage, type Store } from "@longhand/store";
import type { Host } from "@longhand/store/testing";
import type { Expectation } from "../damage/judge-seen.ts";
import { readEverything, reportsOf, type SeenStore } from "../damage/read-everything.ts";
import { DIRECTORY, type SampleFile, type SampleStore } from "../damage/sample-store.ts";
import { machineWith } from "../damage/simulated-files.ts";

export interface Spoiled {
  readonly store: SampleStore;
  readonly file: SampleFile;
  readonly bytes: Buffer;
}

export interface Reading {
  readonly seen: SeenStore;
  readonly damage: readonly Damage[];
  /** How many times damage was told, by whatever way. */
  readonly reports: number;
}

export async function readSpoiled({ store, file, bytes }: Spoiled, isThorough: boolean): Promise<Reading> {
  const machine = await machineWith(store.capture, file.path, bytes);
  return await readBy(machine.startProcess(), store, isThorough);
}

export async function readBy(host: Host, { idOf }: SampleStore, isThorough: boolean): Promise<Reading> {
  const damage: Damage[] = [];
  const opened = await openCollecting(host, damage, true);
  const seen = await readEverything(opened, idOf.keys(), isThorough);
  await opened.close();
  return { seen, damage, reports: reportsOf(seen, damage) };
}

/** Every report of the store goes into `damage`. */
export async function openCollecting(host: Host, damage: Damage[], readOnly: boolean): Promise<Store> {
  return await openStore(jsonlBackend(DIRECTORY, { host }), {
    readOnly,
    onDamage: (found) => damage.push(found),
    // What cannot be read for other reasons than damage: a file in a newer format, since its version was hit.
    onError: ({ message: reason, detail }) =>
      damage.push({ file: String(detail["file"]), offset: 0, bytes: 0, kind: "corrupt", reason }),
  });
}

export function expectationOf({ store, file }: Pick<Spoiled, "store" | "file">): Expectation {
  return { originals: store.originals, touched: file.owners, idOf: store.idOf };
}

/** How many records of the touched sessions are no longer served by their keys. */
export function missingRecords({ store, file }: Spoiled, seen: SeenStore): number {
  let missing = 0;
  for (const [key, id] of store.idOf) {
    if (!file.owners.has(id) && !file.owners.has(key)) continue;
    missing += (store.originals.get(id)?.records.size ?? 0) - (seen.sessions.get(key)?.records.length ?? 0);
  }
  return missing;
}
