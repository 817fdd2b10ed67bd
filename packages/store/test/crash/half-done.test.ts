/** What a fault or a kill in the middle leaves half done: it is told as it is, and an ordinary crash is no damage. */

import { describe, expect, test } from "vitest";
import { openStore, type Damage, type Store } from "../../src/index.ts";
import { jsonlBackend } from "../../src/backends/jsonl/jsonl-backend.ts";
import type { Host } from "../../src/host/host.ts";
import { failingHost } from "../../src/testing/failing-host.ts";
import type { FaultPlan } from "../../src/testing/fault-plan.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { withInstance } from "../support/begin-instance.ts";
import { user } from "../support/conversation.ts";

const DIRECTORY = "/store";

async function open(host: Host, onDamage: (damage: Damage) => void = () => undefined): Promise<Store> {
  return await openStore(jsonlBackend(DIRECTORY, { host }), { onDamage, onError: () => undefined });
}

/** Runs `use` on a store with a session "b", while calls fail as planned, until they are told not to. */
async function whileFailing(
  plan: FaultPlan,
  use: (store: Store, heal: () => void) => Promise<void>,
): Promise<void> {
  let isFailing = false;
  const process = new SimulatedMachine(3).startProcess();
  const store = await open(failingHost(process, (call) => (isFailing ? plan(call) : undefined)));
  await store.session("b").append(user("one"));
  isFailing = true;
  await use(store, () => {
    isFailing = false;
  });
}

const EIO = { kind: "error", code: "EIO" } as const;

describe("putting away", () => {
  test("a session that is archived is answered for, though its file cannot be closed", async () => {
    const plan: FaultPlan = ({ operation, path }) =>
      operation === "close" && path.endsWith("/b.jsonl") ? EIO : undefined;
    await whileFailing(plan, async (store, heal) => {
      await store.session("b").archive();
      heal();
      expect((await store.session("b").state())?.status).toBe("archived");
    });
  });

  test("a delete that cannot see what there is to delete has deleted nothing", async () => {
    const plan: FaultPlan = ({ operation, path }) =>
      operation === "readDirectory" && path.endsWith("/archive") ? EIO : undefined;
    await whileFailing(plan, async (store, heal) => {
      await expect(store.session("b").delete()).rejects.toMatchObject({ code: "IO_FAILED" });
      heal();
      expect((await store.session("b").state())?.status).toBe("active");
    });
  });
});

describe("forking", () => {
  test.each(["unlink", "close"])(
    "a fork that is there is answered for, though the last %s fails",
    async (last) => {
      const plan: FaultPlan = ({ operation, path }) =>
        operation === last && path.includes("/.longhand/new/") ? EIO : undefined;
      await whileFailing(plan, async (store, heal) => {
        await store.session("b").fork("copy");
        heal();
        expect((await store.session("copy").messages()).map(({ content }) => content)).toEqual(["one"]);
      });
    },
  );
});

describe("forking that fails", () => {
  test("files that could not be removed again are not damage, and go when the store is opened next", async () => {
    const process = new SimulatedMachine(3).startProcess();
    let state: "room" | "full" | "freed" = "room";
    // Nothing more can be opened once the first file is shared, not even a directory to look into.
    const host = failingHost(process, ({ operation, path }) => {
      const opens = ["open", "openForWriting", "create", "readDirectory", "syncDirectory"].includes(
        operation,
      );
      if (state === "room" && operation === "syncDirectory" && /segments\/./.test(path)) state = "full";
      return state === "full" && opens ? { kind: "error", code: "EMFILE" } : undefined;
    });
    const store = await open(host);
    await store.session("b").append(user("one"));
    await expect(store.session("b").fork("copy")).rejects.toMatchObject({ code: "IO_FAILED" });
    await store.close().catch(() => undefined);
    state = "freed";
    const again = await open(host);
    expect((await again.verify()).damage).toEqual([]);
    expect(await again.session("copy").exists()).toBe(false);
    const names = await process.files.readDirectory(`${DIRECTORY}/segments`);
    for (const name of names)
      expect(await process.files.readDirectory(`${DIRECTORY}/segments/${name}`)).toEqual([]);
  });
});

describe("creating", () => {
  /** A session that was linked to its name when its creator was killed; another store was open all the time. */
  async function createdByHalf(machine: SimulatedMachine, host: Host, damage: Damage[]): Promise<Store> {
    // Open before the kill: it removes what was left when it opens, not later.
    const neighbour = await withInstance(await open(host, (found) => damage.push(found)));
    const creator = machine.startProcess();
    machine.onOperation(({ operation, to }) => {
      if (operation === "link" && to === `${DIRECTORY}/b.jsonl`) creator.kill();
    });
    await expect((await open(creator)).session("b").append(user("never answered"))).rejects.toThrow();
    return neighbour;
  }

  test("a session whose creator was killed has a second name, and that is no damage", async () => {
    const machine = new SimulatedMachine(3);
    const damage: Damage[] = [];
    const neighbour = await createdByHalf(machine, machine.startProcess(), damage);
    expect(await neighbour.session("b").append(user("one"))).toEqual({ seq: 1 });
    expect(damage).toEqual([]);
  });

  test("nor if the second name is removed while it is looked for", async () => {
    const machine = new SimulatedMachine(3);
    const damage: Damage[] = [];
    const process = machine.startProcess();
    const remover = machine.startProcess();
    let removed: Promise<void> | undefined;
    const host = failingHost(process, ({ operation, path }) => {
      if (operation === "stat" && path.startsWith(`${DIRECTORY}/.longhand/new/.new-`))
        removed ??= Promise.resolve(remover.files.unlink(path));
      return undefined;
    });
    const neighbour = await createdByHalf(machine, host, damage);
    expect(await neighbour.session("b").append(user("one"))).toEqual({ seq: 1 });
    await removed;
    expect(removed).toBeDefined();
    expect(damage).toEqual([]);
  });
});
