/** Does operations on a store and tells, before each, what is tried, and after each what was answered. */

import { isLonghandError, type Store } from "@longhand/store";
import { isWrite, perform, type Operation, type Told } from "./operation.ts";

export class Attempts {
  readonly #store: Store;
  readonly #tell: (told: Told) => void;
  #count = 0;

  constructor(store: Store, tell: (told: Told) => void) {
    this.#store = store;
    this.#tell = tell;
  }

  get count(): number {
    return this.#count;
  }

  /** Answers with the code of a failure of the store; throws what is no error of ours. */
  async make(operation: Operation): Promise<{ readonly seq?: number | undefined; readonly code?: string }> {
    const number = this.#begin(operation);
    try {
      const seq = await perform(this.#store, operation);
      this.#tell({ kind: "done", number, seq });
      return { seq };
    } catch (error) {
      if (!isLonghandError(error)) throw error;
      this.#tell({ kind: "failed", number, code: error.code, why: error.message });
      return { code: error.code };
    }
  }

  /** The control: says that a write is done, with the seq it will have, while it is only on its way. */
  async makeBoast(operation: Operation, seq: number): Promise<void> {
    if (!isWrite(operation)) throw new Error("only of writes is it known what their answer will be");
    const number = this.#begin(operation);
    const performing = perform(this.#store, operation);
    this.#tell({ kind: "done", number, seq });
    await performing;
  }

  #begin(operation: Operation): number {
    this.#count += 1;
    this.#tell({ kind: "trying", number: this.#count, operation });
    return this.#count;
  }
}
