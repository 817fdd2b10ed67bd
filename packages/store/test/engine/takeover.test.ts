/** Taking over a dead instance: killed at every step and begun again, held up, and met by several at once. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type Damage, type JsonlOptions, type Store } from "../../src/index.ts";
import { layoutOf } from "../../src/format/layout.ts";
import { listInstances } from "../../src/lease/other-instances.ts";
import type { Host } from "../../src/host/host.ts";
import { failingHost, SimulatedMachine, type Capture } from "../../src/testing/index.ts";
import { withoutSync } from "../crash/forgetful-host.ts";
import { Gate, heldHost } from "../crash/held-host.ts";
import { withInstance } from "../support/begin-instance.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { landingFaults } from "../support/apply-faults.ts";

const DIRECTORY = "/store";

let damage: Damage[];

beforeEach(() => {
  damage = [];
});

/** No ordinary crash is damage. */
afterEach(() => {
  expect(damage).toEqual([]);
});

async function open(host: Host, options: JsonlOptions = {}, readOnly = false): Promise<Store> {
  const store = await openStore(jsonlBackend(DIRECTORY, { host, ...options }), {
    readOnly,
    onError: () => undefined,
    onDamage: (found) => damage.push(found),
  });
  return readOnly ? store : await withInstance(store);
}

/** It acknowledges records of two sessions, of which nothing lands, and is killed. */
async function dieWithUnapplied(machine: SimulatedMachine): Promise<void> {
  const host = machine.startProcess();
  const store = await open(failingHost(host, landingFaults().plan));
  for (const content of ["1", "2"]) await store.session("a").append(user(content));
  await store.session("b").append([user("x"), user("y")]);
  host.kill();
}

async function readAll(store: Store): Promise<string[][]> {
  return [await contentsOf(store.session("a")), await contentsOf(store.session("b"))];
}

const EVERYTHING = [
  ["1", "2"],
  ["x", "y"],
];

/** `undefined`: everything is there, for a reader before and for a writer after, who can go on. */
async function findViolation(machine: SimulatedMachine): Promise<string | undefined> {
  const reader = await open(machine.startProcess(), {}, true);
  const read = await readAll(reader);
  if (JSON.stringify(read) !== JSON.stringify(EVERYTHING)) return `a reader: ${JSON.stringify(read)}`;
  const writer = await open(machine.startProcess());
  const found = await readAll(writer);
  if (JSON.stringify(found) !== JSON.stringify(EVERYTHING)) return `a writer: ${JSON.stringify(found)}`;
  const { seq } = await writer.session("a").append(user("3"));
  await writer.close();
  const left = await listInstances(machine.startProcess().files, layoutOf(DIRECTORY));
  return seq === 3 && left.length === 0 ? undefined : `seq ${seq}, journals ${left.join()}`;
}

/** How a dead instance is met. Resolves when it was taken over. */
const MEETINGS: readonly [
  string,
  (host: Host, machine: SimulatedMachine) => Promise<() => Promise<unknown>>,
][] = [
  ["by opening", async (host) => await Promise.resolve(async () => await open(host))],
  [
    "by a read of a running store",
    async (host) => {
      const store = await open(host);
      return async () => await store.session("a").messages();
    },
  ],
  [
    "by a write of a running store",
    async (host) => {
      const store = await open(host);
      // Refused, so that the session stays as it is; but the lease is taken before.
      return async () =>
        await store
          .session("b")
          .append(user("z"), { expectedSeq: 99 })
          .catch(() => undefined);
    },
  ],
];

async function killedAtEveryStep(
  rendezvous: (host: Host, machine: SimulatedMachine) => Promise<() => Promise<unknown>>,
  spoil: (host: Host) => Host = (host) => host,
): Promise<{ states: number; violation: string | undefined }> {
  const captures: Capture[] = [];
  const machine = new SimulatedMachine(1);
  const meet = await rendezvous(spoil(machine.startProcess()), machine);
  await dieWithUnapplied(machine);
  machine.onOperation(({ changedDisk }) => {
    if (changedDisk) captures.push(machine.capture());
  });
  await meet();
  let states = 0;
  for (const capture of captures) {
    for (const state of [capture.afterKill(), ...capture.afterPowerLoss({ limit: 6 })]) {
      states += 1;
      const story = state.describe();
      const violation = await findViolation(state);
      if (violation !== undefined) return { states, violation: `${violation}\n${story}` };
    }
  }
  return { states, violation: undefined };
}

describe("a takeover that is killed at any step is begun again by the next, and completes", () => {
  test.each(MEETINGS)("%s", async (_name, rendezvous) => {
    const { states, violation } = await killedAtEveryStep(rendezvous);
    expect(violation).toBeUndefined();
    expect(states).toBeGreaterThan(40);
  });

  test("control: one that does not sync the files loses data", async () => {
    const [, rendezvous] = MEETINGS[0] ?? [];
    if (rendezvous === undefined) throw new Error("no meeting");
    const { violation } = await killedAtEveryStep(rendezvous, (host) => withoutSync(host, "session file"));
    expect(violation).toMatch(/^a (?:reader|writer): /);
    damage = [];
  });
});

describe("while one takes over and does not get on", () => {
  async function heldUp(): Promise<{
    machine: SimulatedMachine;
    gate: Gate;
    recovering: Promise<Store>;
    pid: number;
  }> {
    const machine = new SimulatedMachine(2);
    await dieWithUnapplied(machine);
    const gate = new Gate();
    const process = machine.startProcess();
    const host = heldHost(process, async ({ operation, path }, perform) => {
      if (operation === "sync" && path === `${DIRECTORY}/a.jsonl`) await gate.wait();
      return await perform();
    });
    const recovering = open(host);
    await gate.reached;
    return { machine, gate, recovering, pid: process.processes.self.pid };
  }

  test("others who open wait, and are told who it is; then they get in", async () => {
    const { machine, gate, recovering, pid } = await heldUp();
    const refused = open(machine.startProcess(), { lockWait: 300 });
    await expect(refused).rejects.toMatchObject({
      code: "SESSION_LOCKED",
      message: expect.stringContaining(`process ${pid}`) as string,
      detail: { directory: DIRECTORY, pid, liveness: "alive" },
    });
    const waiting = open(machine.startProcess());
    gate.open();
    const stores = await Promise.all([recovering, waiting]);
    for (const store of stores) {
      expect(await readAll(store)).toEqual(EVERYTHING);
      await store.close();
    }
    expect(await listInstances(machine.startProcess().files, layoutOf(DIRECTORY))).toEqual([]);
  });

  test("a reader waits for nobody and sees everything", async () => {
    const { machine, gate, recovering } = await heldUp();
    const reader = await open(machine.startProcess(), {}, true);
    expect(await readAll(reader)).toEqual(EVERYTHING);
    gate.open();
    expect(await readAll(await recovering)).toEqual(EVERYTHING);
    expect(await readAll(reader)).toEqual(EVERYTHING);
  });

  test("nor does a store that was open before", async () => {
    const machine = new SimulatedMachine(3);
    const [one, gate] = [await open(machine.startProcess()), new Gate()];
    const host = heldHost(machine.startProcess(), async ({ operation, path }, perform) => {
      if (operation === "sync" && path === `${DIRECTORY}/a.jsonl`) await gate.wait();
      return await perform();
    });
    const two = await open(host);
    await dieWithUnapplied(machine);
    const reading = readAll(two);
    await gate.reached;
    expect(await readAll(one)).toEqual(EVERYTHING);
    gate.open();
    expect(await reading).toEqual(EVERYTHING);
    await one.close();
    await two.close();
  });
});

test("a takeover that fails is an error of whoever needed it, and is done by the next who does", async () => {
  const machine = new SimulatedMachine(4);
  let isBroken = false;
  const host = failingHost(machine.startProcess(), ({ operation, path }) =>
    isBroken && operation === "sync" && path.endsWith("a.jsonl") ? { kind: "error", code: "EIO" } : undefined,
  );
  const store = await open(host);
  await dieWithUnapplied(machine);
  isBroken = true;
  await expect(store.session("a").messages()).rejects.toMatchObject({ code: "IO_FAILED" });
  isBroken = false;
  expect(await readAll(store)).toEqual(EVERYTHING);
  for (const cut of machine.capture().afterPowerLoss({ limit: 20 })) {
    const again = await open(cut.startProcess());
    expect(await readAll(again), cut.describe()).toEqual(EVERYTHING);
    await again.close();
  }
  await store.close();
});

test("two who have died one after the other, the second while it took over the first", async () => {
  const machine = new SimulatedMachine(5);
  const third = await open(machine.startProcess());
  const second = machine.startProcess();
  const store = await open(second);
  await store.session("c").append(user("c"));
  await dieWithUnapplied(machine);
  machine.onOperation(({ operation, path, pid }) => {
    if (pid === second.processes.self.pid && operation === "sync" && path.endsWith("a.jsonl")) second.kill();
  });
  await store
    .session("a")
    .messages()
    .catch(() => undefined);
  expect(await readAll(third)).toEqual(EVERYTHING);
  expect(await contentsOf(third.session("c"))).toEqual(["c"]);
  expect(await listInstances(machine.startProcess().files, layoutOf(DIRECTORY))).toHaveLength(1);
  await third.close();
});
