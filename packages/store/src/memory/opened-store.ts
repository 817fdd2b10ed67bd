/** The store that holds the truth of a memory: opened by whoever needs it first, and again after it was closed for a moment. */

import { LonghandError } from "../errors.ts";
import type { Damage } from "../format/session-record.ts";
import type { MemoryStore } from "./generations.ts";
import type { MemoryWorld } from "./memory-log.ts";

export class OpenedStore {
  readonly #world: MemoryWorld;
  readonly #directory: string;
  readonly #isReadOnly: boolean;
  #store: MemoryStore | undefined;
  #opening: Promise<MemoryStore> | undefined;
  #isClosed = false;
  /** It was met, and nobody has looked since whether it is still there. */
  #hasMetDamage = false;

  constructor(world: MemoryWorld, directory: string, isReadOnly: boolean) {
    this.#world = world;
    this.#directory = directory;
    this.#isReadOnly = isReadOnly;
  }

  get hasMetDamage(): boolean {
    return this.#hasMetDamage;
  }

  /** For others at the same moment it is the same. */
  async get(): Promise<MemoryStore> {
    if (this.#isClosed) throw new LonghandError("STORE_CLOSED", "the memory is closed; open it again");
    if (this.#store !== undefined) return this.#store;
    const options = { onDamage: this.#onDamage, readOnly: this.#isReadOnly };
    this.#opening ??= this.#world
      .openStore(this.#directory, options)
      .finally(() => (this.#opening = undefined));
    return (this.#store = await this.#opening);
  }

  /** Closes it until it is needed again. */
  async release(): Promise<void> {
    const store = this.#store;
    this.#store = undefined;
    await store?.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.release();
  }

  /**
   * What of the damage that was met is still there. Looks at everything, which only a store that was damaged has to pay for.
   * Nobody may use the store meanwhile.
   */
  async damage(): Promise<Damage | undefined> {
    if (!this.#hasMetDamage) return undefined;
    const { damage } = await (await this.get()).verify();
    const [first] = damage.filter(isLoss);
    this.#hasMetDamage = first !== undefined;
    return first;
  }

  readonly #onDamage = (damage: Damage): void => {
    if (isLoss(damage)) this.#hasMetDamage = true;
  };
}

/** A torn tail is none: that is what a crash leaves of a write that was never acknowledged. */
function isLoss({ kind }: Damage): boolean {
  return kind === "corrupt";
}
