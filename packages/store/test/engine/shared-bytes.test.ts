/**
 * A fork shares the file that its origin goes on writing to. If those bytes are damaged and a dead writer's journal still
 * has them, they count as there, also where the fork's own checkpoint is damaged and the state must be worked out from them.
 */

import { beforeEach, describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type Damage, type Store } from "../../src/index.ts";
import type { CrashableHost, Host } from "../../src/testing/index.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { withInstance } from "../support/begin-instance.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { DIRECTORY, readSimulatedFile, writeSimulatedFile } from "../support/simulated-store.ts";

let machine: SimulatedMachine;
let damage: Damage[];

beforeEach(() => {
  machine = new SimulatedMachine(5);
  damage = [];
});

async function open(host: Host, readOnly = false): Promise<Store> {
  const onDamage = (found: Damage): unknown => damage.push(found);
  return await openStore(jsonlBackend(DIRECTORY, { host }), { readOnly, onDamage });
}

/** It has forked "a" to "b" and given "b" up; the three records that they share are in its journal. */
async function writeOrigin(): Promise<CrashableHost> {
  const process = machine.startProcess();
  const store = await open(process);
  for (const content of ["one", "two", "three"]) await store.session("a").append(user(content));
  await store.session("a").fork("b");
  const next = await open(machine.startProcess());
  await next.session("b").append(user("four"));
  await next.close();
  return process;
}

/** The second line of each file: a record that "a" and "b" share, and the checkpoint with which "b" begins. */
async function spoil(): Promise<void> {
  const host = machine.startProcess();
  for (const name of ["a", "b"]) {
    const path = `${DIRECTORY}/${name}.jsonl`;
    const bytes = await readSimulatedFile(host, path);
    const first = bytes.indexOf("\n") + 1;
    await writeSimulatedFile(host, path, bytes.fill(0, first, bytes.indexOf("\n", first)));
  }
}

const damagedFiles = (): string[] => damage.map(({ file }) => file);

describe("a damaged checkpoint, over shared bytes that only a dead writer's journal has", () => {
  test("a reader works out the right state", async () => {
    const origin = await writeOrigin();
    origin.kill();
    await spoil();
    const store = await open(machine.startProcess(), true);
    expect((await store.session("b").state())?.count).toBe(4);
    expect(await contentsOf(store.session("b"))).toEqual(["one", "two", "three", "four"]);
    expect(new Set(damagedFiles())).toEqual(new Set([`${DIRECTORY}/b.jsonl`]));
    await store.close();
  });

  test("a writer that was open before works out the right state", async () => {
    const origin = await writeOrigin();
    const store = await open(machine.startProcess());
    origin.kill();
    await spoil();
    await store.session("b").append(user("five"));
    expect((await store.session("b").state())?.count).toBe(5);
    expect(await contentsOf(store.session("b"))).toEqual(["one", "two", "three", "four", "five"]);
    expect(new Set(damagedFiles())).toEqual(new Set([`${DIRECTORY}/b.jsonl`]));
    await store.close();
  });

  test("a repair mends the checkpoint and loses nothing, while another process is recovering the writer", async () => {
    const origin = await writeOrigin();
    const store = await withInstance(await open(machine.startProcess()));
    origin.kill();
    await spoil();
    await startRecovering();
    const { lost } = await store.repair({ keys: ["b"] });
    expect(lost ?? []).toEqual([]);
    expect((await store.session("b").state())?.count).toBe(4);
    expect(await contentsOf(store.session("b"))).toEqual(["one", "two", "three", "four"]);
  });
});

/** Another process takes the dead one over and stops before it looks at the session's file. */
async function startRecovering(): Promise<void> {
  const host = machine.startProcess();
  await new Promise<void>((resolve) => {
    const files = new Proxy(host.files, {
      get: (target, name): unknown => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return async (...args: readonly unknown[]): Promise<unknown> => {
          if (args[0] !== `${DIRECTORY}/a.jsonl`)
            return await (Reflect.apply(method, target, args) as unknown);
          resolve();
          return await new Promise(() => undefined);
        };
      },
    });
    void open({
      files,
      processes: host.processes,
      user: host.user,
      now: () => host.now(),
      randomBytes: (length) => host.randomBytes(length),
      wait: async (milliseconds, background) => await host.wait(milliseconds, background),
    });
  });
}
