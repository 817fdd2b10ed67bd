import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Session } from "@longhand/store";
import { withLock } from "../../src/sessions/with-lock.ts";
import { fakeSurroundings } from "../support/with-memory.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface FakeLock {
  readonly session: Session;
  readonly waits: unknown[];
  readonly disposed: () => boolean;
  readonly give: () => void;
}

function fakeLock(): FakeLock {
  const waits: unknown[] = [];
  let isDisposed = false;
  let resolve: (lock: AsyncDisposable) => void = () => undefined;
  const promise = new Promise<AsyncDisposable>((give) => (resolve = give));
  const lock: AsyncDisposable = {
    [Symbol.asyncDispose]: () => {
      isDisposed = true;
      return Promise.resolve();
    },
  };
  const session: Pick<Session, "key" | "lock"> = {
    key: "k\u001b",
    lock: async (options) => {
      waits.push(options?.wait);
      return await promise;
    },
  };
  return { session: session as Session, waits, disposed: () => isDisposed, give: () => resolve(lock) };
}

describe("a session kept for a whole command", () => {
  test("is let go of, also when the command fails", async () => {
    for (const outcome of ["done", "failed"]) {
      const { session, waits, disposed, give } = fakeLock();
      give();
      const used = withLock(session, 2.5, fakeSurroundings(), () =>
        outcome === "done" ? Promise.resolve(outcome) : Promise.reject(new Error(outcome)),
      );
      await (outcome === "done"
        ? expect(used).resolves.toBe("done")
        : expect(used).rejects.toThrow("failed"));
      expect([waits, disposed()]).toEqual([[2500], true]);
    }
  });

  test("tells the person who waits for more than a second, once; a program is told nothing", async () => {
    for (const json of [false, true]) {
      const { session, give } = fakeLock();
      const surroundings = fakeSurroundings({ json });
      const used = withLock(session, 10, surroundings, () => Promise.resolve());
      await vi.advanceTimersByTimeAsync(999);
      expect(surroundings.output.complaints).toEqual([]);
      await vi.advanceTimersByTimeAsync(5000);
      expect(surroundings.output.complaints.join("")).toBe(
        json ? "" : "longhand: waiting for another process to let go of k\\x1b …\n",
      );
      give();
      await used;
    }
  });
});
