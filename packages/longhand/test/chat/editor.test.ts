import { describe, expect, test } from "vitest";
import { KeyDecoder } from "../../src/chat/decode-keys.ts";
import { type DrawnEditor, type EditorFrame, EditorLayout } from "../../src/chat/editor-layout.ts";
import { emptyEditor, pressKey } from "../../src/chat/editor-state.ts";
import { EditorText } from "../../src/chat/editor-text.ts";
import { displayWidth } from "../../src/terminal/display-width.ts";
import { seededRandom } from "./support/seeded-random.ts";

/** The state of the editor without its pieces. */
interface PlainState {
  readonly text: string;
  readonly cursor: number;
  readonly killed: string;
  readonly history: readonly string[];
  readonly place: number;
  readonly draft: string;
}

interface Typed {
  readonly state: PlainState;
  readonly requests: readonly string[];
}

function typed(chunks: readonly Uint8Array[], history: readonly string[] = []): Typed {
  const decoder = new KeyDecoder();
  let state = emptyEditor(history);
  const requests: string[] = [];
  for (const key of chunks.flatMap((chunk) => decoder.decode(chunk))) {
    const { state: next, request } = pressKey(state, key);
    state = next;
    if (request !== undefined)
      requests.push(request.type === "submit" ? `submit ${request.text}` : request.type);
  }
  const { text, draft } = state;
  return {
    state: { ...state, text: text.toString(), cursor: text.cursor, draft: draft.toString() },
    requests,
  };
}

function drawEditor({ text, cursor }: Pick<PlainState, "text" | "cursor">, frame: EditorFrame): DrawnEditor {
  return new EditorLayout().draw(EditorText.of(text).move(cursor - text.length), frame);
}

const typing = (text: string, history?: readonly string[]): Typed => typed([Buffer.from(text)], history);
const LEFT = "\u001b[D";
const UP = "\u001b[A";
const DOWN = "\u001bOB";

describe("keys and the line", () => {
  const PIECES = [
    "a",
    "bc ",
    "é",
    "e\u0301",
    "数据",
    "👩‍👩‍👧",
    "🇩🇪",
    "\r",
    "\n",
    "\t",
    "\\\r",
    LEFT,
    "\u001b[C",
    UP,
    DOWN,
    "\u001b[1;5D",
    "\u001bf",
    "\u001b\r",
    "\u001b[3~",
    "\u001b[H",
    "\u001bOF",
    "\u007f",
    "\u0001",
    "\u0005",
    "\u000b",
    "\u0015",
    "\u0017",
    "\u0019",
    "\u0003",
    "\u0004",
    "\u001b\u007f",
    "\u001b[200~pasted\r\nlines\u001b[A\u001b[201~",
    "\u001b[13;2u",
    "\u001b[99;99Z",
    "\u001b[[A",
    "\u001b\u001b[D",
  ];

  test("any cutting of the bytes gives the same line", () => {
    const random = seededRandom(11);
    for (let round = 0; round < 200; round++) {
      const bytes = Buffer.from(
        Array.from({ length: 40 }, () => PIECES[Math.floor(random() * PIECES.length)] ?? "").join("") + "x",
      );
      const chunks: Uint8Array[] = [];
      for (let place = 0; place < bytes.length;) {
        const length = 1 + Math.floor(random() * 4);
        chunks.push(bytes.subarray(place, place + length));
        place += length;
      }
      const whole = typed([bytes], ["old", "older\nlines"]);
      expect(typed(chunks, ["old", "older\nlines"])).toEqual(whole);
      expect(whole.state.cursor).toBeLessThanOrEqual(whole.state.text.length);
    }
  });

  test("no row is wider than the width, the cursor is inside, and no character is lost", () => {
    const random = seededRandom(5);
    for (let round = 0; round < 300; round++) {
      const { state } = typing(
        Array.from({ length: 30 }, () => PIECES[Math.floor(random() * PIECES.length)] ?? "").join(""),
      );
      const width = 2 + Math.floor(random() * 40);
      const { rows, cursor } = drawEditor(state, { prompt: "❯ ", width, maxRows: 1000 });
      for (const row of rows) expect(displayWidth(row)).toBeLessThanOrEqual(width - 1 + (width < 3 ? 1 : 0));
      expect(cursor.column).toBeLessThan(Math.max(width, 2));
      expect(cursor.row).toBeLessThan(rows.length);
      if (width > 12 && !/[\t\r]/.test(state.text)) {
        const shown = rows.map((row) => row.slice(2)).join("");
        expect(shown.replaceAll("\\x1b", "\u001b")).toBe(state.text.replaceAll("\n", ""));
      }
    }
  });

  test.each([
    ["abc" + LEFT + LEFT + "x", "axbc", 2],
    ["e\u0301数👩‍👩‍👧" + LEFT + LEFT + LEFT + "x", "xe\u0301数👩‍👩‍👧", 1],
    ["ab👩‍👩‍👧\u007f", "ab", 2],
    ["one two\u0017", "one ", 4],
    ["one two\u0017\u0001\u0019", "twoone ", 3],
    ["one two\u0001\u000b\u0019\u0019", "one twoone two", 14],
    ["one two\u001bb\u001bbx", "xone two", 1],
    ["one two\u0001\u001b[1;5Cx", "onex two", 4],
    ["one two\u0015", "", 0],
    ["a\nbcd" + UP + "x", "ax\nbcd", 2],
    ["数据\nabcdef" + UP + "x", "数据x\nabcdef", 3],
    ["ab\u0001\u0004", "b", 0],
    ["ab\u0001\u001b[3~", "b", 0],
    ["a\\\rb", "a\nb", 3],
    ["a\u001b\rb", "a\nb", 3],
    ["\u001b[200~a\rb\r\nc\n\u001b[201~", "a\nb\nc\n", 6],
  ])("%j", (text, expected, cursor) => {
    const { state, requests } = typing(text);
    expect(state.text).toBe(expected);
    expect(state.cursor).toBe(cursor);
    expect(requests).toEqual([]);
  });

  test("Enter sends what is written and keeps it; a blank line is nothing", () => {
    const { state, requests } = typing("one\r  \rtwo\rtwo\r" + UP + UP);
    expect(requests).toEqual(["submit one", "submit two", "submit two"]);
    expect(state.history).toEqual(["one", "two"]);
    expect(state.text).toBe("one");
  });

  test("through the history and back to the line", () => {
    const { state } = typing("draft" + UP + UP + UP + DOWN, ["old", "newer"]);
    expect(state.text).toBe("newer");
    expect(typing("draft" + UP + UP + DOWN + DOWN + DOWN, ["old", "newer"]).state.text).toBe("draft");
  });

  test("Ctrl-D leaves on an empty line only; Ctrl-C, Tab, Ctrl-L and Ctrl-Z are for the chat", () => {
    expect(typing("\u0004\u0003\t\u000c\u001a").requests).toEqual([
      "leave",
      "interrupt",
      "complete",
      "redraw",
      "suspend",
    ]);
    expect(typing("a\u0004").requests).toEqual([]);
  });

  test("a lone Escape waits, and is nothing when nothing follows", () => {
    const decoder = new KeyDecoder();
    expect(decoder.decode(Buffer.from("\u001b"))).toEqual([]);
    expect(decoder.isWaiting).toBe(true);
    expect(decoder.giveUpWaiting()).toEqual([{ type: "command", name: "escape" }]);
    expect(decoder.decode(Buffer.from("b"))).toEqual([{ type: "text", text: "b" }]);
    expect(decoder.isWaiting).toBe(false);
  });

  test("controls in a paste are shown, not obeyed, and kept", () => {
    const { state } = typing("\u001b[200~a\u001b[2Jb\u0007\u001b[201~");
    expect(state.text).toBe("a\u001b[2Jb\u0007");
    expect(drawEditor(state, { prompt: "> ", width: 40, maxRows: 5 }).rows).toEqual(["> a\\x1b[2Jb\\x07"]);
  });

  test("of a long text the part with the cursor is seen", () => {
    const text = Array.from({ length: 20 }, (_, index) => `line ${index}`).join("\n");
    const end = drawEditor({ text, cursor: text.length }, { prompt: "> ", width: 20, maxRows: 3 });
    expect(end).toEqual({ rows: ["  line 17", "  line 18", "  line 19"], cursor: { row: 2, column: 9 } });
    const start = drawEditor({ text, cursor: 0 }, { prompt: "> ", width: 20, maxRows: 3 });
    expect(start).toEqual({ rows: ["> line 0", "  line 1", "  line 2"], cursor: { row: 0, column: 2 } });
  });

  test("wide characters take two columns, and one that does not fit goes to the next row whole", () => {
    expect(drawEditor({ text: "数据数据", cursor: 4 }, { prompt: "> ", width: 10, maxRows: 9 })).toEqual({
      rows: ["> 数据数", "  据"],
      cursor: { row: 1, column: 4 },
    });
  });
});
