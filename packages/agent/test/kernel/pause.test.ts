import { describe, expect, test, vi } from "vitest";
import { after } from "../../src/kernel/after.ts";
import { FlushTimer } from "../../src/kernel/flush-timer.ts";
import { monotonicNow } from "../../src/kernel/monotonic-clock.ts";
import { pause } from "../../src/kernel/pause.ts";

describe("pause", () => {
  test("is never early and leaves no timer", async () => {
    for (const milliseconds of [0, 0.5, 1, 3, 7]) {
      const start = monotonicNow();
      await pause(milliseconds);
      expect(monotonicNow() - start).toBeGreaterThanOrEqual(milliseconds);
    }
  });

  test("rejects with the signal's reason, and clears its timer", async () => {
    vi.useFakeTimers();
    try {
      const controller = new AbortController();
      const waiting = pause(60_000, controller.signal);
      expect(vi.getTimerCount()).toBe(1);
      controller.abort(new Error("called off"));
      await expect(waiting).rejects.toThrow("called off");
      expect(vi.getTimerCount()).toBe(0);
      await expect(pause(60_000, controller.signal)).rejects.toThrow("called off");
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test("waits out more than the longest timer of the platform", async () => {
    vi.useFakeTimers();
    try {
      const month = 30 * 24 * 3600 * 1000;
      let isOver = false;
      const waiting = pause(month).then(() => {
        isOver = true;
      });
      await vi.advanceTimersByTimeAsync(month - 1);
      expect(isOver).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      await waiting;
      expect(isOver).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  test("for ever arms nothing, and not a number is refused", () => {
    vi.useFakeTimers();
    try {
      after(Infinity, () => {})();
      expect(vi.getTimerCount()).toBe(0);
      expect(() => after(Number.NaN, () => {})).toThrow(RangeError);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("FlushTimer", () => {
  test("fires once for many changes, counted from the first, and can be armed again", () => {
    vi.useFakeTimers();
    try {
      const flush = vi.fn();
      const timer = new FlushTimer(1000, flush);
      for (let change = 0; change < 15; change += 1) {
        timer.arm();
        vi.advanceTimersByTime(100);
      }
      expect(flush).toHaveBeenCalledTimes(1);
      vi.advanceTimersByTime(1000);
      expect(flush).toHaveBeenCalledTimes(2);
      expect(vi.getTimerCount()).toBe(0);
      timer.arm();
      timer.cancel();
      expect(vi.getTimerCount()).toBe(0);
      timer.arm();
      vi.advanceTimersByTime(1000);
      expect(flush).toHaveBeenCalledTimes(3);
    } finally {
      vi.useRealTimers();
    }
  });
});
