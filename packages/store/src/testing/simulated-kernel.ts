/** What the processes of one simulated machine share: the disk, the clock, who runs, who listens. */

import type { FileCall, FileOperation } from "./file-operation.ts";
import { plainPath } from "./path-names.ts";
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

export interface SocketListener {
  readonly pid: number;
  readonly onMessage: (text: string) => void;
}

interface Timer {
  readonly pid: number;
  readonly due: number;
  readonly ring: () => void;
}

export class SimulatedKernel {
  readonly disk: SimulatedDisk;
  readonly boot: number;
  readonly random: SeededRandom;
  /** By socket: the process that listens, and what it does with a message. */
  readonly listeners: Map<number, SocketListener> = new Map<number, SocketListener>();
  /** By pid: when the process started. */
  readonly running: Map<number, string> = new Map<number, string>();
  readonly watchers: ((operation: MachineOperation) => void)[] = [];
  clock: number;
  /** Of those who wait in the background. They count the time that passes, not what the clock says. */
  #timers: Timer[] = [];
  #passed = 0;
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
    for (const [socket, listener] of this.listeners) if (listener.pid === pid) this.listeners.delete(socket);
    this.#timers = this.#timers.filter((timer) => timer.pid !== pid);
  }

  /** Time passes for everybody. */
  pass(milliseconds: number): void {
    this.clock += milliseconds;
    this.#passed += milliseconds;
    if (this.#timers.every((timer) => timer.due > this.#passed)) return;
    const due = this.#timers.filter((timer) => timer.due <= this.#passed);
    this.#timers = this.#timers.filter((timer) => timer.due > this.#passed);
    for (const { ring } of due) ring();
  }

  /** Resolves when others have let so much time pass, or when it is ended; never, if its process is killed before. */
  async passed(pid: number, milliseconds: number, ended?: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const ring = (): void => {
        ended?.removeEventListener("abort", end);
        resolve();
      };
      const timer = { pid, due: this.#passed + milliseconds, ring };
      const end = (): void => {
        if (!this.#timers.includes(timer)) return;
        this.#timers = this.#timers.filter((each) => each !== timer);
        ring();
      };
      this.#timers.push(timer);
      ended?.addEventListener("abort", end);
    });
  }

  announce(pid: number, operation: FileOperation, path: string, to: string | undefined): void {
    this.#operations += 1;
    const changedDisk = this.disk.version !== this.#announcedVersion;
    this.#announcedVersion = this.disk.version;
    for (const watch of this.watchers) {
      const plain = { path: plainPath(path), to: to === undefined ? undefined : plainPath(to) };
      watch({ number: this.#operations, operation, ...plain, pid, changedDisk });
    }
  }
}
