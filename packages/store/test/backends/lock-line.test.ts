/** The line for a lock inside one store: order, patience without a clock, and nothing left behind. */

import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { LockLine } from "../../src/backends/lock-line.ts";
import type { Host } from "../../src/host/host.ts";
import { nodeHost } from "../../src/host/node-host.ts";

/** Time passes only when somebody waits; the clock jumps about. */
function waitingHost(): { readonly host: Host; waited: number } {
  const world = {
    waited: 0,
    host: {
      ...nodeHost,
      now: () => (world.waited % 40 === 0 ? 0 : 1e12),
      wait: async (milliseconds: number) => {
        await new Promise((resolve) => setImmediate(resolve));
        world.waited += milliseconds;
      },
    },
  };
  return world;
}

test("waits as long as it was told, whatever the clock says, and 10 seconds if it was not", async () => {
  for (const [wait, expected] of [
    [0, 0],
    [50, 50],
    [undefined, 10_000],
  ] as const) {
    const world = waitingHost();
    const line = new LockLine(world.host);
    await line.take("s", { wait: 0, signal: undefined });
    const { pid } = nodeHost.processes.self;
    await expect(line.take("s", { wait, signal: undefined })).rejects.toMatchObject({
      code: "SESSION_LOCKED",
      detail: { key: "s", pid, since: expect.any(String) as string },
    });
    expect(world.waited).toBe(expected);
  }
});

test("who gives up in the middle of the line is passed over, and the signal is let go", async () => {
  const line = new LockLine(nodeHost);
  const release = await line.take("s", { wait: undefined, signal: undefined });
  const controller = new AbortController();
  const second = line.take("s", { wait: undefined, signal: controller.signal });
  const third = line.take("s", { wait: undefined, signal: undefined });
  expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
  controller.abort(new Error("enough"));
  await expect(second).rejects.toThrow("enough");
  expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  await release();
  await (
    await third
  )();
});

test("whose turn and whose end come at the same moment has no lock", async () => {
  const line = new LockLine(nodeHost);
  const release = await line.take("s", { wait: undefined, signal: undefined });
  const controller = new AbortController();
  const second = line.take("s", { wait: undefined, signal: controller.signal });
  await release();
  controller.abort(new Error("too late"));
  await expect(second).rejects.toThrow("too late");
  await (
    await line.take("s", { wait: 0, signal: undefined })
  )();
});
