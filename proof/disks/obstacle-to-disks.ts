import process from "node:process";
import { Disk } from "./disk.ts";
import { missingTool } from "./missing-tool.ts";
import { removeStaleDirectories } from "./stale-directories.ts";

/** Why no disk can be made here, for a person; `undefined`: it was tried, and went well. */
export async function obstacleToDisks(tools: readonly string[]): Promise<string | undefined> {
  if (process.platform !== "linux") return "it mounts disks of its own, which is written for Linux only";
  if (process.geteuid?.() !== 0) return "it mounts disks of its own, which only root may; run it with sudo";
  const missing = missingTool(["mount", "umount", "mkfs.ext4", ...tools]);
  if (missing !== undefined) return `${missing} is not installed`;
  try {
    await removeStaleDirectories();
    const disk = await Disk.make({ kind: "ext4", bytes: 2 ** 20 });
    disk.remove();
    return undefined;
  } catch (error) {
    return `no loop device can be mounted here, though we are root: ${(error as Error).message}`;
  }
}
