/** A workload by chance, over every operation. The same contents in the same order: only what is done differs. */

import { SeededRandom } from "@longhand/store/testing";
import type { Group, Step, Workload } from "./step.ts";

const KEYS = ["a", "b:1"];
const FORKED = "c";
const ALL_KEYS: readonly string[] = [...KEYS, FORKED];

/** Of a message: within a sector, about one, longer than one. */
const SIZES = [4, 4, 4, 30, 200, 700];
const JOURNALS = [undefined, 300, 900] as const;
const SEGMENTS = [undefined, 400, 400, 1000] as const;

export function randomWorkload(seed: number): Workload {
  const random = new SeededRandom(seed);
  const journalBytes = pick(random, JOURNALS);
  const segmentBytes = pick(random, SEGMENTS);
  const drawing = new Drawing(random, random.below(3) === 0 ? 2 : 1);
  const count = 6 + random.below(10);
  const groups = Array.from({ length: count }, () => drawing.group());
  return {
    name: `random ${seed}`,
    keys: ALL_KEYS,
    ...(journalBytes === undefined ? {} : { journalBytes }),
    ...(segmentBytes === undefined ? {} : { segmentBytes }),
    groups,
  };
}

class Drawing {
  readonly #random: SeededRandom;
  readonly #instances: number;
  #messages = 0;
  #ids = 0;

  constructor(random: SeededRandom, instances: number) {
    this.#random = random;
    this.#instances = instances;
  }

  group(): Group {
    if (this.#random.below(5) > 0) return [this.#step()];
    // At once: several appends to one key, or by different instances to different keys.
    const first = this.#by(this.#append(KEYS[0] ?? ""));
    const second = this.#append(pick(this.#random, KEYS));
    const isSameKey = second.kind === "append" && second.key === KEYS[0];
    return [
      first,
      isSameKey ? { ...second, ...(first.by === undefined ? {} : { by: first.by }) } : this.#by(second),
    ];
  }

  #step(): Step {
    const key = pick(this.#random, this.#random.below(4) === 0 ? ALL_KEYS : KEYS);
    return this.#by(this.#stepOn(key, this.#random.below(42)));
  }

  #stepOn(key: string, kind: number): Step {
    const random = this.#random;
    if (kind < 15) return this.#append(key);
    const { id } = this.#maybeId();
    switch (kind) {
      case 15:
        return { kind: "note", key, data: this.#content(), ...(id === undefined ? {} : { id }) };
      case 16:
        return { kind: "summary", key, text: this.#content() };
      case 17:
        return { kind: "title", key, text: this.#content() };
      case 18:
        return { kind: "tags", key, text: this.#content() };
      case 19:
        return { kind: "truncate", key, keepLast: random.below(4) };
      case 20:
        return { kind: "rewind", key, messages: 1 + random.below(2) };
      case 21:
        return { kind: "rewind back", key, back: random.below(5) };
      case 22:
        return { kind: "compact", key, back: random.below(4) };
      case 23:
        return { kind: "replace", key, contents: this.#contents() };
      case 24:
      case 25:
        return { kind: "fork", key, newKey: FORKED, back: random.below(3) };
      case 26:
      case 27:
        return { kind: "archive", key };
      case 28:
        return { kind: "restore", key };
      case 29:
      case 30:
        return { kind: "delete", key };
      case 31:
        return { kind: "delete forever", key };
      case 32:
        return { kind: "lock", key, contents: this.#contents() };
      case 33:
        return { kind: "reclaim" };
      case 34:
        return { kind: "reclaim", drop: 1 + random.below(8) };
      case 35:
        return { kind: "purge" };
      case 36:
        return { kind: "repair" };
      case 37:
        return { kind: "reopen" };
      case 38:
      case 39:
        return { kind: "undo cut", key };
      default:
        return { kind: "kill" };
    }
  }

  #append(key: string): Step {
    return { kind: "append", key, contents: this.#contents(), ...this.#maybeId() };
  }

  #maybeId(): { id?: string } {
    if (this.#random.below(3) > 0) return {};
    this.#ids += 1;
    return { id: `id-${this.#ids}` };
  }

  #contents(): string[] {
    const count = this.#random.below(3) > 0 ? 1 : 2 + this.#random.below(2);
    return Array.from({ length: count }, () => this.#content());
  }

  #content(): string {
    this.#messages += 1;
    return `m${this.#messages}`.padEnd(pick(this.#random, SIZES), ".");
  }

  #by(step: Step): Step {
    const by = this.#random.below(this.#instances);
    return by === 0 ? step : { ...step, by };
  }
}

function pick<T>(random: SeededRandom, from: readonly T[]): T {
  return from[random.below(from.length)] as T;
}
