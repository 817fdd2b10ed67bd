/** The files of a simulated machine, as one of its processes uses them. */

import { posix } from "node:path";
import type { FileStat, FileSystem, OpenFile, OpenMode } from "../host/host.ts";
import { errorCode } from "../host/io-error.ts";
import { OPEN_OPERATIONS } from "./file-operation.ts";
import type { SimulatedDisk } from "./simulated-disk.ts";
import { SimulatedFile } from "./simulated-file.ts";
import type { SimulatedProcess } from "./simulated-process.ts";
import { simulatedStat } from "./simulated-stat.ts";
import { systemError } from "./system-error.ts";

export class SimulatedFileSystem implements FileSystem {
  readonly #process: SimulatedProcess;
  readonly #disk: SimulatedDisk;

  constructor(process: SimulatedProcess) {
    this.#process = process;
    this.#disk = process.kernel.disk;
  }

  open(path: string, mode: OpenMode): Promise<OpenFile> {
    return this.#process.perform(OPEN_OPERATIONS[mode], path, () => {
      const inode = mode === "create" ? this.#disk.createFile(path, this.#now) : this.#openInode(path, mode);
      return new SimulatedFile(this.#process, inode, path, mode);
    });
  }

  makeDirectory(path: string): Promise<void> {
    return this.#process.perform("makeDirectory", path, () => {
      this.#disk.createDirectory(path, this.#now);
    });
  }

  readDirectory(path: string): Promise<string[]> {
    return this.#process.perform("readDirectory", path, () => this.#disk.namesIn(path));
  }

  syncDirectory(path: string): Promise<void> {
    return this.#process.perform("syncDirectory", path, () => this.#disk.syncDirectory(path));
  }

  /** A sync that fails; the caller throws the error. What it should have made durable never will be. */
  failDirectorySync(path: string): Promise<void> {
    return this.#process.perform("syncDirectory", path, () => this.#disk.failDirectorySync(path));
  }

  rename(from: string, to: string): Promise<void> {
    return this.#process.perform("rename", from, () => this.#disk.rename(from, to), to);
  }

  link(from: string, to: string): Promise<void> {
    return this.#process.perform("link", from, () => this.#disk.link(from, to), to);
  }

  unlink(path: string): Promise<void> {
    return this.#process.perform("unlink", path, () => this.#disk.unlink(path));
  }

  removeDirectory(path: string): Promise<void> {
    return this.#process.perform("removeDirectory", path, () => this.#disk.removeDirectory(path));
  }

  stat(path: string): Promise<FileStat | undefined> {
    return this.#process.perform("stat", path, () => {
      try {
        const inode = this.#disk.find(path, "lstat");
        return inode === undefined ? undefined : simulatedStat(this.#disk, inode);
      } catch (error) {
        if (errorCode(error) === "ENOTDIR") return undefined;
        throw error;
      }
    });
  }

  resolve(path: string): Promise<string> {
    return this.#process.perform("resolve", path, () => {
      this.#disk.get(path, "realpath");
      return posix.resolve(path);
    });
  }

  /** The disk has no permissions. */
  checkWritable(path: string): Promise<void> {
    return this.#process.perform("checkWritable", path, () => {
      this.#disk.get(path, "access");
    });
  }

  typeAt(): Promise<string> {
    return this.#process.askKernel(() => "ext4");
  }

  get #now(): number {
    return this.#process.kernel.clock;
  }

  #openInode(path: string, mode: OpenMode): number {
    const number = this.#disk.get(path, "open");
    const { kind } = this.#disk.inode(number);
    if (kind === "socket") throw systemError("ENXIO", "open", path);
    if (kind === "directory") throw systemError(mode === "read" ? "EINVAL" : "EISDIR", "open", path);
    return number;
  }
}
