/** Finds a known paragraph at the beginning of an answer that comes in pieces, so that it can be told apart from the answer. */

export interface Parted {
  /** It stood there. */
  readonly isAside: boolean;
  /** What is surely answer. */
  readonly text: string;
}

export class LeadingAside {
  readonly #aside: string;
  #begun = "";
  #isDecided = false;

  constructor(aside: string) {
    this.#aside = aside;
  }

  push(delta: string): Parted {
    if (this.#isDecided) return { isAside: false, text: delta };
    this.#begun += delta;
    const isOpen = this.#aside.startsWith(this.#begun) || this.#begun.trimEnd() === this.#aside;
    return isOpen ? { isAside: false, text: "" } : this.end();
  }

  /** Nothing more comes: what was held back. */
  end(): Parted {
    const [begun, isDecided] = [this.#begun, this.#isDecided];
    this.#isDecided ||= begun !== "";
    this.#begun = "";
    if (isDecided || !begun.startsWith(this.#aside)) return { isAside: false, text: begun };
    return { isAside: true, text: begun.slice(this.#aside.length).trimStart() };
  }
}
