import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Output } from "../../src/terminal/output.ts";
import { showPercent, withProgress } from "../../src/terminal/progress.ts";
import { type FakeOutput, fakeOutput, type FakeOutputOptions } from "../support/fake-world.ts";

const CLEAR = "\r\u001b[K";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Its clock is that of the timers. */
function output(options: FakeOutputOptions): FakeOutput {
  return { ...fakeOutput(options), now: () => new Date() };
}

async function pass(milliseconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
}

describe("progress", () => {
  test("is told after a second, moves by itself, and is gone at the end", async () => {
    const terminal = output({ errorWidth: 40 });
    await withProgress(terminal, async (progress) => {
      const show = showPercent(progress, "reading");
      show(1, 3);
      await pass(900);
      expect(terminal.complaints).toEqual([]);
      await pass(100);
      expect(terminal.complaints).toEqual([`${CLEAR}reading: 33 % · 1 s`]);
      // Too soon to be drawn again; a moment later it is.
      show(2, 3);
      expect(terminal.complaints).toHaveLength(1);
      await pass(250);
      expect(terminal.complaints.at(-1)).toBe(`${CLEAR}reading: 66 % · 1 s`);
      await pass(10_000);
      expect(terminal.complaints.at(-1)).toBe(`${CLEAR}reading: 66 % · 11 s`);
    });
    expect(terminal.complaints.at(-1)).toBe(CLEAR);
    const count = terminal.complaints.length;
    await pass(10_000);
    expect(terminal.complaints).toHaveLength(count);
    expect(terminal.printed).toEqual([]);
  });

  test("is gone after a failure too", async () => {
    const terminal = output({ errorWidth: 40 });
    const failing = withProgress(terminal, async (progress) => {
      progress.show("reading");
      await pass(2000);
      throw new Error("no");
    }).catch((error: unknown) => String(error));
    expect(await failing).toBe("Error: no");
    expect(terminal.complaints.at(-1)).toBe(CLEAR);
  });

  test("of what is quick nothing is drawn; nor elsewhere than on a terminal", async () => {
    const slow = async (given: Output, milliseconds: number): Promise<void> =>
      withProgress(given, async (progress) => {
        showPercent(progress, "reading")(0, 0);
        await pass(milliseconds);
        progress.output.write("answer");
      });
    const terminal = output({ width: 40, errorWidth: 40 });
    await slow(terminal, 900);
    const pipe = output({});
    await slow(pipe, 5000);
    for (const each of [terminal, pipe]) expect([each.complaints, each.printed]).toEqual([[], ["answer"]]);
  });

  test("a warning does not run into it, and it goes on", async () => {
    const terminal = output({ errorWidth: 40 });
    await withProgress(terminal, async (progress) => {
      progress.show("reading");
      await pass(1000);
      progress.output.writeError("longhand: warning\n");
      await pass(1000);
    });
    expect(terminal.complaints.slice(0, 4)).toEqual([
      `${CLEAR}reading · 1 s`,
      CLEAR,
      "longhand: warning\n",
      `${CLEAR}reading · 1 s`,
    ]);
  });

  test.each([
    ["ends where the answer comes to the same terminal", { width: 40, errorWidth: 40 }, false],
    ["goes on beside an answer that goes into a pipe", { errorWidth: 40 }, true],
  ])("%s", async (_name, options, goesOn) => {
    const terminal = output(options);
    await withProgress(terminal, async (progress) => {
      progress.show("exporting");
      await pass(1000);
      progress.output.write("answer");
      const before = terminal.complaints.length;
      await pass(1000);
      expect(terminal.complaints.length > before).toBe(goesOn);
    });
    expect(terminal.complaints.at(-1)).toBe(CLEAR);
  });
});
