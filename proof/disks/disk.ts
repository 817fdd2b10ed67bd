/**
 * A file system of its own for a part that must fill one or cut its power: a loop-mounted image (ext4, XFS) or a piece
 * of memory (tmpfs), in a temporary directory. It goes with the process, however that ends; what one that was killed has
 * left is removed by the next (stale-directories.ts).
 */

import { execFile } from "node:child_process";
import { mkdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { makeOwnDirectory, MOUNT_POINT, removeOwnDirectory } from "./own-directories.ts";
import { SEARCHED } from "./missing-tool.ts";

const run = promisify(execFile);
const UNMOUNT_TRIES = 100;

export type DiskKind = "ext4" | "xfs" | "tmpfs";

export interface DiskPlan {
  readonly kind: DiskKind;
  readonly bytes: number;
  /** How many files and directories there can be; where it is not said, the file system decides. */
  readonly inodes?: number;
  /** Its image lies on this one, with holes: when that one is full, writing to this one's device fails. */
  readonly on?: Disk;
}

// _IOR('X', 125, uint32_t) with 2: goes down at once, with nothing flushed, not even the log. It looks again itself
// whether the directory is the root of a mounted loop device: on any other disk this would be a real misfortune.
const CUT = String.raw`
  open(my $mount, "<", $ARGV[0]) or die "open: $!\n";
  my $device = (stat $mount)[0];
  my $parent = (stat "$ARGV[0]/..")[0];
  die "not a mounted disk\n" if $device == $parent || ($device >> 8 & 0xfff) != 7;
  my $how = pack("L", 2);
  ioctl($mount, 0x8004587d, $how) or die "ioctl: $!\n";
`;

export class Disk {
  /** Where it is mounted. */
  readonly path: string;
  readonly kind: DiskKind;
  readonly #directory: string;
  readonly #image: string;

  private constructor(directory: string, { kind, on }: DiskPlan) {
    this.#directory = directory;
    this.#image = join(on?.path ?? directory, "image");
    this.kind = kind;
    this.path = join(directory, MOUNT_POINT);
  }

  static async make(plan: DiskPlan): Promise<Disk> {
    const { kind, bytes, inodes, on } = plan;
    const disk = new Disk(makeOwnDirectory(), plan);
    await mkdir(disk.path);
    if (kind === "tmpfs") {
      const limits = inodes === undefined ? `size=${bytes}` : `size=${bytes},nr_inodes=${inodes}`;
      await call("mount", ["-t", "tmpfs", "-o", limits, "tmpfs", disk.path]);
      return disk;
    }
    await writeFile(disk.#image, "");
    await truncate(disk.#image, bytes);
    if (kind === "xfs") await call("mkfs.xfs", ["-q", "-f", disk.#image]);
    else {
      // Without room kept for root, who runs this: full is full.
      const limits = inodes === undefined ? [] : ["-N", String(inodes)];
      await call("mkfs.ext4", ["-q", "-F", "-m", "0", ...limits, disk.#image]);
    }
    if (on !== undefined) await call("fallocate", ["--dig-holes", disk.#image]);
    await disk.#mount();
    return disk;
  }

  /** The power goes: what is not on the disk is gone. Nobody may be in the middle of a call. */
  async cutPower(): Promise<void> {
    if (!(await this.#isLoopMount()))
      throw new Error(`${this.path} is not a loop mount; its power is not cut`);
    await call("perl", ["-e", CUT, this.path]);
  }

  /** The power is back: unmounts what is left and mounts it again, which recovers the file system's own log. */
  async comeBack(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await call("umount", [this.path]);
        break;
      } catch (error) {
        // The files of a process that was killed may be given back a little later than it is gone.
        if (tries === UNMOUNT_TRIES) throw error;
        await sleep(20);
      }
    }
    await this.#mount();
  }

  remove(): void {
    removeOwnDirectory(this.#directory);
  }

  async #mount(): Promise<void> {
    await call("mount", ["-o", "loop", this.#image, this.path]);
  }

  async #isLoopMount(): Promise<boolean> {
    const mounts = await readFile("/proc/self/mounts", "utf8");
    const isListed = mounts.split("\n").some((line) => {
      const [source = "", path] = line.split(" ");
      return source.startsWith("/dev/loop") && path === this.path;
    });
    return isListed && (await stat(this.path)).dev !== (await stat(this.#directory)).dev;
  }
}

/** Names what went wrong with what the tool said. */
async function call(command: string, parameters: readonly string[]): Promise<void> {
  try {
    await run(command, parameters, { env: { ...process.env, PATH: SEARCHED.join(":") } });
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    throw new Error(`${command} failed: ${stderr.trim() || String(error)}`, { cause: error });
  }
}
