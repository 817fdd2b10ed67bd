/** Disks of our own go with who made them, however that ends. */

import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { describe, expect, test, type TestContext } from "vitest";
import { leaveOut } from "../../packages/store/test/support/leave-out.ts";
import { Disk } from "../disks/disk.ts";
import { missingTool } from "../disks/missing-tool.ts";
import { obstacleToDisks } from "../disks/obstacle-to-disks.ts";
import { directoryPrefix, NAME } from "../disks/own-directories.ts";
import { removeStaleDirectories } from "../disks/stale-directories.ts";

const DISK = fileURLToPath(new URL("../dist/disks/disk.js", import.meta.url));
const SCRIPT = `
  const { Disk } = await import(${JSON.stringify(DISK)});
  const disk = await Disk.make({ kind: "ext4", bytes: 2 ** 20 });
  console.log(disk.path);
  setInterval(() => undefined, 1000);
  if (process.argv[1] === "throw") setTimeout(() => { throw new Error("on purpose"); }, 10);
`;

const isMounted = (path: string): boolean => readFileSync("/proc/self/mounts", "utf8").includes(` ${path} `);

interface Owner {
  readonly child: ChildProcessByStdio<null, Readable, null>;
  readonly path: string;
}

async function startOwner(parameter = ""): Promise<Owner> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", SCRIPT, "--", parameter], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
  return { child, path: line.trim() };
}

async function needDisks(skip: TestContext["skip"]): Promise<void> {
  const obstacle = await obstacleToDisks([]);
  if (obstacle !== undefined) leaveOut(skip, obstacle);
}

describe("a disk of our own", () => {
  test("is mounted, and gone when it is removed", async ({ skip }) => {
    await needDisks(skip);
    const disk = await Disk.make({ kind: "ext4", bytes: 2 ** 20 });
    expect(isMounted(disk.path)).toBe(true);
    disk.remove();
    expect([isMounted(disk.path), existsSync(dirname(disk.path))]).toEqual([false, false]);
  });

  test.for(["SIGINT", "SIGTERM", "throw"])("goes with its process after %s", async (how, { skip }) => {
    await needDisks(skip);
    const { child, path } = await startOwner(how);
    if (how !== "throw") child.kill(how as NodeJS.Signals);
    const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
    expect(signal ?? code).toBe(how === "throw" ? 1 : how);
    expect([isMounted(path), existsSync(dirname(path))]).toEqual([false, false]);
  });

  test("of one that was killed is removed by the next; that of a living one is not", async ({ skip }) => {
    await needDisks(skip);
    const [dead, living] = await Promise.all([startOwner(), startOwner()]);
    try {
      dead.child.kill("SIGKILL");
      await once(dead.child, "exit");
      expect(isMounted(dead.path)).toBe(true);
      await removeStaleDirectories();
      expect([isMounted(dead.path), existsSync(dirname(dead.path))]).toEqual([false, false]);
      expect(isMounted(living.path)).toBe(true);
    } finally {
      living.child.kill("SIGTERM");
      await once(living.child, "exit");
    }
  });

  test("is never taken for the disk that the machine lives on: no power is cut where nothing is mounted", async ({
    skip,
  }) => {
    await needDisks(skip);
    const disk = await Disk.make({ kind: "tmpfs", bytes: 2 ** 20 });
    try {
      await expect(disk.cutPower()).rejects.toThrow("its power is not cut");
    } finally {
      disk.remove();
    }
  });

  test("needs no mount to be told whose it is", async () => {
    const ours = await mkdtemp(join(tmpdir(), directoryPrefix()));
    const stale = await mkdtemp(join(tmpdir(), `${NAME}-4194305-1-`));
    try {
      await removeStaleDirectories();
      expect([existsSync(ours), existsSync(stale)]).toEqual([true, false]);
    } finally {
      await rm(ours, { recursive: true });
    }
  });

  test("a tool that is missing is named", () => {
    expect(missingTool(["sh", "no-such-tool-here"])).toBe("no-such-tool-here");
    expect(missingTool(["sh"])).toBeUndefined();
  });
});
