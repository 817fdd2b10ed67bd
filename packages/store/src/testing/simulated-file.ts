/** An open file of a simulated process. */

import type { FileStat, OpenFile, OpenMode } from "../host/host.ts";
import type { SimulatedDisk } from "./simulated-disk.ts";
import type { SimulatedProcess } from "./simulated-process.ts";
import { simulatedStat } from "./simulated-stat.ts";
import { systemError } from "./system-error.ts";

export class SimulatedFile implements OpenFile {
  readonly #process: SimulatedProcess;
  readonly #disk: SimulatedDisk;
  readonly #inode: number;
  readonly #path: string;
  readonly #mode: OpenMode;
  #isOpen = true;

  constructor(process: SimulatedProcess, inode: number, path: string, mode: OpenMode) {
    this.#process = process;
    this.#disk = process.kernel.disk;
    this.#inode = inode;
    this.#path = path;
    this.#mode = mode;
  }

  read(into: Buffer, position: number): Promise<number> {
    return this.#process.perform("read", this.#path, () => {
      this.#assertOpen("read");
      return this.#disk.bytesOf(this.#inode).read(into, position);
    });
  }

  write(bytes: Buffer, position: number): Promise<number> {
    return this.#process.perform("write", this.#path, () => {
      this.#assertOpen("write");
      if (this.#mode === "read") throw systemError("EBADF", "write", this.#path);
      this.#disk.write(this.#inode, bytes, position, this.#process.kernel.clock);
      return bytes.length;
    });
  }

  truncate(length: number): Promise<void> {
    return this.#process.perform("truncate", this.#path, () => {
      this.#assertOpen("ftruncate");
      if (this.#mode === "read") throw systemError("EINVAL", "ftruncate", this.#path);
      this.#disk.truncate(this.#inode, length, this.#process.kernel.clock);
    });
  }

  sync(): Promise<void> {
    return this.#process.perform("sync", this.#path, () => {
      this.#assertOpen("fdatasync");
      this.#disk.sync(this.#inode);
    });
  }

  /** A sync that fails; the caller throws the error. What it should have made durable never will be. */
  failSync(): Promise<void> {
    return this.#process.perform("sync", this.#path, () => {
      this.#assertOpen("fdatasync");
      this.#disk.failSync(this.#inode);
    });
  }

  stat(): Promise<FileStat> {
    return this.#process.perform("stat", this.#path, () => {
      this.#assertOpen("fstat");
      return simulatedStat(this.#disk, this.#inode);
    });
  }

  makePrivate(): Promise<void> {
    return this.#process.perform("makePrivate", this.#path, () => {
      this.#assertOpen("fchmod");
      this.#disk.makePrivate(this.#inode);
    });
  }

  /** As with Node's handles, a second time does nothing. */
  close(): Promise<void> {
    return this.#process.perform("close", this.#path, () => {
      this.#isOpen = false;
    });
  }

  #assertOpen(syscall: string): void {
    if (!this.#isOpen) throw systemError("EBADF", syscall, this.#path);
  }
}
