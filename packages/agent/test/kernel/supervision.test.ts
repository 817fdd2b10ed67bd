import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { BackOff } from "../../src/kernel/back-off.ts";
import { createKernel } from "../../src/kernel/create-kernel.ts";
import type { KernelEvent } from "../../src/kernel/types.ts";

const QUICK = { firstPause: 0, longestPause: 0 };

interface Told {
  readonly events: KernelEvent[];
  readonly onEvent: (event: KernelEvent) => void;
}

function listener(): Told {
  const events: KernelEvent[] = [];
  return { events, onEvent: (event) => void events.push(event) };
}

const typesOf = (events: readonly KernelEvent[]): string[] => events.map(({ type }) => type);

describe("an actor that crashes", () => {
  test("is made anew out of what is durable; the message it crashed over is reported, not tried again", async () => {
    const { events, onEvent } = listener();
    await using kernel = createKernel({ onEvent });
    const disk = new Map<string, number>();
    const log: string[] = [];
    const actor = kernel.spawn<number>({ name: "sum", supervision: QUICK }, () => {
      let sum = disk.get("sum") ?? 0;
      log.push(`made with ${sum}`);
      return {
        receive: async (message) => {
          sum += message;
          if (message === 13) throw new Error("unlucky");
          await Promise.resolve();
          disk.set("sum", sum);
        },
        stop: () => void log.push("stopped"),
      };
    });
    for (const message of [1, 2, 13, 4]) await actor.send(message);
    await actor.stop();
    expect(disk.get("sum")).toBe(7);
    expect(log).toEqual(["made with 0", "stopped", "made with 3", "stopped"]);
    expect(events).toEqual([
      { type: "undeliverable", actor: "sum", message: 13, reason: "the actor crashed over it: unlucky" },
      { type: "crashed", actor: "sum", error: new Error("unlucky"), restartIn: 0 },
    ]);
  });

  test("rejects the one who asked, with what it threw as cause", async () => {
    await using kernel = createKernel(listener());
    const actor = kernel.spawn<number>({ name: "x", supervision: QUICK }, () => ({
      receive: () => {
        throw new TypeError("not that");
      },
    }));
    const asked = await actor.ask(() => 1, 60_000).catch((error: unknown) => error);
    expect(asked).toMatchObject({ code: "ACTOR_FAILED", cause: new TypeError("not that") });
  });

  test("too often is given up: waiting messages are reported, later ones refused with the last error", async () => {
    const { events, onEvent } = listener();
    await using kernel = createKernel({ onEvent });
    const actor = kernel.spawn<number>({ name: "bad", supervision: { ...QUICK, mostCrashes: 3 } }, () => ({
      receive: (message) => {
        throw new Error(`over ${message}`);
      },
    }));
    for (const message of [1, 2, 3, 4, 5]) expect(actor.offer(message)).toBe(true);
    const asked = actor.ask(() => 6, 60_000).catch((error: unknown) => error);
    await vi.waitFor(
      () => {
        expect(actor.state).toBe("failed");
      },
      { timeout: 60_000 },
    );
    expect(typesOf(events)).toEqual([
      ...["undeliverable", "crashed", "undeliverable", "crashed", "undeliverable"],
      ...["undeliverable", "undeliverable", "undeliverable", "failed"],
    ]);
    const reported = events.flatMap((event) => (event.type === "undeliverable" ? [event.message] : []));
    expect(reported).toEqual([1, 2, 3, 4, 5, 6]);
    expect(events.at(-1)).toMatchObject({ type: "failed", crashes: 3, error: { message: "over 3" } });
    expect(await asked).toMatchObject({ code: "ACTOR_FAILED" });
    await expect(actor.send(7)).rejects.toMatchObject({ code: "ACTOR_FAILED", cause: { message: "over 3" } });
    await expect(actor.ask(() => 7, 100)).rejects.toThrow("over 3");
    expect(actor.offer(7)).toBe(false);
    expect(kernel.find("bad")).toBeUndefined();
    await actor.stop();
    expect(actor.state).toBe("failed");
  });

  test("in its factory crashes too; messages wait for the one that succeeds", async () => {
    const { events, onEvent } = listener();
    await using kernel = createKernel({ onEvent });
    let tries = 0;
    const handled: number[] = [];
    const actor = kernel.spawn<number>({ name: "x", supervision: QUICK }, async () => {
      tries += 1;
      await Promise.resolve();
      if (tries < 3) throw new Error("disk is not there yet");
      return { receive: (message) => void handled.push(message) };
    });
    await actor.send(1);
    expect(actor.state).toBe("starting");
    await actor.stop();
    expect({ tries, handled, types: typesOf(events) }).toEqual({
      tries: 3,
      handled: [1],
      types: ["crashed", "crashed"],
    });
  });

  test("because a message takes too long is told to stop, and another goes on", async () => {
    const { events, onEvent } = listener();
    await using kernel = createKernel({ onEvent });
    const reasons: unknown[] = [];
    const handled: number[] = [];
    const actor = kernel.spawn<number>({ name: "x", messageLimit: 5, supervision: QUICK }, (self) => ({
      receive: (message) => {
        if (message !== 1) return void handled.push(message);
        return new Promise<void>(() => {
          self.signal.addEventListener("abort", () => reasons.push(self.signal.reason));
        });
      },
    }));
    for (const message of [1, 2]) await actor.send(message);
    await actor.stop();
    expect(handled).toEqual([2]);
    expect(reasons).toEqual([expect.objectContaining({ code: "NO_ANSWER" })]);
    expect(typesOf(events)).toEqual(["undeliverable", "crashed"]);
  });

  test("and whose stop() fails is made anew, with both errors told", async () => {
    const { events, onEvent } = listener();
    await using kernel = createKernel({ onEvent });
    const actor = kernel.spawn<number>({ name: "x", supervision: { ...QUICK, mostCrashes: 2 } }, () => ({
      receive: () => Promise.reject(new Error("first")),
      stop: () => Promise.reject(new Error("second")),
    }));
    await actor.send(1);
    await vi.waitFor(
      () => {
        expect(typesOf(events)).toEqual(["undeliverable", "crashed"]);
      },
      { timeout: 60_000 },
    );
    expect(events[1]).toMatchObject({ error: { message: "first; and its stop() failed: second" } });
    await actor.stop();
    expect(events.at(-1)).toMatchObject({ type: "failed", error: { message: "second" } });
    expect(actor.state).toBe("failed");
  });

  test("over the last message while it is stopping is not made anew", async () => {
    const { events, onEvent } = listener();
    await using kernel = createKernel({ onEvent });
    const factory = vi.fn(() => ({ receive: () => Promise.reject(new Error("at the end")) }));
    const actor = kernel.spawn<number>({ name: "x" }, factory);
    await actor.send(1);
    await actor.stop();
    expect(typesOf(events)).toEqual(["undeliverable", "failed"]);
    expect(factory).toHaveBeenCalledTimes(1);
  });

  test("a listener that throws changes nothing of it", async () => {
    const warning = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    const kernel = createKernel({
      onEvent: () => {
        throw new Error("of the listener");
      },
    });
    const handled: number[] = [];
    const actor = kernel.spawn<number>({ name: "x", supervision: QUICK }, () => ({
      receive: (message) => {
        if (message === 1) throw new Error("crash");
        handled.push(message);
      },
    }));
    for (const message of [1, 2]) await actor.send(message);
    await kernel.close();
    expect(handled).toEqual([2]);
    expect(warning).toHaveBeenCalledTimes(2);
    warning.mockRestore();
  });
});

describe("the pause before a restart", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  const crashing = { receive: () => Promise.reject(new Error("crash")) };

  test("is waited out, in the state that says so; then what waited is handled", async () => {
    const { events, onEvent } = listener();
    const kernel = createKernel({ onEvent });
    const factory = vi
      .fn()
      .mockReturnValueOnce(crashing)
      .mockReturnValue({ receive: () => {} });
    const actor = kernel.spawn<number>({ name: "x", supervision: { firstPause: 1000 } }, factory);
    await actor.send(1);
    await actor.send(2);
    await vi.advanceTimersByTimeAsync(499);
    expect(factory).toHaveBeenCalledTimes(1);
    expect(actor).toMatchObject({ state: "restarting", waiting: 1 });
    await vi.advanceTimersByTimeAsync(501);
    expect(factory).toHaveBeenCalledTimes(2);
    expect(actor).toMatchObject({ state: "running", waiting: 0 });
    expect(typesOf(events)).toEqual(["undeliverable", "crashed"]);
    await actor.stop();
  });

  test.each([
    ["with nothing waiting, ends at once on stop", 0, {}, 0],
    ["with something waiting, ends at once on stop now", 2, { now: true }, 0],
    ["with something waiting, is waited out on stop", 2, {}, 1],
  ])("%s", async (_, waiting, options, restarts) => {
    const { events, onEvent } = listener();
    const kernel = createKernel({ onEvent });
    const factory = vi
      .fn()
      .mockReturnValueOnce(crashing)
      .mockReturnValue({ receive: () => {} });
    const actor = kernel.spawn<number>(
      { name: "x", supervision: { firstPause: 60_000, longestPause: 60_000 } },
      factory,
    );
    await actor.send(1);
    await vi.advanceTimersByTimeAsync(0);
    expect(actor.state).toBe("restarting");
    for (let message = 0; message < waiting; message += 1) expect(actor.offer(message)).toBe(true);
    const stopped = actor.stop(options);
    if (restarts > 0) await vi.advanceTimersByTimeAsync(60_000);
    await stopped;
    expect(factory).toHaveBeenCalledTimes(1 + restarts);
    expect(events.filter(({ type }) => type === "undeliverable")).toHaveLength(
      restarts > 0 ? 1 : 1 + waiting,
    );
  });

  test("a stop() that hangs after a crash delays it, but not for ever", async () => {
    const kernel = createKernel(listener());
    const hanging = { ...crashing, stop: () => new Promise<void>(() => {}) };
    const factory = vi
      .fn()
      .mockReturnValueOnce(hanging)
      .mockReturnValue({ receive: () => {} });
    const actor = kernel.spawn<number>({ name: "x", supervision: QUICK }, factory);
    await actor.send(1);
    await vi.advanceTimersByTimeAsync(9999);
    expect(factory).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(2);
    expect(factory).toHaveBeenCalledTimes(2);
    await actor.stop();
  });
});

describe("BackOff", () => {
  test("doubles up to the longest, between half and all by chance", () => {
    const settings = { mostCrashes: 100, firstPause: 100, longestPause: 1000 };
    const [least, most] = [new BackOff(settings), new BackOff(settings)];
    const pauses = [1, 2, 3, 4, 5, 6].map((now) => [least.afterCrash(now, 0), most.afterCrash(now, 1)]);
    expect(pauses).toEqual([
      [50, 100],
      [100, 200],
      [200, 400],
      [400, 800],
      [500, 1000],
      [500, 1000],
    ]);
  });

  test("gives up at so many crashes within the time, and forgets older ones", () => {
    const backOff = new BackOff({ mostCrashes: 3, within: 1000 });
    expect([0, 500, 1000, 1600].map((now) => backOff.afterCrash(now, 1))).toEqual([100, 200, 200, 200]);
    expect(backOff.afterCrash(1700, 1)).toBeUndefined();
    expect(new BackOff({ mostCrashes: 1 }).afterCrash(0, 1)).toBeUndefined();
  });
});
