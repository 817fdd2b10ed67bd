/** Somebody comes, seals the file a few times and goes while it is verified: nothing that he has left is called damage. */

import { expect, test } from "vitest";
import { jsonlBackend, openStore, type Store } from "../../src/index.ts";
import type { Host } from "../../src/host/host.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { user } from "../support/conversation.ts";
import { observedHost } from "../support/observed-host.ts";

async function open(host: Host, readOnly = false): Promise<Store> {
  return await openStore(jsonlBackend("/store", { host, segmentBytes: 200 }), { readOnly });
}

/** Before the call of this number; `isMet`: there was one. */
async function verifyWithVisitor(moment: number): Promise<{ isMet: boolean; damage: readonly unknown[] }> {
  const machine = new SimulatedMachine(1);
  const writer = await open(machine.startProcess());
  for (const content of ["one", "two"]) await writer.session("a").append(user(content));
  await writer.close();
  let calls = 0;
  let isVerifying = false;
  const host = observedHost(machine.startProcess(), async () => {
    if (!isVerifying || ++calls !== moment) return;
    const visitor = await open(machine.startProcess());
    for (const content of ["three", "four", "five"]) await visitor.session("a").append(user(content));
    await visitor.session("a").archive();
    await visitor.close();
  });
  const reader = await open(host, true);
  isVerifying = true;
  const { damage } = await reader.verify();
  await reader.close();
  return { isMet: calls >= moment, damage };
}

test("whenever he comes", async () => {
  let moment = 1;
  for (; ; moment += 1) {
    const { isMet, damage } = await verifyWithVisitor(moment);
    expect(damage, `at call ${moment}`).toEqual([]);
    if (!isMet) break;
  }
  expect(moment).toBeGreaterThan(10);
});
