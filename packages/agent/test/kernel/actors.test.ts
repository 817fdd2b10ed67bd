import { describe, expect, test, vi } from "vitest";
import { createKernel } from "../../src/kernel/create-kernel.ts";
import { deferred } from "../../src/kernel/deferred.ts";
import type { Answer, KernelEvent } from "../../src/kernel/types.ts";

const never = new Promise<never>(() => {});

describe("an actor", () => {
  test("handles one message at a time, in the order of each sender", async () => {
    await using kernel = createKernel({ onEvent: vi.fn() });
    const handled: string[] = [];
    let inHand = 0;
    const actor = kernel.spawn<string>({ name: "one", mailbox: 3 }, () => ({
      receive: async (message) => {
        inHand += 1;
        expect(inHand).toBe(1);
        await Promise.resolve();
        handled.push(message);
        inHand -= 1;
      },
    }));
    const sender = async (name: string): Promise<void> => {
      const sent = [];
      for (let number = 0; number < 50; number += 1) sent.push(actor.send(`${name}${number}`));
      await Promise.all(sent);
    };
    await Promise.all([sender("a"), sender("b"), sender("c")]);
    await actor.stop();
    expect(handled).toHaveLength(150);
    for (const name of ["a", "b", "c"]) {
      const own = handled.filter((message) => message.startsWith(name));
      expect(own).toEqual(Array.from({ length: 50 }, (_, number) => `${name}${number}`));
    }
    expect(actor.state).toBe("stopped");
  });

  test("makes whoever sends too much wait, and refuses offers", async () => {
    await using kernel = createKernel({ onEvent: vi.fn() });
    const gate = deferred<undefined>();
    const actor = kernel.spawn<number>({ name: "slow", mailbox: 2 }, () => ({
      receive: async () => {
        await gate.promise;
      },
    }));
    await actor.send(0);
    await vi.waitFor(
      () => {
        expect(actor.waiting).toBe(0);
      },
      { timeout: 60_000 },
    );
    expect([actor.offer(1), actor.offer(2), actor.offer(3)]).toEqual([true, true, false]);
    let isIn = false;
    const waiting = actor.send(4).then(() => {
      isIn = true;
    });
    const controller = new AbortController();
    const givenUp = actor.send(5, controller.signal);
    controller.abort(new Error("no longer"));
    await expect(givenUp).rejects.toThrow("no longer");
    expect({ isIn, waiting: actor.waiting }).toEqual({ isIn: false, waiting: 2 });
    gate.resolve(undefined);
    await waiting;
  });

  test("answers what it is asked, fails it, or lets the deadline pass", async () => {
    await using kernel = createKernel({ onEvent: vi.fn() });
    interface Question {
      readonly kind: "double" | "fail" | "ignore";
      readonly answer: Answer<number>;
    }
    const actor = kernel.spawn<Question>({ name: "asked" }, () => ({
      receive: ({ kind, answer }) => {
        if (kind === "double") answer(2);
        if (kind === "fail") answer.fail(new Error("cannot"));
      },
    }));
    const ask = (kind: Question["kind"], deadline: number, signal?: AbortSignal): Promise<number> =>
      actor.ask<number>((answer) => ({ kind, answer }), deadline, signal);
    expect(await ask("double", 1000)).toBe(2);
    await expect(ask("fail", 1000)).rejects.toThrow("cannot");
    await expect(ask("ignore", 5)).rejects.toMatchObject({ code: "NO_ANSWER", detail: { actor: "asked" } });
    await expect(ask("ignore", 1000, AbortSignal.abort(new Error("not now")))).rejects.toThrow("not now");
    await expect(ask("double", Number.NaN)).rejects.toThrow(RangeError);
  });

  test("a question whose deadline passes outside the mailbox is never delivered", async () => {
    await using kernel = createKernel({ onEvent: vi.fn() });
    const gate = deferred<undefined>();
    const seen: string[] = [];
    const actor = kernel.spawn<string>({ name: "busy", mailbox: 1 }, () => ({
      receive: async (message) => {
        seen.push(message);
        await gate.promise;
      },
    }));
    await actor.send("first");
    await vi.waitFor(
      () => {
        expect(seen).toEqual(["first"]);
      },
      { timeout: 60_000 },
    );
    await actor.send("second");
    await expect(actor.ask(() => "third", 5)).rejects.toMatchObject({ code: "NO_ANSWER" });
    gate.resolve(undefined);
    await actor.stop();
    expect(seen).toEqual(["first", "second"]);
  });

  test("can write to itself, and finds a full mailbox out", async () => {
    await using kernel = createKernel({ onEvent: vi.fn() });
    const offers: boolean[] = [];
    const actor = kernel.spawn<number>({ name: "self", mailbox: 2 }, (self) => ({
      receive: (message) => {
        if (message === 0) for (const next of [1, 2, 3]) offers.push(self.offer(next));
      },
    }));
    await actor.send(0);
    await vi.waitFor(
      () => {
        expect(offers).toEqual([true, true, false]);
      },
      { timeout: 60_000 },
    );
  });

  test("has a name that no other has while it runs", async () => {
    await using kernel = createKernel({ onEvent: vi.fn() });
    const actor = kernel.spawn<number>({ name: "x" }, () => ({ receive: () => {} }));
    expect(() => kernel.spawn({ name: "x" }, () => ({ receive: () => {} }))).toThrow(
      expect.objectContaining({ code: "NAME_TAKEN" }),
    );
    expect(kernel.find("x")).toBe(actor);
    expect(kernel.actors()).toEqual(["x"]);
    await actor.stop();
    expect(kernel.find("x")).toBeUndefined();
    expect(kernel.actors()).toEqual([]);
    kernel.spawn({ name: "x" }, () => ({ receive: () => {} }));
    await expect(actor.send(1)).rejects.toMatchObject({ code: "ACTOR_STOPPED" });
    await expect(actor.ask(() => 1, 100)).rejects.toMatchObject({ code: "ACTOR_STOPPED" });
    expect(actor.offer(1)).toBe(false);
  });

  test("is refused with options that mean nothing, and nothing is started", async () => {
    await using kernel = createKernel({ onEvent: vi.fn() });
    const factory = vi.fn(() => ({ receive: () => {} }));
    for (const options of [
      { name: "" },
      { name: "a", mailbox: 0 },
      { name: "a", mailbox: 1.5 },
      { name: "a", messageLimit: Number.NaN },
      { name: "a", supervision: { mostCrashes: 0 } },
      { name: "a", supervision: { mostCrashes: 1.5 } },
      { name: "a", supervision: { firstPause: -1 } },
    ]) {
      expect(() => kernel.spawn(options, factory)).toThrow(
        expect.objectContaining({ code: "OPTION_INVALID" }),
      );
    }
    expect(kernel.actors()).toEqual([]);
    expect(factory).not.toHaveBeenCalled();
  });
});

describe("stop", () => {
  test("handles what waits, calls stop() once after the last message, and takes nothing new", async () => {
    await using kernel = createKernel({ onEvent: vi.fn() });
    const seen: unknown[] = [];
    const actor = kernel.spawn<number>({ name: "x" }, () => ({
      receive: async (message) => {
        await Promise.resolve();
        seen.push(message);
      },
      stop: () => void seen.push("stop"),
    }));
    for (const message of [1, 2, 3]) expect(actor.offer(message)).toBe(true);
    const stopped = Promise.all([actor.stop(), actor.stop()]);
    expect(actor.state).toBe("stopping");
    await expect(actor.send(4)).rejects.toMatchObject({ code: "ACTOR_STOPPED" });
    await stopped;
    await actor.stop({ now: true });
    expect(seen).toEqual([1, 2, 3, "stop"]);
  });

  test("now reports what waits and refuses those who asked", async () => {
    const events: KernelEvent[] = [];
    await using kernel = createKernel({ onEvent: (event) => events.push(event) });
    const gate = deferred<undefined>();
    const seen: string[] = [];
    const actor = kernel.spawn<string>({ name: "x", mailbox: 2 }, () => ({
      receive: async (message) => {
        await gate.promise;
        seen.push(message);
      },
    }));
    await actor.send("in hand");
    await vi.waitFor(
      () => {
        expect(actor.waiting).toBe(0);
      },
      { timeout: 60_000 },
    );
    await actor.send("waits");
    const asked = actor.ask(() => "asks", 60_000);
    const outside = actor.send("outside");
    const refused = Promise.allSettled([asked, outside]);
    const stopped = actor.stop({ now: true });
    expect((await refused).map((result) => result.status)).toEqual(["rejected", "rejected"]);
    expect(events.map((event) => event.type === "undeliverable" && event.message)).toEqual(["waits", "asks"]);
    gate.resolve(undefined);
    await stopped;
    expect(seen).toEqual(["in hand"]);
  });

  test("ends an actor that hangs, after telling it, and reports what it had in hand and what waited", async () => {
    const events: KernelEvent[] = [];
    await using kernel = createKernel({ onEvent: (event) => events.push(event) });
    const told: unknown[] = [];
    const stop = vi.fn();
    const actor = kernel.spawn<number>({ name: "hangs" }, (self) => {
      self.signal.addEventListener("abort", () => told.push(self.signal.reason));
      return { receive: () => never, stop };
    });
    await actor.send(1);
    await actor.send(2);
    const asked = actor.ask(() => 3, 60_000).catch((error: unknown) => error);
    await actor.stop({ within: 5 });
    expect(told).toEqual([expect.objectContaining({ code: "ACTOR_STOPPED" })]);
    expect(await asked).toMatchObject({ code: "ACTOR_STOPPED" });
    expect(stop).toHaveBeenCalledTimes(1);
    expect(events.map((event) => event.type === "undeliverable" && event.message)).toEqual([2, 3, 1]);
    expect(actor.state).toBe("stopped");
    expect(kernel.actors()).toEqual([]);
  });

  test("lets an actor that reacts to the signal finish", async () => {
    const events: KernelEvent[] = [];
    await using kernel = createKernel({ onEvent: (event) => events.push(event) });
    const seen: string[] = [];
    const actor = kernel.spawn<number>({ name: "reacts" }, (self) => ({
      receive: async () => {
        await new Promise((resolve) => {
          self.signal.addEventListener("abort", resolve);
        });
        await new Promise((resolve) => setTimeout(resolve, 10));
        seen.push("wrote what was left");
      },
    }));
    await actor.send(1);
    await vi.waitFor(
      () => {
        expect(actor.waiting).toBe(0);
      },
      { timeout: 60_000 },
    );
    await actor.stop({ within: 1 });
    expect({ seen, events }).toEqual({ seen: ["wrote what was left"], events: [] });
  });

  test("ends an actor whose factory hangs; what it makes too late is stopped", async () => {
    await using kernel = createKernel({ onEvent: vi.fn() });
    const late = deferred<{ receive: () => void; stop: () => void }>();
    const stop = vi.fn();
    const actor = kernel.spawn<number>({ name: "never there" }, () => late.promise);
    await actor.stop({ within: 1 });
    late.resolve({ receive: () => {}, stop });
    await vi.waitFor(
      () => {
        expect(stop).toHaveBeenCalledTimes(1);
      },
      { timeout: 60_000 },
    );
  });

  test("is refused with a limit that is none, and changes nothing", async () => {
    await using kernel = createKernel({ onEvent: vi.fn() });
    const actor = kernel.spawn<number>({ name: "x" }, () => ({ receive: () => {} }));
    await expect(actor.stop({ within: Number.NaN })).rejects.toMatchObject({ code: "OPTION_INVALID" });
    await actor.send(1);
  });
});
