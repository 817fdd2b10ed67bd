import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Mailbox } from "../../src/kernel/mailbox.ts";

/** What has happened to a promise by now. */
async function stateOf(promise: Promise<unknown>): Promise<"pending" | "resolved" | "rejected"> {
  const settled = promise.then(
    () => "resolved" as const,
    () => "rejected" as const,
  );
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  return await Promise.race([settled, Promise.resolve("pending" as const)]);
}

describe("Mailbox", () => {
  test("holds at most its capacity; whoever puts more waits, in order", async () => {
    const mailbox = new Mailbox<number>(2);
    await mailbox.put(1);
    expect(mailbox.offer(2)).toBe(true);
    expect(mailbox.offer(3)).toBe(false);
    const third = mailbox.put(3);
    const fourth = mailbox.put(4);
    expect(await stateOf(third)).toBe("pending");
    expect(mailbox.size).toBe(2);
    expect(mailbox.tryTake()).toBe(1);
    await third;
    expect(await stateOf(fourth)).toBe("pending");
    expect([mailbox.tryTake(), mailbox.tryTake(), mailbox.tryTake(), mailbox.tryTake()]).toEqual([
      2,
      3,
      4,
      undefined,
    ]);
    await fourth;
  });

  test("serves those who wait to take in the order they came", async () => {
    const mailbox = new Mailbox<string>(1);
    const takes = [mailbox.take(), mailbox.take()];
    expect(mailbox.offer("a")).toBe(true);
    expect(mailbox.offer("b")).toBe(true);
    expect(mailbox.size).toBe(0);
    expect(await Promise.all(takes)).toEqual(["a", "b"]);
  });

  test("an aborted put leaves nothing in it, an aborted take takes nothing", async () => {
    const mailbox = new Mailbox<number>(1);
    await mailbox.put(1);
    const controller = new AbortController();
    const put = mailbox.put(2, controller.signal);
    const behind = mailbox.put(3);
    controller.abort(new Error("enough"));
    await expect(put).rejects.toThrow("enough");
    await expect(mailbox.put(4, controller.signal)).rejects.toThrow("enough");
    expect([mailbox.tryTake(), mailbox.tryTake(), mailbox.tryTake()]).toEqual([1, 3, undefined]);
    await behind;

    const second = new AbortController();
    const take = mailbox.take(second.signal);
    second.abort("a reason that is no error");
    await expect(take).rejects.toThrow("a reason that is no error");
    expect(mailbox.offer(5)).toBe(true);
    expect(mailbox.tryTake()).toBe(5);
  });

  test("seal refuses what comes and what waits outside, not what is in", async () => {
    const mailbox = new Mailbox<number>(1);
    await mailbox.put(1);
    const waiting = mailbox.put(2);
    mailbox.seal();
    await expect(waiting).rejects.toMatchObject({ code: "ACTOR_STOPPED" });
    await expect(mailbox.put(3)).rejects.toMatchObject({ code: "ACTOR_STOPPED" });
    expect(mailbox.offer(3)).toBe(false);
    expect(await mailbox.take()).toBe(1);
    expect(await mailbox.take()).toBeUndefined();
  });

  test("close hands back what was left and wakes those who wait to take", async () => {
    const mailbox = new Mailbox<number>(3);
    for (const item of [1, 2]) expect(mailbox.offer(item)).toBe(true);
    expect(mailbox.close(new Error("over"))).toEqual([1, 2]);
    expect(mailbox.close()).toEqual([]);
    await expect(mailbox.put(3)).rejects.toThrow("over");

    const empty = new Mailbox<number>(1);
    const take = empty.take();
    expect(empty.close()).toEqual([]);
    expect(await take).toBeUndefined();
  });

  test("refuses a capacity that is none", () => {
    for (const capacity of [0, -1, 1.5, Number.NaN, Infinity]) {
      expect(() => new Mailbox(capacity)).toThrow("whole number");
    }
  });

  test("behaves as an unbounded list behind a door of its capacity, whatever the order of calls", async () => {
    const operation = fc.constantFrom("put", "offer", "take", "tryTake", "abort", "seal", "close");
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(operation, { maxLength: 60 }),
        async (capacity, operations) => {
          const mailbox = new Mailbox<number>(capacity);
          const accepted: number[] = [];
          const refused: number[] = [];
          const got: number[] = [];
          const pending: Promise<void>[] = [];
          const aborts: AbortController[] = [];
          let next = 0;
          for (const kind of operations) {
            const item = (next += 1);
            if (kind === "put") {
              const controller = new AbortController();
              aborts.push(controller);
              pending.push(
                mailbox.put(item, controller.signal).then(
                  () => void accepted.push(item),
                  () => void refused.push(item),
                ),
              );
            } else if (kind === "offer") (mailbox.offer(item) ? accepted : refused).push(item);
            else if (kind === "abort") aborts.pop()?.abort();
            else if (kind === "seal") mailbox.seal();
            else if (kind === "close") got.push(...mailbox.close());
            else if (kind === "tryTake") {
              const taken = mailbox.tryTake();
              if (taken !== undefined) got.push(taken);
            } else {
              pending.push(
                mailbox.take().then((taken) => {
                  if (taken !== undefined) got.push(taken);
                }),
              );
            }
            expect(mailbox.size).toBeLessThanOrEqual(capacity);
            await Promise.resolve();
          }
          got.push(...mailbox.close());
          await Promise.all(pending);
          // An offer made while puts wait is refused, so items come out in the order they were offered or put.
          expect(got).toEqual([...accepted].sort((a, b) => a - b));
          expect(new Set([...accepted, ...refused]).size).toBe(accepted.length + refused.length);
        },
      ),
    );
  });
});
