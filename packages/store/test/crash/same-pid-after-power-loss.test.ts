/**
 * After a power loss a process may get the pid and the start time that an instance of the boot before had: a machine
 * that starts the same way each time gives the same ones. The pid then proves no death. The socket does: whatever power
 * loss leaves a journal also leaves the socket or the fence of its instance.
 */

import { describe, expect, test } from "vitest";
import { findOwners, jsonlBackend, openStore, type Store } from "../../src/index.ts";
import type { Host } from "../../src/host/host.ts";
import { failingHost, SimulatedMachine, type Capture, type CrashableHost } from "../../src/testing/index.ts";
import { withInstance } from "../support/begin-instance.ts";
import { user } from "../support/conversation.ts";
import { observedHost } from "../support/observed-host.ts";
import { Gate, heldHost } from "./held-host.ts";

const DIRECTORY = "/store";
/** Every process of every boot starts at this time. */
const START = Date.UTC(2026, 0, 2);
const STATES = 60;

async function open(host: Host): Promise<Store> {
  const quiet = { onDamage: () => undefined, onError: () => undefined };
  return await withInstance(await openStore(jsonlBackend(DIRECTORY, { host, lockWait: 0 }), quiet));
}

function start(machine: SimulatedMachine): CrashableHost {
  machine.setClock(START);
  return machine.startProcess();
}

type Life = (machine: SimulatedMachine) => Promise<void>;

const LIVES: Readonly<Record<string, Life>> = {
  "opens, writes and closes": async (machine) => {
    const store = await open(start(machine));
    await store.session("a").append(user("1"));
    await store.close();
  },
  "is killed and recovered": async (machine) => {
    await openAndDie(machine);
    await open(start(machine));
  },
  "is recovered by one process while another one opens the store and tidies up": async (machine) => {
    await openAndDie(machine);
    let isRemoved = false;
    machine.onOperation(({ operation, path }) => {
      if (operation === "unlink" && path.endsWith(".journal")) isRemoved = true;
    });
    const stopped = new Gate();
    const recovering = heldHost(start(machine), async ({ operation }, perform) => {
      if (isRemoved && operation === "syncDirectory") await stopped.wait();
      return await perform();
    });
    const opening = observedHost(start(machine), async ({ operation, path }) => {
      if (operation !== "makeDirectory" || !path.endsWith(".gate")) return;
      void open(recovering);
      await stopped.reached;
    });
    await open(opening);
  },
  "fails while it opens": async (machine) => {
    const failing = failingHost(start(machine), ({ operation, path }) =>
      operation === "makeDirectory" && path.endsWith(".gate") ? { kind: "error", code: "EIO" } : undefined,
    );
    await expect(open(failing)).rejects.toMatchObject({ code: "IO_FAILED" });
  },
  "gives itself up": async (machine) => {
    let syncs = 0;
    const failing = failingHost(start(machine), ({ operation, path }) =>
      operation === "sync" && path.endsWith(".journal") && ++syncs === 2
        ? { kind: "error", code: "EIO" }
        : undefined,
    );
    const store = await open(failing);
    await store.session("a").append(user("1"));
    await expect(store.session("a").append(user("2"))).rejects.toMatchObject({ code: "STORE_FAILED" });
    await store.close().catch(() => undefined);
  },
};

async function openAndDie(machine: SimulatedMachine): Promise<void> {
  const process = start(machine);
  await (await open(process)).session("a").append(user("1"));
  process.kill();
}

describe.each(Object.entries(LIVES))("an instance that %s", (_, life) => {
  test("is proven dead after a power loss at any moment, though another process has its pid and start time", async () => {
    const machine = new SimulatedMachine(5);
    const moments: { readonly operation: string; readonly capture: Capture }[] = [];
    machine.onOperation(({ operation, path, changedDisk }) => {
      if (changedDisk) moments.push({ operation: `${operation} ${path}`, capture: machine.capture() });
    });
    await life(machine);
    for (const { operation, capture } of moments) {
      for (const restarted of capture.afterPowerLoss({ limit: STATES })) {
        const story = `${operation}\n${restarted.describe()}`;
        // They have the pids of the processes before the power loss.
        for (let number = 0; number < 3; number++) start(restarted);
        await open(start(restarted));
        const owners = await findOwners(DIRECTORY, start(restarted));
        expect(
          owners.map(({ liveness }) => liveness),
          story,
        ).toEqual(["alive"]);
      }
    }
    expect(moments.length).toBeGreaterThan(5);
  });
});
