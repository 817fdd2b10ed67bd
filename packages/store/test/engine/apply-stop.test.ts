/** An instance that gives itself up has ended everything it was doing to its files before it says so. */

import { expect, test } from "vitest";
import { LonghandError } from "../../src/errors.ts";
import type { ChangedSessions } from "../../src/engine/writing/changed-sessions.ts";
import { RecordApplier } from "../../src/engine/writing/record-applier.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import type { Journal } from "../../src/wal/journal.ts";
import type { SessionLog } from "../../src/session/session-log.ts";
import { Gate } from "../crash/held-host.ts";

const FAILURE = new LonghandError("STORE_FAILED", "the store failed", {});

/** A log whose sync waits at the gate, and what was done to it. */
function slowLog(gate: Gate, done: string[]): SessionLog {
  const log: Partial<Record<keyof SessionLog, unknown>> = {
    path: "/store/a.jsonl",
    isUnsynced: true,
    owesRewrite: false,
    unappliedBytes: 0,
    apply: async () => await Promise.resolve(),
    sync: async () => {
      await gate.wait();
      done.push("synced");
    },
  };
  return log as unknown as SessionLog;
}

test("stopping waits for what is being settled, and lets nothing begin", async () => {
  const gate = new Gate();
  const done: string[] = [];
  const applier = new RecordApplier({
    files: nodeHost.files,
    journal: { bytes: 0 } as unknown as Journal,
    journalBytes: 1,
    changed: { keep: () => Promise.reject(FAILURE) } as unknown as ChangedSessions,
    onError: () => undefined,
  });
  const log = slowLog(gate, done);
  const settling = applier.settle(log);
  await gate.reached;
  const shutdown = applier.stop(FAILURE).then(() => done.push("stopped"));
  await Promise.resolve();
  gate.open();
  await Promise.all([settling, shutdown]);
  expect(done).toEqual(["synced", "stopped"]);
  await expect(applier.settle(log)).rejects.toBe(FAILURE);
  expect(done).toEqual(["synced", "stopped"]);
});
