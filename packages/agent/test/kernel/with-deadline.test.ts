import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { idleLimit } from "../../src/kernel/idle-limit.ts";
import { withDeadline } from "../../src/kernel/with-deadline.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const timedOut = (): Error => new Error("too late");
const never = new Promise<never>(() => {});

describe("withDeadline", () => {
  test("settles as the work does", async () => {
    await expect(withDeadline(50, () => Promise.resolve(7), { timedOut })).resolves.toBe(7);
    await expect(withDeadline(50, () => Promise.reject(new Error("broken")), { timedOut })).rejects.toThrow(
      "broken",
    );
    const throwsAtOnce = (): Promise<never> => {
      throw new Error("at once");
    };
    await expect(withDeadline(50, throwsAtOnce, { timedOut })).rejects.toThrow("at once");
  });

  test("rejects when the time is over though the work never settles, and aborts it", async () => {
    const seen: unknown[] = [];
    const result = withDeadline(
      50,
      (signal) => {
        signal.addEventListener("abort", () => seen.push(signal.reason));
        return never;
      },
      { timedOut },
    );
    const caught = result.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(49);
    expect(seen).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await caught).toMatchObject({ message: "too late" });
    expect(seen).toEqual([await caught]);
  });

  test("work that fails after it was given up is nobody's unhandled rejection", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const work = (signal: AbortSignal): Promise<never> =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          reject(new Error("late failure"));
        });
      });
    const caught = withDeadline(10, work, { timedOut }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10);
    expect(await caught).toMatchObject({ message: "too late" });
    vi.useRealTimers();
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    vi.useFakeTimers();
  });

  test("rejects with the reason of the outer signal at once, before or during the work", async () => {
    const controller = new AbortController();
    let inner: AbortSignal | undefined;
    const work = vi.fn((signal: AbortSignal) => {
      inner = signal;
      return never;
    });
    const result = withDeadline(Infinity, work, { timedOut, signal: controller.signal });
    controller.abort(new Error("cancelled"));
    await expect(result).rejects.toThrow("cancelled");
    expect(inner?.reason).toMatchObject({ message: "cancelled" });
    await expect(withDeadline(50, work, { timedOut, signal: controller.signal })).rejects.toThrow(
      "cancelled",
    );
    expect(work).toHaveBeenCalledTimes(1);
  });
});

describe("idleLimit", () => {
  const stalled = (): Error => new Error("stalled");

  test("gives the items and the source's own failure", async () => {
    async function* source(): AsyncGenerator<number> {
      yield 1;
      yield await Promise.resolve(2);
      throw new Error("of the source");
    }
    const got: number[] = [];
    const reading = (async () => {
      for await (const item of idleLimit(source(), 100, stalled)) got.push(item);
    })();
    await expect(reading).rejects.toThrow("of the source");
    expect(got).toEqual([1, 2]);
  });

  test("throws when no item came for so long, counted anew for each, and ends a source that hangs", async () => {
    const ended = vi.fn(() => never);
    let asked = 0;
    const source: AsyncIterable<number> = {
      [Symbol.asyncIterator]: () => ({
        next: () => {
          asked += 1;
          if (asked > 3) return never;
          return new Promise((resolve) => {
            setTimeout(() => {
              resolve({ done: false, value: asked });
            }, 80);
          });
        },
        return: ended,
      }),
    };
    const got: number[] = [];
    const reading = (async () => {
      for await (const item of idleLimit(source, 100, stalled)) got.push(item);
    })().catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(339);
    expect(got).toEqual([1, 2, 3]);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(await reading).toMatchObject({ message: "stalled" });
    expect(ended).toHaveBeenCalledTimes(1);
  });

  test("does not count the time that the consumer takes, and ends the source when it leaves", async () => {
    let isEnded = false;
    async function* source(): AsyncGenerator<number> {
      try {
        for (let item = 0; ; item += 1) yield await Promise.resolve(item);
      } finally {
        isEnded = true;
      }
    }
    const reading = (async () => {
      for await (const item of idleLimit(source(), 10, stalled)) {
        await new Promise((resolve) => setTimeout(resolve, 1000));
        if (item === 2) break;
      }
    })();
    await vi.advanceTimersByTimeAsync(3000);
    await reading;
    expect(isEnded).toBe(true);
  });
});
