/**
 * A directory is made, and the sync of its name fails. On a disk that forgets what a failed sync should have made
 * durable, no later sync makes up for it, though it says yes: whoever needs the directory next must make it anew.
 */

import { expect, test } from "vitest";
import { openStore, type Store } from "../../src/index.ts";
import { jsonlBackend } from "../../src/backends/jsonl/jsonl-backend.ts";
import type { Host } from "../../src/host/host.ts";
import { failingHost, SimulatedMachine } from "../../src/testing/index.ts";
import { contentsOf, user } from "../support/conversation.ts";

const DIRECTORY = "/home/store";
const KEYS = ["kept", "moved", "forked", "gone"];
/** Each that a store makes and relies on, without the session's id. */
const MADE = [
  ...["/home", DIRECTORY, `${DIRECTORY}/archive`, `${DIRECTORY}/trash`],
  ...[`${DIRECTORY}/segments`, `${DIRECTORY}/segments/ID`],
  ...["", "/journal", "/leases", "/damaged", "/removed"].map((name) => `${DIRECTORY}/.longhand${name}`),
];

/** The first sync after this directory was made fails, whichever directory it is of. */
function failingAfterMaking(host: Host, made: string): Host {
  let state: "waiting" | "made" | "failed" = "waiting";
  return failingHost(host, ({ operation, path }) => {
    if (state === "waiting" && operation === "makeDirectory" && nameless(path) === made) state = "made";
    if (state !== "made" || operation !== "syncDirectory" || nameless(path) !== parentOf(made))
      return undefined;
    state = "failed";
    return { kind: "error", code: "EIO" };
  });
}

function nameless(path: string): string {
  return path.replace(/[0-9A-Z]{26}/, "ID");
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** Whatever fails is done again on a store that is opened anew, until all of it is done. */
async function workUntilDone(host: Host): Promise<number> {
  const open = async (): Promise<Store> =>
    await openStore(jsonlBackend(DIRECTORY, { host, segmentBytes: 400 }), { onDamage: () => undefined });
  const steps: ((store: Store) => Promise<unknown>)[] = [
    ...[1, 2, 3].flatMap((round) =>
      KEYS.map(
        (key) => async (store: Store) =>
          await store.session(key).append(user(`${key} ${round} ${"x".repeat(150)}`), { id: `${round}` }),
      ),
    ),
    async (store) => {
      if ((await store.session("moved").state())?.status === "active") await store.session("moved").archive();
    },
    async (store) => {
      if (!(await store.session("fork").exists())) await store.session("forked").fork("fork");
    },
    async (store) => await store.session("gone").delete(),
    async (store) => await store.purge(),
  ];
  let failures = 0;
  let store: Store | undefined;
  while (steps.length > 0) {
    try {
      store ??= await open();
      await steps[0]?.(store);
      steps.shift();
    } catch (error) {
      failures += 1;
      if (failures > 3) throw error;
      await store?.close().catch(() => undefined);
      store = undefined;
    }
  }
  return failures;
}

/** What is missing after a power cut of what was acknowledged; and the damage, of which there should be none. */
async function lossesAfter(machine: SimulatedMachine): Promise<string[]> {
  const losses = new Set<string>();
  for (const cut of machine.capture().afterPowerLoss({ limit: 20 })) {
    const onDamage = ({ reason }: { reason: string }): unknown => losses.add(`damage: ${reason}`);
    const store = await openStore(jsonlBackend(DIRECTORY, { host: cut.startProcess() }), { onDamage });
    for (const [key, count] of [
      ["kept", 3],
      ["moved", 3],
      ["forked", 3],
      ["fork", 3],
      ["gone", 0],
    ] as const) {
      const found = await contentsOf(store.session(key));
      if (found.length !== count) losses.add(`${key} has ${found.length}`);
    }
    await store.close();
  }
  return [...losses];
}

test.each(MADE)("%s, whose first sync fails, is made anew", async (made) => {
  const machine = new SimulatedMachine(7);
  const host = failingAfterMaking(machine.startProcess(), made);
  expect(await workUntilDone(host)).toBe(1);
  expect(await lossesAfter(machine)).toEqual([]);
});

test("control: a name that is not taken back is believed by the next, and everything in it is lost", async () => {
  const machine = new SimulatedMachine(7);
  const failing = failingAfterMaking(machine.startProcess(), DIRECTORY);
  const host = failingHost(failing, ({ operation }) =>
    operation === "removeDirectory" ? { kind: "error", code: "EIO" } : undefined,
  );
  expect(await workUntilDone(host)).toBe(1);
  expect(await lossesAfter(machine)).toContain("kept has 0");
});
