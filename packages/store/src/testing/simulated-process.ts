/** One process on a simulated machine, until it is killed. */

import type { FileOperation } from "./file-operation.ts";
import { ProcessKilled } from "./process-killed.ts";
import { SeededRandom } from "./seeded-random.ts";
import type { SimulatedKernel } from "./simulated-kernel.ts";

export class SimulatedProcess {
  readonly kernel: SimulatedKernel;
  readonly pid: number;
  readonly random: SeededRandom;

  constructor(kernel: SimulatedKernel) {
    this.kernel = kernel;
    this.pid = kernel.startProcess();
    this.random = new SeededRandom(kernel.random.below(2 ** 32));
  }

  get isAlive(): boolean {
    return this.kernel.running.has(this.pid);
  }

  kill(): void {
    this.kernel.kill(this.pid);
  }

  /**
   * The effect is there at once, whoever waits for the promise. A process killed by a watcher of its call has done it,
   * but never learns so.
   */
  perform<T>(operation: FileOperation, path: string, action: () => T, to?: string): Promise<T> {
    try {
      return Promise.resolve(this.#performNow(operation, path, action, to));
    } catch (error) {
      return rejected(error);
    }
  }

  /** For what is no file operation. */
  askKernel<T>(action: () => T): Promise<T> {
    try {
      this.#assertAlive();
      return Promise.resolve(action());
    } catch (error) {
      return rejected(error);
    }
  }

  #performNow<T>(operation: FileOperation, path: string, action: () => T, to: string | undefined): T {
    this.#assertAlive();
    try {
      return action();
    } finally {
      this.kernel.announce(this.pid, operation, path, to);
      this.#assertAlive();
    }
  }

  #assertAlive(): void {
    if (!this.isAlive) throw new ProcessKilled(this.pid);
  }
}

/** Whatever a simulated call throws, as Node's would reject with it. */
function rejected(error: unknown): Promise<never> {
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- it is passed on, not made here
  return Promise.reject(error);
}
