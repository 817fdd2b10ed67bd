/** Real processes that see different things of their machine: workers of a cluster, and processes to which /proc is hidden. */

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test, type TestContext } from "vitest";
import { findOwners, jsonlBackend, openStore, type Store } from "../../src/index.ts";
import { ChildProcess, killChildren } from "../support/child-process.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { leaveOut } from "../support/leave-out.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const run = promisify(execFile);
const SOON = 60_000;
let parent: string;
let directory: string;
let stores: Store[];
let workers: number[];

beforeEach(async () => {
  parent = await makeTemporaryDirectory();
  directory = join(parent, "s");
  stores = [];
  workers = [];
});

afterEach(async () => {
  for (const pid of workers) endIfThere(pid);
  await killChildren();
  for (const store of stores) await store.close();
  await removeDirectory(parent);
});

function endIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}

async function openHere(lockWait: number): Promise<Store> {
  const store = await openStore(jsonlBackend(directory, { lockWait }));
  stores.push(store);
  return store;
}

async function started(child: ChildProcess): Promise<ChildProcess> {
  await child.printed(1);
  expect(child.lines).toEqual(['{"opened":true}']);
  return child;
}

async function expectLockedBy(pid: number): Promise<void> {
  const store = await openHere(300);
  await expect(store.session("a").append(user("x"))).rejects.toMatchObject({
    code: "SESSION_LOCKED",
    detail: { pid, liveness: "alive" },
  });
}

describe("a worker of a cluster", { timeout: SOON }, () => {
  /** With a lock on "a"; answers with the pid of the worker too. */
  async function startCluster(): Promise<readonly [ChildProcess, number]> {
    const primary = await started(new ChildProcess("hold-in-cluster", directory));
    // The lock begins the instance.
    expect(await primary.ask("lock a")).toBe('{"locked":true}');
    const [owner] = await findOwners(directory);
    // Never a stand-in for it: signals to pid 0 or -1 go to whole groups of processes.
    if (owner?.pid === undefined) throw new Error("the worker's instance does not say its pid");
    const { pid } = owner;
    workers.push(pid);
    expect(pid).not.toBe(primary.pid);
    expect(await primary.ask("append a one")).toBe('{"seq":1}');
    return [primary, pid];
  }

  test("that leaves its cluster goes on, and is not replaced", async () => {
    const [primary, pid] = await startCluster();
    expect(await primary.ask("disconnect")).toBe('{"disconnected":true}');
    await expectLockedBy(pid);
    expect(await primary.ask("append a two")).toBe('{"seq":2}');
    process.kill(pid, "SIGKILL");
    const store = await openHere(10_000);
    expect(await store.session("a").append(user("three"))).toEqual({ seq: 3 });
    expect(await contentsOf(store.session("a"))).toEqual(["one", "two", "three"]);
  });

  test("that is stopped is not replaced when its primary is killed", async () => {
    const [primary, pid] = await startCluster();
    process.kill(pid, "SIGSTOP");
    primary.signal("SIGKILL");
    await vanished(primary.pid);
    await expectLockedBy(pid);
    process.kill(pid, "SIGKILL");
    const store = await openHere(10_000);
    expect(await store.session("a").append(user("two"))).toEqual({ seq: 2 });
  });

  /** Its output stays open, since its worker has it too. */
  async function vanished(pid: number): Promise<void> {
    for (;;) {
      const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined);
      if (stat === undefined || stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z")) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
});

describe("a process to which the boot id is hidden", { timeout: SOON }, () => {
  const HIDE = "mount --bind /dev/null /proc/sys/kernel/random/boot_id";

  async function startHidden(skip: TestContext["skip"]): Promise<ChildProcess> {
    await run("unshare", ["-m", "sh", "-c", HIDE]).catch((error: unknown) =>
      leaveOut(skip, `it needs a mount namespace of its own: ${String(error)}`),
    );
    const through = ["unshare", "-m", "sh", "-c", `${HIDE} && exec "$@"`, "sh"];
    return await started(new ChildProcess({ script: "hold-store", through }, directory));
  }

  test("is not replaced while it lives, and is when it is dead", async ({ skip }) => {
    const hidden = await startHidden(skip);
    await hidden.ask("lock a");
    expect(await hidden.ask("append a one")).toBe('{"seq":1}');
    await expectLockedBy(hidden.pid);
    expect(await hidden.ask("append a two")).toBe('{"seq":2}');
    hidden.signal("SIGSTOP");
    await expectLockedBy(hidden.pid);
    await hidden.kill();
    const store = await openHere(10_000);
    expect(await store.session("a").append(user("three"))).toEqual({ seq: 3 });
  });

  test("does not replace one that lives, and replaces it when it is dead", async ({ skip }) => {
    const writer = await started(new ChildProcess("hold-store", directory));
    await writer.ask("lock a");
    expect(await writer.ask("append a one")).toBe('{"seq":1}');
    const hidden = await startHidden(skip);
    const waiting = hidden.ask("append a two");
    expect(await writer.ask("append a still mine")).toBe('{"seq":2}');
    await writer.kill();
    expect(await waiting).toBe('{"seq":3}');
  });
});

describe("a holder without a socket", { timeout: SOON }, () => {
  const OWN_PROC = ["unshare", "-m", "sh", "-c", 'mount -t proc proc /proc && exec "$@"', "sh"];
  const IN_PID_NAMESPACE = ["unshare", "-p", "--fork", "--kill-child"];

  async function holdAndAsk(
    skip: TestContext["skip"],
    holder: readonly string[],
    asker: readonly string[],
    needed: readonly string[],
  ): Promise<void> {
    await run("env", [...needed, "true"]).catch((error: unknown) =>
      leaveOut(skip, `it needs a namespace of its own: ${String(error)}`),
    );
    // Too long a path for a socket: only its pid and start time can tell of it.
    directory = join(parent, "x".repeat(110), String(holder.length));
    const held = await started(new ChildProcess({ script: "hold-store", through: holder }, directory));
    expect(await held.ask("lock a")).toBe('{"locked":true}');
    const asking = await started(
      new ChildProcess({ script: "hold-store", through: asker }, directory, "impatient"),
    );
    expect(JSON.parse(await asking.ask("append a robbed"))).toMatchObject({ error: "SESSION_LOCKED" });
    expect(await held.ask("append a one")).toBe('{"seq":1}');
  }

  test("is not replaced from another time namespace", async ({ skip }) => {
    const shifted = ["unshare", "-T", "--boottime", "100000", "--fork", "--kill-child"];
    await holdAndAsk(skip, [], shifted, shifted);
    await holdAndAsk(skip, shifted, [], shifted);
  });

  test("is not replaced by a process that sees another /proc", async ({ skip }) => {
    // Both in one pid namespace, which its first process keeps.
    const keeper = new ChildProcess(
      { script: "hold-store", through: IN_PID_NAMESPACE },
      join(parent, "other"),
    );
    await keeper.printed(1);
    const { stdout } = await run("pgrep", ["-P", String(keeper.pid)]);
    const inside = ["nsenter", "-t", stdout.trim(), "-p"];
    await holdAndAsk(skip, inside, [...inside, ...OWN_PROC], [...inside, ...OWN_PROC]);
    await holdAndAsk(skip, [...inside, ...OWN_PROC], inside, [...inside, ...OWN_PROC]);
  });
});
