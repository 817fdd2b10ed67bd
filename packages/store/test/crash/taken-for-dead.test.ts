/**
 * A living instance is taken for dead just when it is about to use its journal's space again, and its adopter is killed
 * before the removal of that journal is durable. The block that it still writes there, and answers nobody for, must
 * not count when a power loss brings the journal back.
 */

import { expect, test } from "vitest";
import { jsonlBackend, openStore, type Store } from "../../src/index.ts";
import type { Host } from "../../src/host/host.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { withInstance } from "../support/begin-instance.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { Gate, heldHost } from "./held-host.ts";
import { mistakenAbout } from "./mistaken-host.ts";

const JOURNALS = "/store/.longhand/journal";

async function open(host: Host): Promise<Store> {
  const quiet = { onDamage: () => undefined, onError: () => undefined };
  return await withInstance(await openStore(jsonlBackend("/store", { host, journalBytes: 200 }), quiet));
}

test("a journal that was adopted stays empty, though its owner lives and begins its next generation", async () => {
  const machine = new SimulatedMachine(1);
  const gate = new Gate();
  let isLate = false;
  const victim = await open(
    heldHost(machine.startProcess(), async ({ operation, path }, perform) => {
      if (isLate && operation === "write" && path.endsWith(".journal")) await gate.wait();
      return await perform();
    }),
  );
  const [journal = ""] = (await machine.startProcess().files.readDirectory(JOURNALS)).filter((name) =>
    name.endsWith(".journal"),
  );
  await victim.session("a").append(user("first"));
  const bystander = await open(machine.startProcess());
  isLate = true;
  const late = expect(victim.session("a").append(user("late"))).rejects.toMatchObject({
    code: "STORE_FAILED",
  });
  await gate.reached;

  const recoverer = machine.startProcess();
  const recovered = heldHost(
    mistakenAbout(journal.slice(0, journal.indexOf(".")), recoverer),
    async ({ operation, path }, perform) => {
      const isSync = operation === "syncDirectory" && path === JOURNALS;
      if (isSync && !(await recoverer.files.readDirectory(JOURNALS)).includes(journal)) recoverer.kill();
      return await perform();
    },
  );
  await expect(open(recovered)).rejects.toThrow();
  gate.open();
  await late;
  const texts = ["second", "third", "fourth"];
  for (const text of texts) await bystander.session("a").append(user(text));

  let cameBack = 0;
  for (const state of machine.capture().afterPowerLoss({ limit: 50 })) {
    const names = await state.startProcess().files.readDirectory(JOURNALS);
    if (names.includes(journal)) cameBack += 1;
    const store = await open(state.startProcess());
    expect(await contentsOf(store.session("a")), state.describe()).toEqual(["first", ...texts]);
  }
  expect(cameBack).toBeGreaterThan(0);
});
