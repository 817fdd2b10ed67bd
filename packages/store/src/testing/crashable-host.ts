/**
 * The host of one process on a simulated machine. It can be killed at any moment: what it wrote stays seen, its sockets
 * refuse, and every later call that would touch the world rejects with ProcessKilled.
 */

import type { FileSystem, Host, Processes } from "../host/host.ts";
import { SimulatedFileSystem } from "./simulated-file-system.ts";
import type { SimulatedKernel } from "./simulated-kernel.ts";
import { SimulatedProcess } from "./simulated-process.ts";
import { SimulatedProcesses } from "./simulated-processes.ts";

export class CrashableHost implements Host {
  readonly files: FileSystem;
  readonly processes: Processes;
  readonly #process: SimulatedProcess;

  constructor(kernel: SimulatedKernel) {
    this.#process = new SimulatedProcess(kernel);
    this.files = new SimulatedFileSystem(this.#process);
    this.processes = new SimulatedProcesses(this.#process);
  }

  kill(): void {
    this.#process.kill();
  }

  /** A millisecond passes with each call. A killed process can no longer make time pass for the others. */
  now(): number {
    if (this.#process.isAlive) this.#process.kernel.clock += 1;
    return this.#process.kernel.clock;
  }

  randomBytes(length: number): Uint8Array {
    return this.#process.random.bytes(length);
  }
}
