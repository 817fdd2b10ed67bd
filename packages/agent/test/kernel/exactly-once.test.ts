/** Every message that was accepted is handled once or reported once, whatever the actors and those around them do. */

import { setMaxListeners } from "node:events";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createKernel } from "../../src/kernel/create-kernel.ts";
import type { ActorFactory, ActorRef, KernelEvent } from "../../src/kernel/types.ts";
import { Judge } from "./support/judge.ts";

const ACTORS = 3;

/** What the actor does with a message, which is its number and that. */
const conduct = fc.constantFrom("return", "wait", "throw", "reject", "hang", "to-self");
const operation = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom("send", "offer", "ask"),
      actor: fc.nat(ACTORS - 1),
      conduct,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("tick"),
      actor: fc.constant(0),
      conduct: fc.constant("return"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom("stop", "stop-now", "stop-within", "abort-sends"),
      actor: fc.nat(ACTORS - 1),
      conduct: fc.constant("return"),
    }),
  },
);

interface Operation {
  readonly kind: string;
  readonly actor: number;
  readonly conduct: string;
}

interface Letter {
  readonly number: number;
  readonly conduct: string;
  valueOf(): number;
}

/** Ways in which a kernel could be broken. */
type Breakage = "none" | "drops" | "duplicates" | "reports-nothing" | "reports-twice" | "redelivers";

class World {
  readonly judge = new Judge();
  readonly #breakage: Breakage;
  readonly kernel = createKernel({ onEvent: (event) => this.#onEvent(event) });
  readonly #actors: ActorRef<Letter>[] = [];
  readonly #pending: Promise<unknown>[] = [];
  #sends = new AbortController();
  #next = 0;

  constructor(breakage: Breakage) {
    this.#breakage = breakage;
    setMaxListeners(0, this.#sends.signal);
    for (let number = 0; number < ACTORS; number += 1) this.#spawn(number);
  }

  async do({ kind, actor: index, conduct }: Operation): Promise<void> {
    const actor = this.#running(index);
    switch (kind) {
      case "send": {
        const letter = this.#letter(conduct);
        this.#settle(letter, actor.send(letter, this.#sends.signal));
        break;
      }
      case "offer": {
        const letter = this.#letter(conduct);
        this.#note(letter, actor.offer(letter));
        break;
      }
      case "ask":
        this.#ask(actor, conduct);
        break;
      case "stop":
        this.#pending.push(actor.stop());
        break;
      case "stop-now":
        this.#pending.push(actor.stop({ now: true }));
        break;
      case "stop-within":
        this.#pending.push(actor.stop({ within: 0 }));
        break;
      case "abort-sends":
        this.#sends.abort();
        this.#sends = new AbortController();
        setMaxListeners(0, this.#sends.signal);
        break;
      default:
        await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async end(): Promise<void> {
    await this.kernel.close({ within: 20 });
    await Promise.allSettled(this.#pending);
  }

  #running(index: number): ActorRef<Letter> {
    const actor = this.#actors[index];
    if (actor === undefined || actor.state === "stopped" || actor.state === "failed")
      return this.#spawn(index);
    return actor;
  }

  #spawn(index: number): ActorRef<Letter> {
    const options = {
      name: `${index}`,
      mailbox: 2,
      // Much longer than one turn of the event loop takes on a busy machine: only what hangs is given up.
      messageLimit: 200,
      supervision: { firstPause: 0, mostCrashes: 4 },
    };
    return (this.#actors[index] = this.kernel.spawn(options, this.#factory));
  }

  readonly #factory: ActorFactory<Letter> = (self) => {
    const work = async (letter: Letter): Promise<void> => {
      this.judge.begun(letter.number);
      if (letter.conduct === "wait") await new Promise((resolve) => setImmediate(resolve));
      if (letter.conduct === "reject") throw new Error("rejected");
      if (letter.conduct === "hang") await new Promise(() => {});
      if (letter.conduct === "to-self") {
        const next = this.#letter("return");
        this.#note(next, self.offer(next));
      }
      this.judge.handled(letter.number);
    };
    const receive = (letter: Letter): Promise<void> => {
      if (this.#breakage === "drops" && letter.number % 3 === 0) return Promise.resolve();
      if (letter.conduct === "throw") {
        this.judge.begun(letter.number);
        if (this.#breakage === "redelivers") void work({ ...letter, conduct: "return" });
        throw new Error("thrown");
      }
      if (this.#breakage === "duplicates" && letter.number % 3 === 0) void work(letter).catch(() => {});
      return work(letter);
    };
    return { receive };
  };

  #letter(conduct: string): Letter {
    const number = (this.#next += 1);
    return { number, conduct, valueOf: () => number };
  }

  #ask(actor: ActorRef<Letter>, conduct: string): void {
    const letter = this.#letter(conduct);
    // Whether it was accepted is what the ledger cannot see from the answer: a question that is seen at all was.
    let isNoted = false;
    const noted: Letter = {
      ...letter,
      valueOf: () => {
        if (!isNoted) this.judge.accepted(letter.number);
        isNoted = true;
        return letter.number;
      },
    };
    this.#pending.push(actor.ask(() => noted, 5).catch(() => {}));
  }

  #settle(letter: Letter, sent: Promise<void>): void {
    const noted = sent.then(
      () => this.#note(letter, true),
      () => this.#note(letter, false),
    );
    this.#pending.push(noted);
  }

  #note(letter: Letter, isAccepted: boolean): void {
    if (isAccepted) this.judge.accepted(letter.number);
    else this.judge.refused(letter.number);
  }

  #onEvent(event: KernelEvent): void {
    if (this.#breakage === "reports-nothing" && event.type === "undeliverable") return;
    this.judge.onEvent(event);
    if (this.#breakage === "reports-twice") this.judge.onEvent(event);
  }
}

async function run(operations: readonly Operation[], breakage: Breakage): Promise<Judge> {
  const world = new World(breakage);
  for (const one of operations) await world.do(one);
  await world.end();
  expect(world.kernel.actors()).toEqual([]);
  return world.judge;
}

/** Each conduct often enough for every breakage to show. */
const EVERYTHING: readonly Operation[] = Array.from({ length: 60 }, (_, number) => ({
  kind: number % 5 === 4 ? "tick" : "send",
  actor: number % ACTORS,
  conduct: number % 4 === 0 ? "throw" : "return",
}));

describe("every message accepted", () => {
  test("is handled once or reported once, over random operations", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
        expect((await run(operations, "none")).faults()).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test("is so in the case that shows every breakage", async () => {
    const judge = await run(EVERYTHING, "none");
    expect(judge.faults()).toEqual([]);
    expect(judge.sizes.handled).toBeGreaterThan(0);
    expect(judge.sizes.reported).toBeGreaterThan(0);
  });

  test.each(["drops", "duplicates", "reports-nothing", "reports-twice", "redelivers"] as const)(
    "control: a kernel that %s is caught",
    async (breakage) => {
      expect((await run(EVERYTHING, breakage)).faults()).not.toEqual([]);
    },
  );
});
