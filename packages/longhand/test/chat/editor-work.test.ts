/** What a key costs in a long text. Counted, never timed: text that is laid out, pieces that are made, cells that are written. */

import { setImmediate as drawn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { KeyDecoder } from "../../src/chat/decode-keys.ts";
import { EditorLayout } from "../../src/chat/editor-layout.ts";
import { emptyEditor, pressKey } from "../../src/chat/editor-state.ts";
import { EditorText, type TextPiece } from "../../src/chat/editor-text.ts";
import { withChat } from "./support/chat-in-memory.ts";
import { drawWhole } from "./support/draw-whole.ts";
import { seededRandom } from "./support/seeded-random.ts";

const FRAME = { prompt: "❯ ", width: 80, maxRows: 11 };
const SIZES = [100, 7_000, 28_000, 1_000_000] as const;
const SHAPES: readonly (readonly [name: string, unit: string])[] = [
  ["one line", "word and word "],
  ["many lines", "a line of a paste\n"],
  ["wide characters", "数据库"],
  ["marks and emoji", "e\u0301👩‍👩‍👧 "],
];
const KEYS = ["x", "数", "\u007f", "\u001b[D", "\u001b[D", "\u001b[C", "\n", "\u007f", "\u0017", "y"];

function piecesOf({ before, after }: EditorText): Set<TextPiece> {
  const found = new Set<TextPiece>();
  for (const stack of [before, after]) {
    for (let piece = stack; piece !== undefined; piece = piece.below) found.add(piece);
  }
  return found;
}

interface Work {
  /** The most for one key. */
  readonly laidOut: number;
  readonly newPieces: number;
}

/** With the cursor `fromEnd` units before the end. Without `keepLayout` what was laid out before is forgotten with each key. */
function workOf(text: string, fromEnd: number, keepLayout = true): Work {
  let layout = new EditorLayout();
  let state = { ...emptyEditor([]), text: EditorText.of(text).move(-fromEnd) };
  layout.draw(state.text, FRAME);
  let [laidOut, newPieces] = [0, 0];
  for (const key of KEYS.flatMap((keys) => new KeyDecoder().decode(Buffer.from(keys)))) {
    const before = piecesOf(state.text);
    if (!keepLayout) layout = new EditorLayout();
    const unitsBefore = layout.laidOutUnits;
    state = { ...state, ...pressKey(state, key).state };
    layout.draw(state.text, FRAME);
    laidOut = Math.max(laidOut, layout.laidOutUnits - unitsBefore);
    newPieces = Math.max(newPieces, [...piecesOf(state.text)].filter((piece) => !before.has(piece)).length);
  }
  return { laidOut, newPieces };
}

describe("the cost of a key", () => {
  describe.each(SHAPES)("in %s", (_, unit) => {
    test.each(["the end", "the middle", "the beginning"])("does not grow with the text, at %s", (where) => {
      for (const size of SIZES) {
        const text = unit.repeat(Math.ceil(size / unit.length));
        const fromEnd = { "the end": 0, "the middle": text.length / 2, "the beginning": text.length }[where];
        const work = workOf(text, Math.floor(fromEnd ?? 0));
        // The rows that are seen, a few units for each column of them, and the pieces at their ends.
        expect(work.laidOut).toBeLessThan(FRAME.width * FRAME.maxRows * 6 + 3000);
        expect(work.newPieces).toBeLessThanOrEqual(4);
      }
    });
  });

  test("would grow if what is known of the text before were forgotten", () => {
    const text = "word and word ".repeat(2000);
    expect(workOf(text, 0, false).laidOut).toBeGreaterThan(text.length);
    expect(workOf(text, 0).laidOut).toBeLessThan(text.length / 4);
  });

  test("nor do the cells that a chat writes for it", async () => {
    const written: number[] = [];
    for (const size of SIZES.slice(1)) {
      await withChat(
        () => Promise.resolve("answered"),
        async ({ terminal, sees }) => {
          terminal.type(`\u001b[200~${"word and word ".repeat(size / 14)}END\u001b[201~`);
          await sees("END", /tokens/);
          await drawn();
          const before = terminal.written.length;
          terminal.type("Z");
          await sees("ENDZ");
          written.push(terminal.written.length - before);
        },
        { width: 80, height: 24 },
      );
    }
    const [first = 0] = written;
    for (const count of written) expect(Math.abs(count - first)).toBeLessThan(80);
  });
});

describe("what is drawn", () => {
  test("is the same as if all of the text were laid out", () => {
    const random = seededRandom(21);
    const parts = [
      "word ",
      "数据",
      "🎉",
      "\n",
      "longwordwithoutanyspace",
      "e\u0301 ",
      "\u001b",
      "\t",
      "\n\n",
      "a",
    ];
    const pick = (): string => parts[Math.floor(random() * parts.length)] ?? "";
    const layout = new EditorLayout();
    for (let round = 0; round < 30; round++) {
      const frame = {
        prompt: random() < 0.8 ? "❯ " : "a longer prompt: ",
        width: 4 + Math.floor(random() * 100),
        maxRows: 1 + Math.floor(random() * 14),
      };
      let text = EditorText.of(Array.from({ length: Math.floor(random() * 500) }, pick).join(""));
      for (let step = 0; step < 12; step++) {
        const kind = random();
        if (kind < 0.4) text = text.insert(pick());
        else if (kind < 0.5) text = text.removeBefore(1 + Math.floor(random() * 30));
        else text = text.move(Math.floor((random() - 0.5) * 2 * text.length));
        const plain = text.toString();
        expect(layout.draw(text, frame)).toEqual(drawWhole(plain, text.cursor, frame));
      }
    }
  });
});

test("a text in pieces is the same as a text in one", () => {
  const random = seededRandom(4);
  let text = EditorText.empty;
  let [whole, cursor] = ["", 0];
  const lineStart = (): number => (cursor === 0 ? 0 : whole.lastIndexOf("\n", cursor - 1) + 1);
  for (let step = 0; step < 3000; step++) {
    const units = Math.floor(random() * (random() < 0.1 ? 3000 : 20));
    switch (Math.floor(random() * 4)) {
      case 0: {
        const added = Array.from({ length: units }, (_, index) => (index % 37 === 7 ? "\n" : "b")).join("");
        text = text.insert(added);
        whole = whole.slice(0, cursor) + added + whole.slice(cursor);
        cursor += added.length;
        break;
      }
      case 1:
        text = text.removeBefore(units);
        whole = whole.slice(0, Math.max(0, cursor - units)) + whole.slice(cursor);
        cursor = Math.max(0, cursor - units);
        break;
      case 2:
        text = text.removeAfter(units);
        whole = whole.slice(0, cursor) + whole.slice(cursor + units);
        break;
      default: {
        const by = random() < 0.5 ? units : -units;
        text = text.move(by);
        cursor = Math.min(whole.length, Math.max(0, cursor + by));
      }
    }
    const lineEnd = whole.indexOf("\n", cursor);
    expect(text.toString()).toBe(whole);
    expect([text.cursor, text.length]).toEqual([cursor, whole.length]);
    expect(text.lineBefore).toBe(cursor - lineStart());
    expect(text.lineAfter).toBe((lineEnd === -1 ? whole.length : lineEnd) - cursor);
    expect([text.textBefore(9), text.textAfter(9)]).toEqual([
      whole.slice(Math.max(0, cursor - 9), cursor),
      whole.slice(cursor, cursor + 9),
    ]);
  }
});
