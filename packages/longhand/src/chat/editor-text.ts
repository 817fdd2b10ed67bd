/**
 * A text with a cursor in it, immutable: a change gives a new text that shares all but the pieces at the cursor with the old one. What is
 * before the cursor and what is after it are stacks of short pieces whose tops meet at the cursor, so that an edit costs the same in a
 * text of any length, and a move costs the distance. Positions count as JavaScript counts: UTF-16 units.
 */

export interface TextPiece {
  readonly text: string;
  /** Further away from the cursor. */
  readonly below: TextPiece | undefined;
  /** Of this piece and all below. */
  readonly length: number;
  /** From the cursor's side of this piece to the nearest line end, or to the end of the text. */
  readonly toLineEnd: number;
}

type Side = "before" | "after";
type Stack = TextPiece | undefined;

const PIECE_UNITS = 512;
/** As far back a better place to divide a text is looked for: one between two plain characters, which never belong together. */
const DIVIDE_WITHIN = 64;

export class EditorText {
  static readonly empty: EditorText = new EditorText(undefined, undefined);

  /** The cursor is behind it. */
  static of(text: string): EditorText {
    return EditorText.empty.insert(text);
  }

  readonly before: Stack;
  readonly after: Stack;

  private constructor(before: Stack, after: Stack) {
    this.before = before;
    this.after = after;
  }

  get cursor(): number {
    return this.before?.length ?? 0;
  }

  get length(): number {
    return this.cursor + (this.after?.length ?? 0);
  }

  /** From the beginning of the line to the cursor. */
  get lineBefore(): number {
    return this.before?.toLineEnd ?? 0;
  }

  /** From the cursor to the end of the line. */
  get lineAfter(): number {
    return this.after?.toLineEnd ?? 0;
  }

  /** The last `units` before the cursor, or fewer. */
  textBefore(units: number): string {
    return topOf(this.before, "before", units);
  }

  textAfter(units: number): string {
    return topOf(this.after, "after", units);
  }

  insert(text: string): EditorText {
    return new EditorText(pushed(this.before, "before", text), this.after);
  }

  /** Without the last `units` before the cursor. */
  removeBefore(units: number): EditorText {
    return new EditorText(popped(this.before, "before", units), this.after);
  }

  removeAfter(units: number): EditorText {
    return new EditorText(this.before, popped(this.after, "after", units));
  }

  /** The cursor is `units` further on, or back, as far as there is text. */
  move(units: number): EditorText {
    const back = units < 0;
    let [from, to] = back ? [this.before, this.after] : [this.after, this.before];
    const [fromSide, toSide]: readonly [Side, Side] = back ? ["before", "after"] : ["after", "before"];
    for (let left = Math.abs(units); left > 0 && from !== undefined;) {
      const moved = topOf(from, fromSide, Math.min(left, from.text.length));
      from = popped(from, fromSide, moved.length);
      to = pushed(to, toSide, moved);
      left -= moved.length;
    }
    return back ? new EditorText(from, to) : new EditorText(to, from);
  }

  toString(): string {
    return this.textBefore(Infinity) + this.textAfter(Infinity);
  }
}

function topOf(stack: Stack, side: Side, units: number): string {
  const found: string[] = [];
  let left = units;
  for (let piece = stack; piece !== undefined && left > 0; piece = piece.below) {
    const { text } = piece;
    found.push(text.length <= left ? text : side === "before" ? text.slice(-left) : text.slice(0, left));
    left -= text.length;
  }
  return (side === "before" ? found.reverse() : found).join("");
}

function popped(stack: Stack, side: Side, units: number): Stack {
  let left = units;
  let piece = stack;
  for (; piece !== undefined && left >= piece.text.length; piece = piece.below) left -= piece.text.length;
  if (piece === undefined || left === 0) return piece;
  return pieceOf(side === "before" ? piece.text.slice(0, -left) : piece.text.slice(left), side, piece.below);
}

function pushed(stack: Stack, side: Side, text: string): Stack {
  if (text === "") return stack;
  if (stack !== undefined && stack.text.length + text.length <= PIECE_UNITS)
    return pieceOf(side === "before" ? stack.text + text : text + stack.text, side, stack.below);
  const pieces = divided(text);
  return (side === "before" ? pieces : pieces.reverse()).reduce(
    (below: Stack, each) => pieceOf(each, side, below),
    stack,
  );
}

function pieceOf(text: string, side: Side, below: Stack): TextPiece {
  const lineEnd = side === "before" ? text.lastIndexOf("\n") : text.indexOf("\n");
  const inPiece = side === "before" ? text.length - lineEnd - 1 : lineEnd;
  return {
    text,
    below,
    length: text.length + (below?.length ?? 0),
    toLineEnd: lineEnd === -1 ? text.length + (below?.toLineEnd ?? 0) : inPiece,
  };
}

function divided(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length;) {
    const to = from + PIECE_UNITS >= text.length ? text.length : divisionBefore(text, from + PIECE_UNITS);
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

function divisionBefore(text: string, latest: number): number {
  for (let at = latest; at > latest - DIVIDE_WITHIN; at--)
    if (/^[\x20-\x7e\n][\x20-\x7e]$/.test(text.slice(at - 1, at + 1))) return at;
  // A pair of surrogates stays together.
  return /[\ud800-\udbff]/.test(text.charAt(latest - 1)) ? latest - 1 : latest;
}
