import { expect, test } from "vitest";
import { LonghandError } from "../../src/errors.ts";
import { PendingWrites } from "../../src/store/pending-writes.ts";

const failure = (message: string): LonghandError => new LonghandError("IO_FAILED", message);

test("the first failure is that of the earliest call, not of the quickest", async () => {
  const reported: string[] = [];
  const writes = new PendingWrites(({ message }) => reported.push(message));
  const slow: { fail: (error: Error) => void } = { fail: () => undefined };
  const first = writes.add("k", async () => await new Promise((_, reject) => (slow.fail = reject)));
  const second = writes.add("k", async () => await Promise.reject(failure("quick")));
  const barrier = writes.barrier("k");
  slow.fail(failure("slow"));
  await expect(barrier).rejects.toThrow("slow");
  await Promise.all([first, second]);
  expect(reported).toEqual(["slow", "quick"]);
  await writes.barrier("k");
});

test("a write begins before add returns, and another key waits for nobody", async () => {
  const writes = new PendingWrites(() => undefined);
  const begun: string[] = [];
  const never = new Promise<void>(() => undefined);
  void writes.add("stuck", async () => {
    begun.push("stuck");
    await never;
  });
  const other = writes.add("other", () => {
    begun.push("other");
    return Promise.resolve();
  });
  expect(begun).toEqual(["stuck", "other"]);
  await other;
  await writes.barrier("other");
  await writes.settled("other");
});

test("whatever is thrown is reported as an error of ours, with its cause", async () => {
  const reported: LonghandError[] = [];
  const writes = new PendingWrites((error) => reported.push(error));
  const cause = new TypeError("a mistake");
  await writes.add("k", () => {
    throw cause;
  });
  expect(reported).toMatchObject([{ code: "STORE_FAILED", cause }]);
  await expect(writes.barrier("k")).rejects.toBe(reported[0]);
});
