/** One bit turned in a lease: of a living holder, who must not be robbed; of a dead one, who must not be in the way. */

import { expect, test } from "vitest";
import { jsonlBackend } from "../../src/backends/jsonl/jsonl-backend.ts";
import {
  recoveryLockOf,
  layoutOf,
  leaseNameOf,
  leaseShard,
  type LeaseName,
} from "../../src/format/layout.ts";
import type { Host } from "../../src/host/host.ts";
import { openStore } from "../../src/open-store.ts";
import type { Store } from "../../src/contract/types.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { user } from "../support/conversation.ts";
import { toId } from "../../src/format/session-id.ts";

const DIRECTORY = "/store";
const LAYOUT = layoutOf(DIRECTORY);

async function open(host: Host): Promise<Store> {
  const quiet = { onDamage: () => undefined, onError: () => undefined };
  return await openStore(jsonlBackend(DIRECTORY, { host, lockWait: 50 }), quiet);
}

/** How many bits the only file of this lease has; the one at `bit`, if there is such a one, is turned. */
async function turn(host: Host, leaseName: LeaseName, bit: number): Promise<number> {
  const shard = leaseShard(LAYOUT, leaseName);
  const names = await host.files.readDirectory(shard);
  const found = names.filter((name) => name.startsWith(`${leaseName}.`));
  expect(found).toHaveLength(1);
  const file = await host.files.open(`${shard}/${found[0] ?? ""}`, "write");
  const bytes = Buffer.alloc((await file.stat()).size);
  await file.read(bytes, 0);
  const before = bytes[bit >> 3];
  if (before !== undefined) bytes[bit >> 3] = before ^ (1 << (bit & 7));
  await file.write(bytes, 0);
  await file.close();
  return bytes.length * 8;
}

test("whichever bit of a living holder's lease is turned, nobody else writes beside him", async () => {
  // 13 has no divisor in common with 8: every bit of a byte has its turn, in one byte or another.
  for (let bit = 0, bits = 1; bit < bits; bit += 13) {
    const machine = new SimulatedMachine(1);
    const [one, other] = [await open(machine.startProcess()), await open(machine.startProcess())];
    await one.session("x").append(user("first"));
    const lock = await one.session("x").lock();
    bits = await turn(machine.startProcess(), leaseNameOf("x"), bit);
    await expect(other.session("x").append(user("beside")), `bit ${bit}`).rejects.toMatchObject({
      code: "SESSION_LOCKED",
    });
    await one.session("x").append(user("second"));
    await lock[Symbol.asyncDispose]();
    await one.close();
    await other.session("x").append(user("third"));
    const contents = (await other.session("x").messages()).map(({ content }) => content);
    expect(contents).toEqual(["first", "second", "third"]);
  }
});

test("whichever bit of the lock of one who died recovering is turned, the next recovers", async () => {
  for (let bit = 0, bits = 1; bit < bits; bit += 13) {
    const machine = new SimulatedMachine(1);
    const writer = machine.startProcess();
    await (await open(writer)).session("x").append(user("first"));
    writer.kill();
    const recoverer = machine.startProcess();
    machine.onOperation(({ operation, path }) => {
      if (operation === "create" && path.endsWith(".fence")) recoverer.kill();
    });
    await expect(open(recoverer)).rejects.toThrow();
    const leases = machine.startProcess();
    const journals = await leases.files.readDirectory(LAYOUT.journals);
    const dead = journals.find((name) => name.endsWith(".journal"))?.split(".")[0] ?? "";
    bits = await turn(leases, recoveryLockOf(toId(dead)), bit);
    const store = await open(machine.startProcess());
    expect((await store.session("x").messages()).map(({ content }) => content)).toEqual(["first"]);
    await store.session("x").append(user("second"));
    await store.close();
  }
});
