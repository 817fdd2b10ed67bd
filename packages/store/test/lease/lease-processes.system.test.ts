/** Leases between real processes, threads and stores: taking turns, stopping, killing, and what proves a death. */

import { open, readdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type Store } from "../../src/index.ts";
import { decodeHead, encodeHead, HEAD_BYTES, headPosition } from "../../src/wal/head.ts";
import type { InstanceDescription } from "../../src/wal/instance-description.ts";
import { withInstance } from "../support/begin-instance.ts";
import { ChildProcess, killChildren } from "../support/child-process.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { namesIn } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const SOON = 60_000;
let parent: string;
let directory: string;
let stores: Store[];

beforeEach(async () => {
  parent = await makeTemporaryDirectory();
  directory = join(parent, "s");
  stores = [];
});

afterEach(async () => {
  await killChildren();
  for (const store of stores) await store.close();
  await removeDirectory(parent);
});

async function startWriter(...parameters: readonly string[]): Promise<ChildProcess> {
  const writer = new ChildProcess("hold-store", directory, ...parameters);
  await writer.printed(1);
  expect(writer.lines).toEqual(['{"opened":true}']);
  return writer;
}

async function openHere(lockWait = 10_000): Promise<Store> {
  const store = await openStore(jsonlBackend(directory, { lockWait }));
  stores.push(store);
  return store;
}

async function expectLocked(store: Store, key: string, { pid }: { pid: number }): Promise<void> {
  await expect(store.session(key).append(user("x"))).rejects.toMatchObject({
    code: "SESSION_LOCKED",
    message: expect.stringContaining(`process ${pid} on ${hostname()}`) as string,
    detail: {
      key,
      pid,
      host: hostname(),
      since: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      liveness: "alive",
    },
  });
}

async function journals(): Promise<string[]> {
  const names = await readdir(join(directory, ".longhand/journal"));
  return names.filter((name) => name.endsWith(".journal"));
}

function expectEverySeq(seqs: readonly number[]): void {
  expect([...seqs].sort((one, other) => one - other)).toEqual(seqs.map((_, index) => index + 1));
}

describe("two processes", { timeout: SOON }, () => {
  test("write to the same session in turn; each sees what the other has written", async () => {
    const writer = await startWriter();
    const store = await openHere();
    for (let round = 0; round < 4; round++) {
      expect(await writer.ask(`append a there ${round}`)).toBe(`{"seq":${2 * round + 1}}`);
      expect(await store.session("a").append(user(`here ${round}`))).toEqual({ seq: 2 * round + 2 });
    }
    const expected = [0, 1, 2, 3].flatMap((round) => [`there ${round}`, `here ${round}`]);
    expect(await contentsOf(store.session("a"))).toEqual(expected);
    expect(await writer.ask("append a last")).toBe('{"seq":9}');
    expect(JSON.parse(await writer.ask("read a"))).toEqual([...expected, "last"]);
    expect(await writer.ask("close")).toBe('{"closed":true}');
    expect(await store.session("a").append(user("after"))).toEqual({ seq: 10 });
  });

  test("a stopped one is not robbed; when it goes on, it has everything, and gives up what others want", async () => {
    const writer = await startWriter();
    await writer.ask("append a one");
    const store = await openHere(700);
    // Others read what is in the file, where a stopped process puts nothing.
    await expect.poll(async () => await contentsOf(store.session("a"))).toEqual(["one"]);
    writer.signal("SIGSTOP");
    await expectLocked(store, "a", writer);
    // Other sessions are nobody's; and reading needs no lease.
    expect(await store.session("b").append(user("free"))).toEqual({ seq: 1 });
    expect(await contentsOf(store.session("a"))).toEqual(["one"]);
    writer.signal("SIGCONT");
    expect(await writer.ask("append a two")).toBe('{"seq":2}');
    expect(await store.session("a").append(user("three"))).toEqual({ seq: 3 });
    expect(await writer.ask("read a")).toBe('["one","two","three"]');
  });

  test("a lock of one keeps the other out until it is killed", async () => {
    const writer = await startWriter();
    await writer.ask("lock a");
    await writer.ask("append a one");
    const store = await openHere(500);
    await expectLocked(store, "a", writer);
    const waiting = (await openHere()).session("a").append(user("two"));
    await writer.kill();
    expect(await waiting).toEqual({ seq: 2 });
  });

  test("one that was killed with records that had not landed is taken over, by a write or a read", async () => {
    const store = await openHere();
    await store.session("a").append(user("zero"));
    await store.session("b").append(user("zero"));
    const writer = await startWriter();
    for (const line of ["append a one", "append a two", "append b one"]) await writer.ask(line);
    await writer.kill();
    const other = await startWriter("no-landing");
    await other.ask("append a three");
    await other.kill();
    expect(await store.session("a").append(user("four"))).toEqual({ seq: 5 });
    expect(await contentsOf(store.session("a"))).toEqual(["zero", "one", "two", "three", "four"]);
    expect(await contentsOf(store.session("b"))).toEqual(["zero", "one"]);
    expect(await journals()).toHaveLength(1);
  });
});

describe("one process", { timeout: SOON }, () => {
  test("several stores on the same directory, by different paths, take turns", async () => {
    const roundabout = join(directory, "..", "s");
    const opened = [await openHere(), await openStore(roundabout), await openHere()];
    stores.push(opened[1] as Store);
    const seqs = await Promise.all(
      opened.flatMap((store, number) =>
        Array.from(
          { length: 10 },
          async (_, round) => (await store.session("a").append(user(`${number} ${round}`))).seq,
        ),
      ),
    );
    expectEverySeq(seqs);
    for (const store of opened) expect(await store.session("a").messages()).toHaveLength(30);
  });

  test("of many who open at once, all get in; when they close, nothing is left of them", async () => {
    const opened = await Promise.all(
      Array.from({ length: 8 }, async () => await withInstance(await openHere())),
    );
    expect(await journals()).toHaveLength(8);
    await Promise.all(opened.map(async (store) => await store.session("a").append(user("x"))));
    await Promise.all(opened.map(async (store) => await store.close()));
    expect(await readdir(join(directory, ".longhand/journal"))).toEqual([]);
    const left = await namesIn(join(directory, ".longhand/leases"));
    expect(left.filter((name) => name.includes("/a."))).toHaveLength(1);
  });

  function startThread(
    name: string,
    count: number,
    mode?: "hold",
  ): { worker: Worker; seqs: Promise<number[]> } {
    const worker = new Worker(new URL("../support/write-in-thread.mjs", import.meta.url), {
      workerData: { directory, key: "a", name, count, mode },
    });
    const seqs = new Promise<number[]>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
    });
    return { worker, seqs };
  }

  test("worker threads and the main thread take turns", async () => {
    const store = await openHere();
    const threads = ["one", "two"].map((name) => startThread(name, 10));
    const own: number[] = [];
    for (let number = 0; number < 10; number++)
      own.push((await store.session("a").append(user(`main ${number}`))).seq);
    const others = await Promise.all(threads.map(async ({ seqs }) => await seqs));
    expectEverySeq([...own, ...others.flat()]);
    const contents = await contentsOf(store.session("a"));
    for (const name of ["main", "one", "two"]) {
      const written = contents.filter((content) => content.startsWith(name));
      expect(written).toEqual(Array.from({ length: 10 }, (_, number) => `${name} ${number}`));
    }
  });

  test("a thread that was ended while it held a session is dead, although its process lives", async () => {
    const { worker, seqs } = startThread("thread", 3, "hold");
    expect(await seqs).toEqual([1, 2, 3]);
    await worker.terminate();
    const store = await openHere(3000);
    expect(await store.session("a").append(user("main"))).toEqual({ seq: 4 });
    expect(await journals()).toHaveLength(1);
  });
});

describe("where the path is too long for a socket", { timeout: SOON }, () => {
  beforeEach(() => {
    directory = join(parent, "a-rather-long-name".repeat(5));
  });

  test("they take turns all the same, nobody is robbed, and pid and start time prove a death", async () => {
    const writer = await startWriter();
    await writer.ask("append a one");
    expect((await namesIn(directory)).filter((name) => name.includes(".soc"))).toEqual([]);
    const store = await openHere();
    expect(await store.session("a").append(user("two"))).toEqual({ seq: 2 });
    expect(await writer.ask("append a three")).toBe('{"seq":3}');
    writer.signal("SIGSTOP");
    await expectLocked(await openHere(500), "a", writer);
    writer.signal("SIGCONT");
    await writer.kill();
    expect(await store.session("a").append(user("four"))).toEqual({ seq: 4 });
  });
});

describe("what proves that an instance is dead, and what does not", { timeout: SOON }, () => {
  /** The journal of a dead writer that held the key "a", with other claims about its owner. */
  async function leaveJournal(claims: Partial<InstanceDescription>): Promise<void> {
    const writer = await startWriter("no-landing");
    await writer.ask("append a one");
    await writer.kill();
    const [name = ""] = await journals();
    const file = await open(join(directory, ".longhand/journal", name), "r+");
    const bytes = Buffer.alloc(HEAD_BYTES);
    await file.read(bytes, 0, HEAD_BYTES, 0);
    const head = decodeHead(bytes);
    if (head?.owner === undefined) throw new Error("a journal says whose it is");
    expect(head.owner).toMatchObject({ listens: true, pid: writer.pid, host: hostname() });
    const changed = encodeHead({ ...head, owner: { ...head.owner, ...claims } });
    await file.write(changed, 0, changed.length, headPosition(head.generation));
    await file.close();
  }

  test.each<readonly [string, Partial<InstanceDescription>]>([
    ["it ran on another machine", { host: "elsewhere", bootId: "another boot", fileSystem: "6969" }],
    ["... of the same name", { bootId: "another boot", fileSystem: "6969" }],
    [
      "it was of an earlier version, on another machine",
      { host: "elsewhere", bootId: "another boot", fileSystem: undefined },
    ],
    ["its process is in another container, without a socket", { listens: false, pidNamespace: "pid:[1]" }],
  ])("%s: nothing is proven; its session waits, others do not", async (_, claims) => {
    await leaveJournal(claims);
    const store = await openHere(300);
    await expect(store.session("a").append(user("x"))).rejects.toMatchObject({
      code: "SESSION_LOCKED",
      message: expect.stringContaining("cannot be told from here") as string,
      detail: { liveness: "unproven" },
    });
    expect(await store.session("b").append(user("1"))).toEqual({ seq: 1 });
    expect(await contentsOf(store.session("a"))).toEqual([]);
  });

  test.each<readonly [string, Partial<InstanceDescription>]>([
    ["its container was started again under another name, on the same boot", { host: "pod-2" }],
    ["the disk was in another machine then", { host: "elsewhere", bootId: "another boot" }],
    ["this machine was started again since", { bootId: "another boot", listens: false, pid: process.pid }],
    [
      "its pid is another process now, without a socket",
      { listens: false, pid: process.pid, startTime: "1" },
    ],
  ])("%s: it is dead", async (_, claims) => {
    await leaveJournal(claims);
    const store = await openHere(300);
    expect(await contentsOf(store.session("a"))).toEqual(["one"]);
    expect(await store.session("a").append(user("two"))).toEqual({ seq: 2 });
  });
});
