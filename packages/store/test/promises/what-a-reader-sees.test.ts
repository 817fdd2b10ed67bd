/** What a store reads of another store's acknowledged writes: the table in docs/durability.md, row by row. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { jsonlBackend, openStore, type Store } from "../../src/index.ts";
import type { Host } from "../../src/host/host.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { heldHost } from "../crash/held-host.ts";
import { contentsOf, user } from "../support/conversation.ts";

interface Scene {
  readonly machine: SimulatedMachine;
  readonly writer: Store;
  readonly kill: () => void;
  /** From now on nothing lands; `land` lets it. */
  readonly hold: () => void;
  readonly apply: () => void;
}

const quiet = { onError: () => undefined, onDamage: () => undefined };

async function open(host: Host, readOnly = false): Promise<Store> {
  return await openStore(jsonlBackend("/store", { host }), { ...quiet, readOnly });
}

/** A writer that has "one" in its file, and whose later writes to session files can be held up. */
async function begin(): Promise<Scene> {
  const machine = new SimulatedMachine(1);
  const process = machine.startProcess();
  let isHeld = false;
  let letGo: () => void = () => undefined;
  let gate = Promise.resolve();
  const host = heldHost(process, async ({ operation, path }, perform) => {
    // The journal and the leases are not held: what is acknowledged is durable, and only does not land.
    if (operation === "write" && !/\/\.longhand\/(?!new\/)/.test(path) && isHeld) await gate;
    return await perform();
  });
  const writer = await open(host);
  await writer.session("a").append(user("one"));
  return {
    machine,
    writer,
    kill: () => process.kill(),
    hold: () => {
      isHeld = true;
      gate = new Promise((resolve) => (letGo = resolve));
    },
    apply: () => {
      isHeld = false;
      letGo();
    },
  };
}

async function applied(store: Store): Promise<void> {
  while ((await contentsOf(store.session("a"))).length < 4) await new Promise((done) => setImmediate(done));
}

test.each([false, true])(
  "of a living holder: a prefix with whole batches, then everything (readOnly: %s)",
  async (readOnly) => {
    const { machine, writer, hold, apply } = await begin();
    const reader = await open(machine.startProcess(), readOnly);
    hold();
    await writer.session("a").append(user("two"));
    await writer.session("a").append([user("three"), user("four")]);
    expect(await contentsOf(writer.session("a"))).toEqual(["one", "two", "three", "four"]);
    // The control: "reads see every write that resolved before" is not what holds between two stores.
    expect(await contentsOf(reader.session("a"))).toEqual(["one"]);
    apply();
    await applied(reader);
    expect(await contentsOf(reader.session("a"))).toEqual(["one", "two", "three", "four"]);
    await reader.close();
    await writer.close();
  },
);

test("after lock(): everything that was acknowledged before", async () => {
  const { machine, writer, hold, apply } = await begin();
  const other = await open(machine.startProcess());
  hold();
  await writer.session("a").append(user("two"));
  const locking = other.session("a").lock();
  expect(await contentsOf(other.session("a"))).toEqual(["one"]);
  apply();
  const lock = await locking;
  expect(await contentsOf(other.session("a"))).toEqual(["one", "two"]);
  await lock[Symbol.asyncDispose]();
  await other.close();
  await writer.close();
});

test.each([false, true])(
  "of one that has died: everything, though it never landed (readOnly: %s)",
  async (readOnly) => {
    const { machine, writer, kill, hold } = await begin();
    hold();
    await writer.session("a").append(user("two"));
    kill();
    const reader = await open(machine.startProcess(), readOnly);
    expect(await contentsOf(reader.session("a"))).toEqual(["one", "two"]);
    await reader.close();
  },
);

test("of one that has closed: everything", async () => {
  const { machine, writer, hold, apply } = await begin();
  hold();
  await writer.session("a").append(user("two"));
  const closing = writer.close();
  apply();
  await closing;
  const reader = await open(machine.startProcess(), true);
  expect(await contentsOf(reader.session("a"))).toEqual(["one", "two"]);
  await reader.close();
});

test("both pages state it in the same words", () => {
  const page = (name: string): string =>
    readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), "utf8").replaceAll(/\s+/g, " ");
  const statement = "A store reads everything that it has itself acknowledged. Of what another store writes";
  for (const name of ["store.md", "durability.md"]) {
    expect(page(name)).toContain(statement);
    expect(page(name)).not.toContain("every write that resolved before");
  }
});
