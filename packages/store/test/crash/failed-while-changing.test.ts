/**
 * An instance fails, or is taken for dead, while it is about to change a session's file by its name or its end. Whoever
 * takes over and is answered must not lose a record to the change that comes late.
 */

import { describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type Store } from "../../src/index.ts";
import type { FileSystem, Host } from "../../src/host/host.ts";
import { writeFully } from "../../src/host/write-fully.ts";
import { useFile } from "../../src/host/use-file.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";
import { systemError } from "../../src/testing/system-error.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { Gate, heldHost } from "./held-host.ts";
import { mistakenAbout } from "./mistaken-host.ts";

const PATH = "/store/x.jsonl";
const JOURNALS = "/store/.longhand/journal";
const TEXTS = ["one", "two", "three"];

interface LateChange {
  readonly what: string;
  /** What the file of the session looks like before. */
  readonly spoil?: (bytes: Buffer) => Buffer;
  readonly begin: (store: Store) => Promise<unknown>;
  readonly isLate: (operation: string, path: string) => boolean;
}

const append = async (store: Store): Promise<unknown> => await store.session("x").append(user("late"));
const torn = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.from('{"seq":4,"at":"20')]);

/** Held up in the change itself: nothing but waiting for it helps. */
const IN_THE_CHANGE: readonly LateChange[] = [
  { what: "seals", begin: append, isLate: (operation, path) => operation === "rename" && path === PATH },
  {
    what: "cuts a torn tail",
    spoil: torn,
    begin: append,
    isLate: (operation, path) => operation === "rename" && path === PATH,
  },
  {
    what: "repairs",
    spoil: (bytes) => Buffer.from(bytes.toString().replace("two", "tvo")),
    begin: async (store) => await store.repair(),
    isLate: (operation, path) => operation === "rename" && path === PATH,
  },
];

/** Held up before it: the instance must look once more. */
const BEFORE_THE_CHANGE: readonly LateChange[] = [
  {
    what: "seals",
    begin: append,
    isLate: (operation, path) => operation === "sync" && path.startsWith("/store/.longhand/new/"),
  },
  {
    what: "cuts a torn tail",
    spoil: torn,
    begin: append,
    isLate: (operation, path) => operation === "sync" && path.includes("/damaged/"),
  },
];

async function open(host: Host, segmentBytes = 1_000_000): Promise<Store> {
  return await openStore(jsonlBackend("/store", { host, segmentBytes }), {
    onDamage: () => undefined,
    onError: () => undefined,
  });
}

async function spoil(files: FileSystem, change: (bytes: Buffer) => Buffer): Promise<void> {
  await useFile(await files.open(PATH, "write"), async (file) => {
    const bytes = Buffer.alloc((await file.stat()).size);
    await file.read(bytes, 0);
    const changed = change(bytes);
    await file.truncate(0);
    await writeFully(file, changed, 0);
  });
}

/** A machine with a session of three records, and an instance whose change is held up at the gate. */
async function heldUp({ spoil: change, begin, isLate, what }: LateChange): Promise<{
  readonly machine: SimulatedMachine;
  readonly gate: Gate;
  readonly slow: Store;
  readonly ended: Promise<unknown>;
  readonly failJournal: () => void;
}> {
  const machine = new SimulatedMachine(1);
  const first = machine.startProcess();
  const store = await open(first);
  for (const text of TEXTS) await store.session("x").append(user(text));
  await store.close();
  if (change !== undefined) await spoil(first.files, change);
  const gate = new Gate();
  let isHolding = false;
  let isJournalBroken = false;
  const host = heldHost(machine.startProcess(), async ({ operation, path }, perform) => {
    if (isJournalBroken && operation === "sync" && path.endsWith(".journal"))
      throw systemError("EIO", "sync", path);
    if (isHolding && isLate(operation, path)) await gate.wait();
    return await perform();
  });
  const slow = await open(host, what === "seals" ? 100 : undefined);
  await slow.session("y").append(user("y"));
  isHolding = true;
  const ended = begin(slow).catch(() => undefined);
  await gate.reached;
  return { machine, gate, slow, ended, failJournal: () => (isJournalBroken = true) };
}

/** What counts in the end: everything that somebody was answered for. */
async function textsOf(machine: SimulatedMachine): Promise<readonly string[]> {
  const last = await open(machine.startProcess());
  const texts = await contentsOf(last.session("x"));
  await last.close();
  return texts;
}

describe("an instance that fails while it", () => {
  test.each(IN_THE_CHANGE)("$what declares itself dead only afterwards", async (change) => {
    const { machine, gate, slow, ended, failJournal } = await heldUp(change);
    const process = machine.startProcess();
    let waits = 0;
    const inLine = new Gate();
    const other = await open({
      files: process.files,
      processes: process.processes,
      user: process.user,
      now: () => process.now(),
      randomBytes: (length) => process.randomBytes(length),
      wait: async (milliseconds, background) => {
        if (++waits === 10) void inLine.wait();
        await process.wait(milliseconds, background);
      },
    });
    failJournal();
    await expect(slow.session("y").append(user("fails"))).rejects.toMatchObject({ code: "STORE_FAILED" });
    const answered = other.session("x").append(user("answered"));
    await Promise.race([answered, inLine.reached]);
    gate.open();
    await answered;
    await ended;
    await slow.close();
    await other.close();
    expect(await textsOf(machine)).toEqual(expect.arrayContaining(["one", "three", "answered"]));
  });

  test("nothing else goes on has declared itself dead when it is closed", async () => {
    const [change] = IN_THE_CHANGE;
    if (change === undefined) throw new Error("there is no change to try");
    const { machine, gate, slow, ended, failJournal } = await heldUp(change);
    gate.open();
    await ended;
    failJournal();
    await expect(slow.session("y").append(user("fails"))).rejects.toMatchObject({ code: "STORE_FAILED" });
    await slow.close();
    const names = await machine.startProcess().files.readDirectory(JOURNALS);
    expect(names.filter((name) => name.endsWith(".fence"))).toHaveLength(1);
  });
});

describe("an instance that is taken for dead before it", () => {
  test.each(BEFORE_THE_CHANGE)("$what lets it be", async (change) => {
    const { machine, gate, slow, ended } = await heldUp(change);
    const [journal = ""] = await machine.startProcess().files.readDirectory(JOURNALS);
    const other = await open(mistakenAbout(journal.slice(0, journal.indexOf(".")), machine.startProcess()));
    await other.session("x").append(user("answered"));
    gate.open();
    await ended;
    await slow.close();
    await other.close();
    expect(await textsOf(machine)).toEqual([...TEXTS, "answered"]);
  });
});
