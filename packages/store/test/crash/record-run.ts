/** Runs a workload once on a simulated machine and keeps the disk as it was after every single operation. */

import { openStore, type SessionRecord } from "../../src/index.ts";
import { jsonlBackend } from "../../src/backends/jsonl/jsonl-backend.ts";
import type { Host } from "../../src/host/host.ts";
import { SimulatedMachine, type Capture } from "../../src/testing/simulated-machine.ts";
import { DIRECTORY, recordsOf, type Expectation } from "./crash-oracle.ts";
import { runWorkload, type Workload } from "./workloads.ts";

export interface Moment {
  readonly operation: string;
  readonly capture: Capture;
  readonly expected: Expectation;
}

/** `spoil` puts a broken world between the store and the machine: for controls that must lose data. */
export async function recordRun(
  workload: Workload,
  spoil: (host: Host) => Host = (host) => host,
): Promise<Moment[]> {
  const machine = new SimulatedMachine(7);
  const truth = new Map<string, readonly SessionRecord[]>();
  const boundaries = new Map<string, Set<number>>(workload.keys.map((key) => [key, new Set()]));
  const moments: { operation: string; capture: Capture; acknowledged: ReadonlyMap<string, number> }[] = [];
  let acknowledged: ReadonlyMap<string, number> = new Map();
  machine.onOperation(({ number, operation, path, changedDisk }) => {
    if (!changedDisk) return;
    moments.push({ operation: `${number} ${operation} ${path}`, capture: machine.capture(), acknowledged });
  });
  const host = spoil(machine.startProcess());
  const { journalBytes, segmentBytes } = workload;
  const store = await openStore(
    jsonlBackend(DIRECTORY, {
      host,
      ...(journalBytes === undefined ? {} : { journalBytes }),
      ...(segmentBytes === undefined ? {} : { segmentBytes }),
    }),
  );
  await runWorkload(store, workload, ({ key }, outcome) => {
    if ("error" in outcome) throw outcome.error;
    boundaries.get(key)?.add(outcome.seq);
    acknowledged = new Map([...acknowledged, [key, Math.max(outcome.seq, acknowledged.get(key) ?? 0)]]);
  });
  for (const key of workload.keys) truth.set(key, await recordsOf(store, key));
  await store.close();
  return moments.map(({ operation, capture, acknowledged: then }) => ({
    operation,
    capture,
    expected: { truth, boundaries, acknowledged: then },
  }));
}
