/** Notices a model that asks for the same again and again. */
export class SameCalls {
  readonly #most: number;
  #last = "";
  #times = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether this is the call too many: the same name with the same arguments, so often without another one between. */
  isTooMany(name: string, input: unknown): boolean {
    const call = JSON.stringify([name, inOrder(input)]);
    this.#times = call === this.#last ? this.#times + 1 : 1;
    this.#last = call;
    return this.#times >= this.#most;
  }
}

/** The order of the fields of an object says nothing. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, field]) => [name, inOrder(field)] as const);
  return entries.sort(([one], [other]) => (one < other ? -1 : 1));
}
