import { describe, expect, test, vi } from "vitest";
import { createKernel } from "../../src/kernel/create-kernel.ts";
import type { Kernel, Service } from "../../src/kernel/types.ts";

const never = new Promise<never>(() => {});

function kernelAndLog(): {
  kernel: Kernel;
  log: string[];
  service: (name: string, changes?: Partial<Service>) => Service;
} {
  const log: string[] = [];
  const service = (name: string, changes: Partial<Service> = {}): Service => ({
    name,
    start: async () => {
      await Promise.resolve();
      log.push(`start ${name}`);
    },
    stop: async () => {
      await Promise.resolve();
      log.push(`stop ${name}`);
    },
    ...changes,
  });
  return { kernel: createKernel({ onEvent: vi.fn() }), log, service };
}

describe("services", () => {
  test("start in order, stop newest first, and only then the actors", async () => {
    const { kernel, log, service } = kernelAndLog();
    await kernel.startServices([service("a"), service("b")]);
    await kernel.startServices([service("c")]);
    const actor = kernel.spawn<string>({ name: "actor" }, () => ({
      receive: (message) => void log.push(message),
      stop: () => void log.push("stop actor"),
    }));
    await actor.send("message");
    await Promise.all([kernel.close(), kernel.close()]);
    await kernel.close();
    const order = ["start a", "start b", "start c", "message", "stop c", "stop b", "stop a", "stop actor"];
    expect(log).toEqual(order);
  });

  test("one that cannot start has those before it in the call stopped, and no others", async () => {
    const { kernel, log, service } = kernelAndLog();
    await kernel.startServices([service("old")]);
    const bad = service("bad", { start: () => Promise.reject(new Error("port in use")) });
    await expect(kernel.startServices([service("a"), service("b"), bad, service("c")])).rejects.toThrow(
      "port in use",
    );
    expect(log).toEqual(["start old", "start a", "start b", "stop b", "stop a"]);
    await kernel.startServices([service("a")]);
    await expect(kernel.startServices([service("a")])).rejects.toMatchObject({ code: "NAME_TAKEN" });
    await kernel.close();
    expect(log.slice(5)).toEqual(["start a", "stop a", "stop old"]);
    await expect(kernel.startServices([service("late")])).rejects.toMatchObject({ code: "ACTOR_STOPPED" });
  });

  test("one that fails or hangs in stopping does not keep the others from it, and is told of", async () => {
    const { kernel, log, service } = kernelAndLog();
    await kernel.startServices([
      service("a"),
      service("fails", { stop: () => Promise.reject(new Error("cannot stop")) }),
      service("b"),
      service("hangs", { stop: () => never }),
    ]);
    const closed = await kernel.close({ within: 50 }).catch((error: unknown) => error);
    expect(closed).toBeInstanceOf(AggregateError);
    expect(log.filter((line) => line.startsWith("stop"))).toEqual(["stop b", "stop a"]);
  });
});

describe("close", () => {
  test("handles what waits, then nothing can be spawned", async () => {
    const { kernel } = kernelAndLog();
    const handled: number[] = [];
    const actor = kernel.spawn<number>({ name: "x" }, () => ({
      receive: (message) => void handled.push(message),
    }));
    for (const message of [1, 2, 3]) expect(actor.offer(message)).toBe(true);
    await kernel[Symbol.asyncDispose]();
    expect(handled).toEqual([1, 2, 3]);
    expect(() => kernel.spawn({ name: "y" }, () => ({ receive: () => {} }))).toThrow("closed");
  });

  test("ends with actors that hang in their factory, in a message, in stop(), or crash for ever", async () => {
    const failed: string[] = [];
    const kernel = createKernel({
      onEvent: (event) => {
        if (event.type === "failed") failed.push(event.actor);
      },
    });
    const supervision = { firstPause: 60_000, longestPause: 60_000 };
    const refs = [
      kernel.spawn<number>({ name: "factory" }, () => never),
      kernel.spawn<number>({ name: "message" }, () => ({ receive: () => never })),
      kernel.spawn<number>({ name: "stop" }, () => ({ receive: () => {}, stop: () => never })),
      kernel.spawn<number>({ name: "both" }, () => ({ receive: () => never, stop: () => never })),
      kernel.spawn<number>({ name: "crashes", supervision }, () => Promise.reject(new Error("crash"))),
    ];
    for (const ref of refs) for (const message of [1, 2]) expect(ref.offer(message)).toBe(true);
    await kernel.close({ within: 10 });
    expect(kernel.actors()).toEqual([]);
    expect(failed.toSorted()).toEqual(["both", "stop"]);
    expect(refs.map(({ state }) => state)).toEqual(["stopped", "stopped", "failed", "failed", "stopped"]);
  });

  test("is refused with a limit that is none, and changes nothing", async () => {
    const { kernel } = kernelAndLog();
    await expect(kernel.close({ within: -1 })).rejects.toMatchObject({ code: "OPTION_INVALID" });
    kernel.spawn({ name: "x" }, () => ({ receive: () => {} }));
    await kernel.close();
  });
});
