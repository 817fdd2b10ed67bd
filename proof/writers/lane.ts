/**
 * What one writer does to one session, one thing after another, as chance has it: appends, alone or several at once,
 * batches, notes, forks, and putting away and bringing back. A writer has several lanes at work at the same time.
 */

import { setTimeout as sleep } from "node:timers/promises";
import type { SeededRandom } from "@longhand/store/testing";
import type { Attempts } from "./attempts.ts";
import type { Operation, Write } from "./operation.ts";

export interface LanePlan {
  readonly key: string;
  /** Begins the name of everything that it writes; nobody else's begins so. */
  readonly name: string;
  readonly random: SeededRandom;
  /** The longest text it writes often. */
  readonly longText: number;
  /** A text that is longer than all others, now and then; 0: never. */
  readonly hugeText: number;
}

/** In a life: each has all that its session has, and is read after each kill as well. */
const MOST_FORKS = 1;
/** So many writes of the control are on their way at a time. */
const BOASTS = 20;

export class Lane {
  readonly #plan: LanePlan;
  readonly #attempts: Attempts;
  #lastSeq = 0;
  #written = 0;
  #forks = 0;

  constructor(plan: LanePlan, attempts: Attempts) {
    this.#plan = plan;
    this.#attempts = attempts;
  }

  /** One step; the codes of what failed in it. */
  async step(): Promise<string[]> {
    const answers = await Promise.all(
      this.#next().map(async (operation) => await this.#attempts.make(operation)),
    );
    for (const { seq = 0 } of answers) this.#lastSeq = Math.max(this.#lastSeq, seq);
    if (this.#chance(4)) await sleep(this.#plan.random.below(4));
    return answers.flatMap(({ code }) => (code === undefined ? [] : [code]));
  }

  /** For the control. `seq` is the one that the session has now; the answer is the one it then has. */
  async boast(seq: number): Promise<number> {
    let promised = seq;
    await Promise.all(
      Array.from({ length: BOASTS }, async () => {
        const write = this.#write("messages", 1);
        promised += 1;
        await this.#attempts.makeBoast(write, promised);
      }),
    );
    return promised;
  }

  #next(): Operation[] {
    const { key, random } = this.#plan;
    const choice = random.below(100);
    if (choice < 45) return [this.#write("messages", 1)];
    if (choice < 62)
      return Array.from({ length: 2 + random.below(6) }, () => this.#write("messages", 1 + random.below(2)));
    if (choice < 78) return [this.#write("messages", 2 + random.below(this.#chance(10) ? 30 : 4))];
    if (choice < 86) return [this.#write("note", 1)];
    if (choice < 89) return [this.#fork() ?? this.#write("note", 1)];
    if (choice < 93) return [{ kind: "archive", key }];
    if (choice < 97) return [{ kind: "restore", key }];
    return [{ kind: "reclaim", key }];
  }

  #fork(): Operation | undefined {
    if (this.#lastSeq === 0 || this.#forks === MOST_FORKS) return undefined;
    this.#forks += 1;
    const { key, name, random } = this.#plan;
    const at = this.#chance(2) ? this.#lastSeq : 1 + random.below(this.#lastSeq);
    return { kind: "fork", key, newKey: `${key.split("/")[0] ?? ""}/fork ${name} ${this.#forks}`, at };
  }

  #write(kind: Write["kind"], size: number): Write {
    this.#written += 1;
    const id = `${this.#plan.name}.${this.#written}`;
    const contents = Array.from({ length: size }, (_, index) => ({
      name: `«${id}.${index} für 漢字»`,
      length: this.#length(size),
    }));
    return { kind, key: this.#plan.key, contents, id };
  }

  #length(size: number): number {
    const { random, longText, hugeText } = this.#plan;
    if (size === 1 && hugeText > 0 && this.#chance(150)) return hugeText;
    return random.below(this.#chance(8) ? longText : 200);
  }

  #chance(oneIn: number): boolean {
    return this.#plan.random.below(oneIn) === 0;
  }
}
