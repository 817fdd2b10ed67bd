/** What the cases about `watch` wait with: a watch that yields nothing for too long has failed. */

import assert from "node:assert/strict";
import { nodeHost } from "../host/node-host.ts";
import type { Session } from "../contract/types.ts";
import { wordOf } from "./case-language.ts";

export interface Watching {
  /** What a watch yields, one word for each record as in `log`, until there are `count`; fewer if no more come in time. */
  readonly watched: (
    session: Session,
    count: number,
    options?: Parameters<Session["watch"]>[0],
  ) => Promise<unknown[]>;
  /** Runs what ought to end by itself; `signal` aborts, and the case fails, if it does not end in time. */
  readonly endsByItself: <T>(run: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

export function watching(timeoutMs: number): Watching {
  const inTime = async <T>(
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<{ isInTime: boolean; result: T }> => {
    const controller = new AbortController();
    void nodeHost.wait(timeoutMs, "background").then(() => controller.abort());
    const result = await run(controller.signal);
    return { isInTime: !controller.signal.aborted, result };
  };
  return {
    watched: async (session, count, options = {}) => {
      const words: unknown[] = [];
      await inTime(async (signal) => {
        for await (const record of session.watch({ signal, ...options })) {
          words.push(wordOf(record));
          if (words.length === count) break;
        }
      });
      return words;
    },
    endsByItself: async (run) => {
      const { isInTime, result } = await inTime(run);
      assert.ok(isInTime, "it did not end by itself");
      return result;
    },
  };
}
