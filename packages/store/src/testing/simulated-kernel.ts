/** What the processes of one simulated machine share: the disk, the clock, who runs, who listens. */

import type { FileCall, FileOperation } from "./file-operation.ts";
import { SeededRandom } from "./seeded-random.ts";
import { SimulatedDisk, type DiskImage } from "./simulated-disk.ts";

export interface KernelImage {
  readonly disk: DiskImage;
  readonly clock: number;
  readonly seed: number;
  /** How often the machine was started. */
  readonly boot: number;
  readonly nextPid: number;
}

export interface MachineOperation extends FileCall {
  readonly pid: number;
  /** Whether it may have changed what is seen or what is durable. */
  readonly changedDisk: boolean;
}

export class SimulatedKernel {
  readonly disk: SimulatedDisk;
  readonly boot: number;
  readonly random: SeededRandom;
  /** By socket: the process that listens. */
  readonly listeners: Map<number, number> = new Map<number, number>();
  /** By pid: when the process started. */
  readonly running: Map<number, string> = new Map<number, string>();
  readonly watchers: ((operation: MachineOperation) => void)[] = [];
  clock: number;
  #nextPid: number;
  #operations = 0;
  #announcedVersion = 0;

  constructor(image: KernelImage) {
    this.disk = new SimulatedDisk(image.disk);
    this.clock = image.clock;
    this.random = new SeededRandom(image.seed);
    this.boot = image.boot;
    this.#nextPid = image.nextPid;
  }

  image(): KernelImage {
    const { clock, boot } = this;
    return { disk: this.disk.image(), clock, seed: this.random.seed, boot, nextPid: this.#nextPid };
  }

  startProcess(): number {
    const pid = this.#nextPid;
    this.#nextPid += 1;
    this.running.set(pid, String(this.clock));
    return pid;
  }

  /** Its sockets stay on the disk and refuse from now on. */
  kill(pid: number): void {
    this.running.delete(pid);
    for (const [socket, listener] of this.listeners) if (listener === pid) this.listeners.delete(socket);
  }

  announce(pid: number, operation: FileOperation, path: string, to: string | undefined): void {
    this.#operations += 1;
    const changedDisk = this.disk.version !== this.#announcedVersion;
    this.#announcedVersion = this.disk.version;
    for (const watch of this.watchers) {
      watch({ number: this.#operations, operation, path, to, pid, changedDisk });
    }
  }
}
