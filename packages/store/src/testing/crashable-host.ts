/**
 * The host of one process on a simulated machine. It can be killed at any moment: what it wrote stays seen, its sockets
 * refuse, and every later call that would touch the world rejects with ProcessKilled.
 */

import type { FileSystem, Host, Processes } from "../host/host.ts";
import { loadLazyModules } from "../lazy.ts";
import { SimulatedFileSystem } from "./simulated-file-system.ts";
import type { SimulatedKernel } from "./simulated-kernel.ts";
import { SimulatedProcess } from "./simulated-process.ts";
import { SIMULATED_USER } from "./simulated-stat.ts";
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
    if (this.#process.isAlive) this.#process.kernel.pass(1);
    return this.#process.kernel.clock;
  }

  get user(): number {
    return SIMULATED_USER;
  }

  randomBytes(length: number): Uint8Array {
    return this.#process.random.bytes(length);
  }

  /**
   * Everybody else does what he can do without waiting; then the time passes at once. In the background nobody makes it
   * pass: it comes when others wait.
   */
  async wait(milliseconds: number, background?: "background", ended?: AbortSignal): Promise<void> {
    if (ended?.aborted === true) return;
    const { kernel, pid } = this.#process;
    if (background !== undefined) {
      await kernel.passed(pid, milliseconds, ended);
      return;
    }
    await loadLazyModules();
    await new Promise<void>((resolve) => setImmediate(resolve));
    await this.#process.askKernel(() => kernel.pass(milliseconds));
  }
}
