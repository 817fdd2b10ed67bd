import type { HostCall } from "./interrupted-host.ts";

/** A place where a process is stopped until it is let go: before the first call that `isIt` says yes to. */
export class Stop {
  /** Resolves when somebody stands there. */
  readonly reached: Promise<void>;
  isMet = false;
  readonly #isIt: (call: HostCall) => boolean;
  readonly #open: Promise<void>;
  #reach: () => void = () => undefined;
  #letGo: () => void = () => undefined;

  constructor(isIt: (call: HostCall) => boolean) {
    this.#isIt = isIt;
    this.reached = new Promise((resolve) => (this.#reach = resolve));
    this.#open = new Promise((resolve) => (this.#letGo = resolve));
  }

  async pass(call: HostCall): Promise<void> {
    if (this.isMet || !this.#isIt(call)) return;
    this.isMet = true;
    this.#reach();
    await this.#open;
  }

  letGo(): void {
    this.#letGo();
  }
}

/** Yes to the nth call that `isCounted` says yes to. */
export function nth(number: number, isCounted: (call: HostCall) => boolean): (call: HostCall) => boolean {
  let counted = 0;
  return (call) => isCounted(call) && ++counted === number;
}
