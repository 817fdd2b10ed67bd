import { setMaxListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test, vi } from "vitest";
import { createKernel } from "../../src/kernel/create-kernel.ts";
import { deferred } from "../../src/kernel/deferred.ts";
import type { ActorRef } from "../../src/kernel/types.ts";
import { Judge } from "./support/judge.ts";

const never = new Promise<never>(() => {});
const range = (length: number): number[] => Array.from({ length }, (_, number) => number);
const eventLoopTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("ten thousand actors", () => {
  test("pass messages round in rings, none lost, and the event loop turns meanwhile", async () => {
    const onEvent = vi.fn();
    await using kernel = createKernel({ onEvent });
    const [rings, size, rounds] = [100, 100, 5];
    const done = deferred<undefined>();
    let home = 0;
    let passed = 0;
    const actors: ActorRef<number>[] = range(rings * size).map((number) =>
      kernel.spawn<number>({ name: `${number}`, mailbox: 4 }, () => ({
        receive: async (left) => {
          passed += 1;
          const ring = number - (number % size);
          if (left > 0) await actors[ring + ((number + 1) % size)]?.send(left - 1);
          else if ((home += 1) === rings) done.resolve(undefined);
        },
      })),
    );
    let turns = 0;
    const ending = new AbortController();
    const counting = (async () => {
      for (; !ending.signal.aborted; turns += 1) await eventLoopTurn();
    })();
    for (const ring of range(rings)) expect(actors[ring * size]?.offer(size * rounds - 1)).toBe(true);
    await done.promise;
    ending.abort();
    await counting;
    expect(passed).toBe(rings * size * rounds);
    // One for each hundred messages, which is when timers and the network are served.
    expect(turns).toBeGreaterThanOrEqual(passed / 100);
    expect(kernel.actors()).toHaveLength(rings * size);
    expect(onEvent).not.toHaveBeenCalled();
  });

  test("of which some throw, some hang and some flood do not harm the others", async () => {
    const judge = new Judge();
    const kernel = createKernel({ onEvent: judge.onEvent });
    const [count, each] = [10_000, 8];
    const answered = new Map<number, number>();
    const actors = range(count).map((number) =>
      kernel.spawn<number>(
        { name: `${number}`, mailbox: 5, supervision: { firstPause: 1, longestPause: 1, mostCrashes: 100 } },
        (self) => ({
          receive: (message) => {
            if (message < 0) return void self.offer(message);
            judge.begun(message);
            if (number % 100 === 1) throw new Error("throws");
            if (number % 100 === 2) return never;
            if (number % 100 === 3) self.offer(-1);
            judge.handled(message);
            answered.set(number, (answered.get(number) ?? 0) + 1);
            return undefined;
          },
        }),
      ),
    );
    const ending = new AbortController();
    setMaxListeners(0, ending.signal);
    const sent = actors.map(async (actor, number) => {
      for (const index of range(each)) {
        const message = number * each + index;
        await actor.send(message, ending.signal).then(
          () => judge.accepted(message),
          () => judge.refused(message),
        );
      }
    });
    const isGood = (number: number): boolean => number % 100 !== 1 && number % 100 !== 2;
    await Promise.all(sent.filter((_, number) => isGood(number) || number % 100 === 1));
    ending.abort(new Error("those who wait for the hanging give up"));
    await Promise.all(sent);
    await Promise.all(actors.filter((_, number) => isGood(number)).map(async (actor) => await actor.stop()));
    await kernel.close({ within: 0 });
    expect(judge.faults()).toEqual([]);
    for (const number of range(count).filter(isGood)) expect(answered.get(number)).toBe(each);
    // Each of the hundred that hang had one in hand and five waiting, each of those that throw got eight.
    expect(judge.sizes.reported).toBeGreaterThanOrEqual(100 * 6 + 100 * each);
  });
});

describe("a bounded mailbox", () => {
  /** The most that waited at any moment that anybody could see. */
  async function flood(send: (actor: ActorRef<number>, message: number) => Promise<void>): Promise<number> {
    const judge = new Judge();
    await using kernel = createKernel({ onEvent: judge.onEvent });
    let most = 0;
    const actor: ActorRef<number> = kernel.spawn<number>({ name: "flooded", mailbox: 10 }, () => ({
      receive: async (message) => {
        most = Math.max(most, actor.waiting);
        if (message % 100 === 0) await eventLoopTurn();
        judge.handled(message);
      },
    }));
    const sender = async (number: number): Promise<void> => {
      for (const index of range(20)) {
        const message = number * 20 + index;
        await send(actor, message);
        judge.accepted(message);
        most = Math.max(most, actor.waiting);
      }
    };
    await Promise.all(range(1000).map(sender));
    await actor.stop();
    expect(judge.faults()).toEqual([]);
    expect(judge.sizes.handled).toBe(20_000);
    return most;
  }

  test("never holds more than it may, under a flood from a thousand senders", async () => {
    expect(await flood((actor, message) => actor.send(message))).toBe(10);
  });

  test("control: an unbounded queue in its place is caught", async () => {
    const queue: number[] = [];
    const most = await flood(async (actor, message) => {
      queue.push(message);
      Object.defineProperty(actor, "waiting", { get: () => queue.length, configurable: true });
      await eventLoopTurn();
      const next = queue.shift();
      if (next !== undefined) await actor.send(next);
    });
    expect(most).toBeGreaterThan(10);
  });
});

describe("an actor that floods itself", () => {
  test("starves neither timers nor other actors", async () => {
    const kernel = createKernel({ onEvent: vi.fn() });
    let handled = 0;
    const flooding = kernel.spawn<number>({ name: "flooding" }, (self) => ({
      receive: (message) => {
        handled += 1;
        self.offer(message);
      },
    }));
    await flooding.send(1);
    const other = kernel.spawn<(answer: string) => void>({ name: "other" }, () => ({
      receive: (answer) => {
        answer("here");
      },
    }));
    for (let round = 0; round < 20; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      expect(await other.ask<string>((answer) => answer, 60_000)).toBe("here");
    }
    expect(handled).toBeGreaterThan(20);
    await kernel.close({ within: 0 });
  });
});

describe("an actor that has ended", () => {
  /** Bytes in use after a collection that is really made. */
  function heapInUse(): number {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    collect();
    return process.memoryUsage().heapUsed;
  }

  async function spawnAndStop(count: number, keep: (actor: ActorRef<number>) => void): Promise<number> {
    const kernel = createKernel({ onEvent: vi.fn() });
    const before = heapInUse();
    for (let number = 0; number < count; number += 100) {
      const stopped = range(100).map(async (index) => {
        const actor = kernel.spawn<number>({ name: `${number + index}` }, () => ({ receive: () => {} }));
        await actor.send(1);
        await actor.stop({ within: 60_000 });
        keep(actor);
      });
      await Promise.all(stopped);
    }
    expect(kernel.actors()).toEqual([]);
    const grown = heapInUse() - before;
    await kernel.close();
    return grown / count;
  }

  test("leaves nothing behind: a hundred thousand of them fit in no memory", async () => {
    await spawnAndStop(1000, () => {});
    expect(await spawnAndStop(100_000, () => {})).toBeLessThan(50);
  });

  test("control: actors that are kept show in the heap", async () => {
    const kept: ActorRef<number>[] = [];
    expect(await spawnAndStop(10_000, (actor) => kept.push(actor))).toBeGreaterThan(200);
    expect(kept).toHaveLength(10_000);
  });
});
