import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { TestContext } from "vitest";
import { leaveOut } from "./leave-out.ts";

const run = promisify(execFile);

/** Mounts at `path` while `body` runs; leaves the test out where that is not allowed. */
export async function withMount(
  skip: TestContext["skip"],
  parameters: readonly string[],
  path: string,
  body: () => Promise<void>,
): Promise<void> {
  try {
    await run("mount", [...parameters, path]);
  } catch (error) {
    leaveOut(skip, `it needs to mount a file system: ${String(error)}`);
  }
  try {
    await body();
  } finally {
    // Also while a failed test has files open there.
    await run("umount", ["-l", path]);
  }
}

export async function remountReadOnly(path: string): Promise<void> {
  await run("mount", ["-o", "remount,ro", path]);
}
