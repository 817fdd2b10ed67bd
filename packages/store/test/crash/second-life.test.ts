/**
 * A process is killed; the next one goes on, and only then the power fails. What the killed one had not synced is seen
 * but not durable: whatever the second builds on, it must make durable first.
 */

import { expect, test } from "vitest";
import { openStore, type SessionRecord } from "../../src/index.ts";
import { jsonlBackend } from "../../src/backends/jsonl/jsonl-backend.ts";
import { SimulatedMachine, type Capture } from "../../src/testing/simulated-machine.ts";
import { DIRECTORY, findViolation, recordsOf } from "./crash-oracle.ts";
import { user } from "../support/conversation.ts";

/** Written and put away, so that names of every kind are on their way when the kill comes. */
async function firstLife(): Promise<{ operation: string; capture: Capture }[]> {
  const machine = new SimulatedMachine(5);
  const moments: { operation: string; capture: Capture }[] = [];
  machine.onOperation(({ operation, path, changedDisk }) => {
    if (changedDisk) moments.push({ operation: `${operation} ${path}`, capture: machine.capture() });
  });
  const store = await openStore(jsonlBackend(DIRECTORY, { host: machine.startProcess() }));
  const session = store.session("a:1");
  await session.append([user("old 1"), user("old 2")]);
  await session.delete();
  await session.append(user("new 1"));
  await session.archive();
  await session.append(user("new 2"));
  await store.close();
  return moments;
}

test("everything that the second process acknowledges survives a power cut", async () => {
  let states = 0;
  for (const { operation, capture } of await firstLife()) {
    const machine = capture.afterKill();
    const store = await openStore(jsonlBackend(DIRECTORY, { host: machine.startProcess() }));
    const session = store.session("a:1");
    const { seq } = await session.append(user("second life"));
    const records: readonly SessionRecord[] = await recordsOf(store, "a:1");
    const trashed: string[] = [];
    for await (const { id } of store.list({ status: "trashed" })) trashed.push(id);
    for (const cut of machine.capture().afterPowerLoss({ limit: 30 })) {
      states += 1;
      const story = `${operation}\n${cut.describe()}`;
      const violation = await findViolation(cut, {
        truth: new Map([["a:1", records]]),
        boundaries: new Map([["a:1", new Set([seq])]]),
        acknowledged: new Map([["a:1", seq]]),
      });
      expect(violation, story).toBeUndefined();
      const again = await openStore(jsonlBackend(DIRECTORY, { host: cut.startProcess() }));
      const stillTrashed: string[] = [];
      for await (const { id } of again.list({ status: "trashed" })) stillTrashed.push(id);
      await again.close();
      expect(stillTrashed, story).toEqual(trashed);
    }
    await store.close();
  }
  expect(states).toBeGreaterThan(500);
});
