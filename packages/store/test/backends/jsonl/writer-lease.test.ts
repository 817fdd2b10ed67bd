/** One writer at a time for a directory: named, never robbed while it lives, followed at once when it is dead. */

import { readdir, readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../../../src/index.ts";
import { ChildProcess, killChildren } from "../../support/child-process.ts";
import { contentsOf, user } from "../../support/conversation.ts";
import { bytesIn, namesIn } from "../../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../../support/temporary-directory.ts";

/** Refusals come within seconds, or these tests fail. */
const SOON = 30_000;
const OPENED = '{"opened":true}';
let parent: string;
let directory: string;

beforeEach(async () => {
  parent = await makeTemporaryDirectory();
  directory = join(parent, "s");
});

afterEach(async () => {
  await killChildren();
  await removeDirectory(parent);
});

async function startWriter(...parameters: readonly string[]): Promise<ChildProcess> {
  const writer = new ChildProcess("hold-store", directory, ...parameters);
  await writer.printed(1);
  return writer;
}

/** Everything there is, by name and content: what a refused opener must leave as it was. */
async function everything(): Promise<unknown> {
  return { names: await namesIn(directory), bytes: await bytesIn(directory) };
}

async function expectRefused(pid: number): Promise<void> {
  const before = await everything();
  await expect(openStore(directory)).rejects.toMatchObject({
    code: "SESSION_LOCKED",
    message: expect.stringContaining(`process ${pid} on ${hostname()}`) as string,
    detail: {
      directory,
      pid,
      host: hostname(),
      since: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      liveness: "alive",
    },
  });
  expect(await everything()).toEqual(before);
}

async function expectFree(): Promise<void> {
  const store = await openStore(directory);
  await store.session("probe").append(user("free"));
  await store.close();
}

describe("the lease of a directory", { timeout: SOON }, () => {
  test("a second writer in the same process is refused; the first goes on", async () => {
    const store = await openStore(directory);
    await store.session("a").append(user("one"));
    await expectRefused(process.pid);
    await store.session("a").append(user("two"));
    expect(await contentsOf(store.session("a"))).toEqual(["one", "two"]);
    await store.close();
    await expectFree();
  });

  test("a writer in another process keeps this one out, and the other way round", async () => {
    const writer = await startWriter();
    expect(writer.lines).toEqual([OPENED]);
    await expectRefused(writer.pid);
    expect(await writer.ask("append a one")).toBe('{"seq":1}');
    expect(await writer.ask("close")).toBe('{"closed":true}');
    expect(await writer.ended).toBe(0);

    const store = await openStore(directory);
    const refused = await startWriter();
    expect(JSON.parse(refused.lines[0] ?? "")).toMatchObject({
      error: "SESSION_LOCKED",
      detail: { pid: process.pid, host: hostname() },
    });
    expect(await contentsOf(store.session("a"))).toEqual(["one"]);
    await store.close();
  });

  test("of many who open at once, exactly one gets in", async () => {
    const attempts = await Promise.allSettled(
      Array.from({ length: 8 }, async () => await openStore(directory)),
    );
    const opened = attempts.flatMap((attempt) => (attempt.status === "fulfilled" ? [attempt.value] : []));
    expect(opened).toHaveLength(1);
    for (const attempt of attempts.filter(({ status }) => status === "rejected"))
      expect(attempt).toMatchObject({ reason: { code: "SESSION_LOCKED" } });
    for (const store of opened) await store.close();
    expect(await readdir(join(directory, ".longhand/journal"))).toEqual([]);
    await expectFree();
  });

  test("a clean close frees it; many of them leave one lease file", async () => {
    for (let round = 0; round < 5; round++) await expectFree();
    expect(await readdir(join(directory, ".longhand/leases"))).toHaveLength(1);
    expect(await readdir(join(directory, ".longhand/journal"))).toEqual([]);
  });

  test("after its owner was killed the next one gets in, and finds everything", async () => {
    const writer = await startWriter();
    await writer.ask("append a one");
    await writer.ask("append a two");
    await writer.kill();
    const store = await openStore(directory);
    expect(await contentsOf(store.session("a"))).toEqual(["one", "two"]);
    await store.session("a").append(user("three"));
    await store.close();
    expect(await readdir(join(directory, ".longhand/journal"))).toEqual([]);
  });

  test("a stopped owner is not robbed; when it goes on, it still has everything", async () => {
    const writer = await startWriter();
    await writer.ask("append a one");
    writer.signal("SIGSTOP");
    await expectRefused(writer.pid);
    await expectRefused(writer.pid);
    writer.signal("SIGCONT");
    expect(await writer.ask("append a two")).toBe('{"seq":2}');
    expect(await writer.ask("read a")).toBe('["one","two"]');
    expect(await writer.ask("close")).toBe('{"closed":true}');
    await expectFree();
  });
});

describe("where the path is too long for a socket, pid and start time decide", { timeout: SOON }, () => {
  beforeEach(() => {
    directory = join(parent, "a-rather-long-name".repeat(5));
  });

  test("refused while its owner lives or is stopped, taken when it is dead", async () => {
    const writer = await startWriter();
    await writer.ask("append a one");
    expect((await namesIn(directory)).filter((name) => name.endsWith(".sock"))).toEqual([]);
    await expectRefused(writer.pid);
    writer.signal("SIGSTOP");
    await expectRefused(writer.pid);
    writer.signal("SIGCONT");
    await writer.kill();
    const store = await openStore(directory);
    expect(await contentsOf(store.session("a"))).toEqual(["one"]);
    await expectRefused(process.pid);
    await store.close();
    await expectFree();
  });
});

describe("what proves that an owner is dead, and what does not", { timeout: SOON }, () => {
  /** The lease of a dead writer, with other claims about it. */
  async function leaveLease(claims: Readonly<Record<string, unknown>>): Promise<void> {
    const writer = await startWriter();
    await writer.kill();
    const leases = join(directory, ".longhand/leases");
    const [name = ""] = await readdir(leases);
    const lease = JSON.parse(await readFile(join(leases, name), "utf8")) as Record<string, unknown>;
    expect(lease).toMatchObject({ held: true, listens: true, pid: writer.pid });
    await writeFile(join(leases, name), JSON.stringify({ ...lease, ...claims }));
  }

  test.each([
    ["it ran on another machine", { host: "elsewhere", bootId: "another boot" }],
    ["its process is in another container, without a socket", { listens: false, pidNamespace: "pid:[1]" }],
  ])("%s: nothing is proven, and it is refused", async (_, claims) => {
    await leaveLease(claims);
    await expect(openStore(directory)).rejects.toMatchObject({
      code: "SESSION_LOCKED",
      detail: { liveness: "unproven" },
    });
  });

  test.each<readonly [string, Readonly<Record<string, unknown>>]>([
    ["its container was started again under another name, on the same boot", { host: "pod-2" }],
    ["this machine was started again since", { bootId: "another boot", listens: false, pid: process.pid }],
    [
      "its pid is another process now, without a socket",
      { listens: false, pid: process.pid, startTime: "1" },
    ],
  ])("%s: it is dead", async (_, claims) => {
    await leaveLease(claims);
    await expectFree();
  });
});
