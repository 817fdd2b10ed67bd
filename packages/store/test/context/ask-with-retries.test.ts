/** A model that is asked within a time limit leaves no timer behind, whatever comes of it. */

import { describe, expect, test } from "vitest";
import { askWithRetries, TimeIsUp, withTimeLimit } from "../../src/context/ask-with-retries.ts";
import type { Host } from "../../src/host/host.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { SimulatedMachine } from "../../src/testing/simulated-machine.ts";

const QUESTION = { system: "", user: "", maxTokens: 1 };

/** Counts the waits that have not come to an end. */
function counting(host: Pick<Host, "wait">): { waiting: Pick<Host, "wait">; pending: () => number } {
  let pending = 0;
  const wait: Host["wait"] = async (...given) => {
    pending += 1;
    await host.wait(...given);
    pending -= 1;
  };
  return { waiting: { wait }, pending: () => pending };
}

const settled = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));

const HOUR = 3_600_000;

describe.each([
  ["the real host", () => nodeHost],
  ["the simulated one", () => new SimulatedMachine().startProcess()],
])("the timer of a time limit, on %s", (_name, hostOf) => {
  test("is gone when the work is done", async () => {
    const { waiting, pending } = counting(hostOf());
    let during = 0;
    const answer = await withTimeLimit(waiting, HOUR, undefined, () => {
      during = pending();
      return Promise.resolve("done");
    });
    await settled();
    expect([answer, during, pending()]).toEqual(["done", 1, 0]);
  });

  test("is gone when the work fails, or the caller wants it no more", async () => {
    const { waiting, pending } = counting(hostOf());
    const failing = withTimeLimit(waiting, HOUR, undefined, () => Promise.reject(new Error("no")));
    await expect(failing).rejects.toThrow("no");
    const stop = new AbortController();
    const asking = withTimeLimit(waiting, HOUR, stop.signal, async (signal) => {
      stop.abort(new Error("stop"));
      return await askWithRetries(() => new Promise(() => undefined), QUESTION, { waiting, signal });
    });
    await expect(asking).rejects.toThrow("stop");
    await settled();
    expect(pending()).toBe(0);
  });

  test("so is the pause before another try, when nobody wants it any more", async () => {
    const { waiting, pending } = counting(hostOf());
    const stop = new AbortController();
    const pausing: Pick<Host, "wait"> = {
      wait: async (milliseconds, _background, ended) => {
        setImmediate(() => stop.abort(new Error("stop")));
        await waiting.wait(milliseconds === 100 ? HOUR : milliseconds, "background", ended);
      },
    };
    const asking = askWithRetries(() => Promise.reject(new Error("once")), QUESTION, {
      waiting: pausing,
      signal: stop.signal,
    });
    await expect(asking).rejects.toThrow("stop");
    await settled();
    expect(pending()).toBe(0);
  });
});

test("a time limit that is over still ends the work", async () => {
  const { waiting, pending } = counting(nodeHost);
  const late = withTimeLimit(waiting, 5, undefined, async (signal) =>
    askWithRetries(() => new Promise(() => undefined), QUESTION, { waiting, signal }),
  );
  await expect(late).rejects.toThrow(TimeIsUp);
  expect(pending()).toBe(0);
});
