/**
 * Deleting and beginning anew, crashed after every operation: an acknowledged deletion stays done, the deleted session
 * is in the trash whole, and the old and the new session of the key are never mixed.
 */

import { expect, test } from "vitest";
import { openStore, type SessionInfo, type Store } from "../../src/index.ts";
import { jsonlBackend } from "../../src/backends/jsonl/jsonl-backend.ts";
import type { Host } from "../../src/host/host.ts";
import { failingHost } from "../../src/testing/failing-host.ts";
import { SimulatedMachine, type Capture } from "../../src/testing/simulated-machine.ts";
import { user } from "../support/conversation.ts";

const KEY = "a:1";
const OLD = ["old 1", "old 2", "old 3"];
const NEW = ["new 1", "new 2"];

interface Moment {
  readonly operation: string;
  readonly capture: Capture;
  /** What was acknowledged by then. */
  readonly old: number;
  readonly deleted: boolean;
  readonly fresh: number;
}

async function run(forever: boolean, spoil: (host: Host) => Host = (host) => host): Promise<Moment[]> {
  const machine = new SimulatedMachine(3);
  const moments: Moment[] = [];
  const done = { old: 0, deleted: false, fresh: 0 };
  machine.onOperation(({ operation, path, changedDisk }) => {
    if (changedDisk) moments.push({ operation: `${operation} ${path}`, capture: machine.capture(), ...done });
  });
  const store = await openStore(jsonlBackend("/store", { host: spoil(machine.startProcess()) }));
  const session = store.session(KEY);
  for (const content of OLD) done.old = (await session.append(user(content))).seq;
  await session.delete({ forever });
  done.deleted = true;
  for (const content of NEW) done.fresh = (await session.append(user(content))).seq;
  await store.close();
  return moments;
}

async function findViolation(
  machine: SimulatedMachine,
  moment: Moment,
  forever: boolean,
): Promise<string | undefined> {
  const damage: string[] = [];
  const store = await openStore(jsonlBackend("/store", { host: machine.startProcess() }), {
    onDamage: ({ reason }) => damage.push(reason),
  });
  const active = (await store.session(KEY).messages()).map(({ content }) => content as string);
  const trashed = await sessionsOf(store);
  await store.close();
  if (damage.length > 0) return `damage: ${damage.join(", ")}`;
  const isOld = isPrefix(active, OLD) && active.length >= moment.old && !moment.deleted;
  const isNew = isPrefix(active, NEW) && active.length >= moment.fresh;
  if (!isOld && !isNew) return `the key reads ${JSON.stringify(active)}`;
  // Once the old one is no longer the key's, it lies in the trash, whole, once. Deleted for ever it may still lie there,
  // but not when that was acknowledged.
  const inTrash = trashed.map(({ seq }) => seq).join();
  const isGone = active.length === 0 || active[0]?.startsWith("new") === true;
  if (forever && moment.deleted && inTrash !== "") return `deleted for ever, the trash holds [${inTrash}]`;
  const mayBe = isGone && moment.old > 0 && !forever ? ["3"] : ["", "3"];
  return mayBe.includes(inTrash) || (moment.old < 3 && inTrash === "")
    ? undefined
    : `the trash holds [${inTrash}]`;
}

async function sessionsOf(store: Store): Promise<SessionInfo[]> {
  const found: SessionInfo[] = [];
  for await (const info of store.list({ status: "trashed" })) found.push(info);
  return found;
}

function isPrefix(found: readonly string[], whole: readonly string[]): boolean {
  return found.every((content, index) => content === whole[index]);
}

async function firstViolation(
  moments: readonly Moment[],
  forever: boolean,
): Promise<{ states: number; violation?: string }> {
  let states = 0;
  for (const moment of moments) {
    for (const machine of [moment.capture.afterKill(), ...moment.capture.afterPowerLoss({ limit: 25 })]) {
      states += 1;
      const story = machine.describe();
      const violation = await findViolation(machine, moment, forever);
      if (violation !== undefined)
        return { states, violation: `after ${moment.operation}: ${violation}\n${story}` };
    }
  }
  return { states };
}

test.each([false, true])("delete, forever: %s", async (forever) => {
  const { states, violation } = await firstViolation(await run(forever), forever);
  expect(violation).toBeUndefined();
  expect(states).toBeGreaterThan(500);
});

/** Says yes to every sync of names from the moment on in which the session goes to the trash, and does nothing. */
function forgetsTheMove(host: Host): Host {
  let isMoved = false;
  return failingHost(host, ({ operation, path, to }) => {
    if (operation === "rename" && to?.includes("/trash/") === true) isMoved = true;
    const isForgotten = isMoved && operation === "syncDirectory" && !path.includes(".longhand");
    return isForgotten ? { kind: "ignored" } : undefined;
  });
}

test("control: without syncing the names, what was deleted comes back", async () => {
  const { violation } = await firstViolation(await run(false, forgetsTheMove), false);
  expect(violation).toContain('the key reads ["old 1","old 2","old 3"]');
});

test("control: without syncing the names, what was deleted for ever is there again", async () => {
  const { violation } = await firstViolation(await run(true, forgetsTheMove), true);
  expect(violation).toMatch(
    /the key reads \["old 1","old 2","old 3"\]|deleted for ever, the trash holds \[3\]/,
  );
});
