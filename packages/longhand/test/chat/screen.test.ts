import { setImmediate as drawn } from "node:timers/promises";
import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import { drawBottom } from "../../src/chat/bottom-area.ts";
import type { ChatTerminal } from "../../src/chat/chat-terminal.ts";
import { EditorLayout } from "../../src/chat/editor-layout.ts";
import { EditorText } from "../../src/chat/editor-text.ts";
import { Screen } from "../../src/chat/screen.ts";
import { visibleWidth } from "../../src/chat/wrap-spans.ts";
import { seededRandom } from "./support/seeded-random.ts";
import { VirtualTerminal } from "./support/virtual-terminal.ts";

const plain = picocolors.createColors(false);
const LONG = "the area at the bottom is wider than the narrow terminal";

async function resizedScreen(tell: (real: VirtualTerminal) => ChatTerminal): Promise<string> {
  const real = new VirtualTerminal(80, 20);
  const screen = new Screen(tell(real), (width) => ({
    lines: [`1 ${LONG}`.slice(0, width - 1), "> typed"],
    cursor: { row: 1, column: 7 },
  }));
  screen.print(["printed before"]);
  await drawn();
  real.resize(30, 20);
  screen.changed();
  await drawn();
  return real.text;
}

describe("the screen", () => {
  test("draws the bottom anew after a resize", async () => {
    expect(await resizedScreen((real) => real)).toBe(`printed before\n1 ${LONG.slice(0, 27)}\n> typed`);
  });

  test("and would leave something behind if it took the width for unchanged", async () => {
    const deceived = await resizedScreen((real) => {
      const { height, colors } = real;
      return {
        ...{ width: 80, height, colors },
        write: (text) => real.write(text),
        now: () => real.now(),
        open: (listener) => real.open(listener),
        suspend: async () => await real.suspend(),
      };
    });
    expect(deceived.split("1 the area")).toHaveLength(3);
  });

  test("what was printed stays as it was, however often the bottom is drawn", async () => {
    const terminal = new VirtualTerminal(40, 10);
    let count = 0;
    const screen = new Screen(terminal, () => ({
      lines: [...Array.from({ length: count % 4 }, (_, index) => `live ${index}`), "> "],
      cursor: { row: count % 4, column: 2 },
    }));
    const expected: string[] = [];
    for (; count < 50; count++) {
      screen.print([`line ${count}`]);
      expected.push(`line ${count}`);
      await drawn();
    }
    screen.close();
    expect(terminal.text.trimEnd()).toBe(expected.join("\n"));
  });
});

describe("the area at the bottom", () => {
  test("is never wider or higher than the terminal, and the cursor is in it", () => {
    const random = seededRandom(9);
    const words = ["word ", "数据", "🎉", "\n", "longwordwithoutanyspace", "e\u0301", "\u001b"];
    const text = (length: number): string =>
      Array.from({ length }, () => words[Math.floor(random() * words.length)] ?? "").join("");
    for (let round = 0; round < 300; round++) {
      const width = 10 + Math.floor(random() * 90);
      const height = 3 + Math.floor(random() * 30);
      const line = text(Math.floor(random() * 40));
      const { lines, cursor } = drawBottom(
        {
          live: Array.from({ length: Math.floor(random() * 40) }, (_, index) => `live ${index}`),
          waiting: Array.from({ length: Math.floor(random() * 6) }, () => text(20)),
          status: {
            doing: random() < 0.5 ? "" : "working 3 s · Ctrl-C cancels",
            usage: random() < 0.5 ? undefined : { used: Math.floor(random() * 40_000), maxTokens: 32_000 },
            model: text(2),
            key: text(3),
          },
          prompt: random() < 0.5 ? "❯ " : "exec: yes or no? [y/N] ",
          editor: EditorText.of(line),
          layout: new EditorLayout(),
        },
        width,
        height,
        plain,
      );
      expect(lines.length).toBeLessThanOrEqual(height);
      for (const each of lines) expect(visibleWidth(each)).toBeLessThanOrEqual(width);
      expect(cursor.row).toBeLessThan(lines.length);
      expect(cursor.column).toBeLessThan(width);
    }
  });
});
