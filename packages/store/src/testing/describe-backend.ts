/**
 * The conformance suite: what every backend must do, in one list, for any test runner. A backend passes when all cases
 * pass that its declared capabilities allow; the others are handed to `skip` with the reason. Each case gets a backend
 * of its own, and one in which damage or an error was reported has failed, whatever it found.
 */

import assert from "node:assert/strict";
import { openStore } from "../open-store.ts";
import type { Backend, BackendCapabilities } from "../contract/backend.ts";
import type { Store, StoreOptions } from "../contract/types.ts";
import type { CapabilityName, CaseContext, ConformanceCase } from "./conformance-case.ts";
import { CONFORMANCE } from "./conformance-list.ts";
import { watching } from "./watching.ts";

export interface Harness {
  readonly name: string;
  /** What the backend is expected to be capable of; compared with what it declares. */
  readonly capabilities: BackendCapabilities;
  test(title: string, body: () => Promise<void>): void;
  skip(title: string, reason: string): void;
  create(): Promise<BackendPlace>;
  /** Milliseconds after which a watch that yields nothing has failed. A case waits that long only if it fails. @default 10000 */
  readonly watchTimeoutMs?: number;
}

const WATCH_TIMEOUT_MS = 10_000;

export interface BackendPlace {
  /** Fresh and empty. */
  readonly backend: Backend;
  /** Another backend on the same place, as the next process would make it. A durable backend needs it. */
  readonly reopen?: () => Backend;
  /** Called once all stores are closed. */
  destroy(): Promise<void>;
}

export function describeBackend(harness: Harness): void {
  harness.test(`${harness.name}: the declared capabilities are the real ones`, async () => {
    const place = await harness.create();
    try {
      assert.deepEqual(place.backend.capabilities, harness.capabilities);
    } finally {
      await place.destroy();
    }
  });
  for (const { operation, cases } of CONFORMANCE) {
    for (const conformanceCase of cases) {
      const title = `${harness.name}: ${operation}: ${conformanceCase.title}`;
      const reason = reasonToSkip(conformanceCase, harness.capabilities);
      if (reason === undefined) harness.test(title, async () => await runCase(harness, conformanceCase));
      else harness.skip(title, reason);
    }
  }
}

const WITHOUT: Readonly<Record<CapabilityName, string>> = {
  durable: "nothing outlives the store that wrote it",
  flatAppend: "each append costs as much as the session is long",
  archive: "sessions cannot be put away",
  fork: "sessions cannot be forked",
  manyWriters: "one store at a time may write there",
  readOnly: "it cannot be opened for reading only",
};

function reasonToSkip(
  { needs = [], lacks }: ConformanceCase,
  capabilities: BackendCapabilities,
): string | undefined {
  const missing = needs.find((name) => !capabilities[name]);
  if (missing !== undefined) return `needs the capability ${missing}: ${WITHOUT[missing]}`;
  if (lacks !== undefined && capabilities[lacks]) return `the backend has the capability ${lacks}`;
  return undefined;
}

async function runCase(harness: Harness, conformanceCase: ConformanceCase): Promise<void> {
  const place = await harness.create();
  const stores: Store[] = [];
  const reports: unknown[] = [];
  const open = async (backend: Backend, options: StoreOptions = {}): Promise<Store> => {
    const report = (problem: unknown): void => void reports.push(problem);
    const store = await openStore(backend, { onDamage: report, onError: report, ...options });
    stores.push(store);
    return store;
  };
  const again = (): Backend => {
    assert.ok(place.reopen, `${harness.name} is durable: its harness must say how to reopen it`);
    return place.reopen();
  };
  const closeAll = async (): Promise<void> => {
    for (const store of stores) await store.close();
  };
  try {
    const context: CaseContext = {
      store: await open(place.backend),
      reopen: async (options) => {
        await closeAll();
        return await open(again(), options);
      },
      openBeside: async (options) => await open(place.reopen?.() ?? place.backend, options),
      ...watching(harness.watchTimeoutMs ?? WATCH_TIMEOUT_MS),
    };
    await conformanceCase.run(context);
    await closeAll();
    assert.deepEqual(reports, [], "damage or errors were reported");
  } finally {
    await closeAll();
    await place.destroy();
  }
}
