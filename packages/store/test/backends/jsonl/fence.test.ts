/** The second line of defence: a living instance that somebody holds for dead must not answer for what it writes. */

import { expect, test } from "vitest";
import { jsonlBackend, openStore } from "../../../src/index.ts";
import type { Host } from "../../../src/host/host.ts";
import { writeFully } from "../../../src/host/write-fully.ts";
import { SimulatedMachine } from "../../../src/testing/simulated-machine.ts";

/** As if the proof of death had been wrong: the lease looks free although its holder lives. */
async function rewriteLease(host: Host, text: string): Promise<void> {
  const [name = ""] = await host.files.readDirectory("/store/.longhand/leases");
  const file = await host.files.open(`/store/.longhand/leases/${name}`, "write");
  await file.truncate(0);
  await writeFully(file, Buffer.from(text), 0);
  await file.close();
}

test("an instance that was taken over while it lives answers nobody, and spoils nothing", async () => {
  const machine = new SimulatedMachine(1);
  const first = machine.startProcess();
  const robbed = await openStore(jsonlBackend("/store", { host: first }), { onError: () => undefined });
  await robbed.session("a").append({ role: "user", content: "1" });
  await rewriteLease(first, '{"held":false}');
  const next = await openStore(jsonlBackend("/store", { host: machine.startProcess() }));
  await next.session("a").append({ role: "user", content: "2" });

  await expect(robbed.session("a").append({ role: "user", content: "late" })).rejects.toMatchObject({
    code: "STORE_FAILED",
  });
  const contents = (await next.session("a").messages()).map(({ content }) => content);
  expect(contents).toEqual(["1", "2"]);
  await next.close();
});

test("a lease that is held but not understood is a newer version's, not a free one", async () => {
  const machine = new SimulatedMachine(1);
  const first = machine.startProcess();
  const store = await openStore(jsonlBackend("/store", { host: first }));
  await rewriteLease(first, '{"held":true,"owner":{"of":"another form"}}');
  const second = openStore(jsonlBackend("/store", { host: machine.startProcess() }));
  await expect(second).rejects.toMatchObject({ code: "SESSION_LOCKED", detail: { liveness: "unproven" } });
  await store.close().catch(() => undefined);
});
