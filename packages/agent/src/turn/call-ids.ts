import { saysSomething } from "./says-something.ts";

/** Ids of the calls of one turn, each once: some models give every call the same, or an empty one. */
export class CallIds {
  readonly #taken = new Set<string>();

  uniqueFor(given: string): string {
    const base = saysSomething(given) ? given : "call";
    let id = base;
    for (let number = 2; this.#taken.has(id); number += 1) id = `${base}~${number}`;
    this.#taken.add(id);
    return id;
  }
}
