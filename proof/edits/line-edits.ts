/** The ways in which whole lines of a file are edited. Each is data, so that it can be told and done again. */

import type { SeededRandom } from "@longhand/store/testing";
import { isOfOneKey, type LineFile } from "./line-files.ts";

export type LineEdit =
  | { readonly kind: "remove"; readonly line: number }
  /** The newline behind it is removed. */
  | { readonly kind: "glue"; readonly line: number }
  /** `to`: the line before which it goes. */
  | { readonly kind: "copy" | "copy-glued" | "move"; readonly line: number; readonly to: number }
  /** It is put before or behind the line `to`, and the newline between the two is removed; `between`: it is put behind, and both newlines are. */
  | {
      readonly kind: "copy-glued-to" | "move-glued-to";
      readonly line: number;
      readonly to: number;
      readonly side: (typeof SIDES)[number];
    }
  | { readonly kind: "swap" | "overwrite"; readonly line: number; readonly to: number }
  /** A line of another file is put in. */
  | { readonly kind: "insert"; readonly other: LineFile; readonly line: number; readonly to: number }
  /** The beginning of a file, so many lines of it, is added at the end: `cat backup >> file`. */
  | { readonly kind: "append"; readonly other: LineFile; readonly count: number };

const SIDES = ["before", "behind", "between"] as const;

export interface PlacedEdit {
  readonly target: LineFile;
  /** Done one after the other. */
  readonly edits: readonly LineEdit[];
}

/** Every line to every position of its own file and of the others of its store. */
export function* everyEdit(files: readonly LineFile[]): Iterable<PlacedEdit> {
  for (const target of files) {
    for (const edit of editsWithin(target.lines.length)) yield { target, edits: [edit] };
    for (const other of files) {
      if (other.store !== target.store) continue;
      for (let count = 1; count <= other.lines.length; count++)
        yield { target, edits: [{ kind: "append", other, count }] };
      if (other === target) continue;
      for (let line = 0; line < other.lines.length; line++) {
        for (let to = 0; to <= target.lines.length; to++)
          yield { target, edits: [{ kind: "insert", other, line, to }] };
      }
    }
  }
  for (const target of files) {
    for (const edit of gluesWithin(target.lines.length)) yield { target, edits: [edit] };
  }
}

/** Every line glued to every other one, before it, behind it and between it and the next. */
function* gluesWithin(count: number): Iterable<LineEdit> {
  for (let line = 0; line < count; line++) {
    for (let to = 0; to < count; to++) {
      for (const side of to === line ? [] : SIDES) {
        if (side !== "before") yield { kind: "copy-glued-to", line, to, side };
        yield { kind: "move-glued-to", line, to, side };
      }
    }
  }
}

function* editsWithin(count: number): Iterable<LineEdit> {
  for (let line = 0; line < count; line++) {
    yield { kind: "remove", line };
    yield { kind: "glue", line };
    for (let to = 0; to <= count; to++) {
      yield { kind: "copy", line, to };
      yield { kind: "copy-glued", line, to };
      if (to !== line && to !== line + 1) yield { kind: "move", line, to };
      if (to < count && to !== line) yield { kind: "overwrite", line, to };
      if (to < count && to > line) yield { kind: "swap", line, to };
    }
  }
}

/** So many edits, two to four of one file at a time, one after the other, by chance. */
export function* someEdits(
  files: readonly LineFile[],
  random: SeededRandom,
  count: number,
): Iterable<PlacedEdit> {
  for (let done = 0; done < count;) {
    const target = files[random.below(files.length)];
    if (target === undefined) return;
    const others = files.filter(
      ({ store, file }) => store === target.store && !isOfOneKey(file, target.file),
    );
    const edits = Array.from({ length: 2 + random.below(3) }, () => anyEdit(target, others, random));
    done += edits.length;
    yield { target, edits };
  }
}

function anyEdit(target: LineFile, others: readonly LineFile[], random: SeededRandom): LineEdit {
  const count = target.lines.length;
  const [line, to] = [random.below(count), random.below(count)];
  const other = others[random.below(others.length)] ?? target;
  switch (random.below(10)) {
    case 0:
      return { kind: "remove", line };
    case 1:
      return { kind: "glue", line };
    case 2:
      return { kind: "copy-glued", line, to };
    case 3:
      return { kind: "copy", line, to };
    case 4:
      return { kind: "swap", line, to };
    case 5:
      return { kind: "overwrite", line, to };
    case 6:
      return { kind: "insert", other, line: random.below(other.lines.length), to };
    case 7:
      return { kind: "append", other, count: 1 + random.below(other.lines.length) };
    case 8:
      return { kind: "move-glued-to", line, to, side: SIDES[random.below(SIDES.length)] ?? "before" };
    default:
      return { kind: "move", line, to };
  }
}

export function applyEdits({ target, edits }: PlacedEdit): readonly Buffer[] {
  return edits.reduce<readonly Buffer[]>(applyEdit, target.lines);
}

const NOTHING = Buffer.alloc(0);

function applyEdit(lines: readonly Buffer[], edit: LineEdit): readonly Buffer[] {
  const at = (line: number): Buffer => lines[line] ?? NOTHING;
  switch (edit.kind) {
    case "remove":
      return lines.toSpliced(edit.line, 1);
    case "glue":
      return edit.line < lines.length ? lines.with(edit.line, withoutNewline(at(edit.line))) : lines;
    case "copy":
      return lines.toSpliced(edit.to, 0, at(edit.line));
    case "copy-glued":
      return lines.toSpliced(edit.to, 0, withoutNewline(at(edit.line)));
    case "copy-glued-to":
    case "move-glued-to":
      return glueTo(lines, edit);
    case "move":
      return lines
        .toSpliced(edit.line, 1)
        .toSpliced(edit.to > edit.line ? edit.to - 1 : edit.to, 0, at(edit.line));
    case "overwrite":
      return edit.to < lines.length ? lines.with(edit.to, at(edit.line)) : lines;
    case "swap": {
      if (Math.max(edit.line, edit.to) >= lines.length) return lines;
      return lines.with(edit.line, at(edit.to)).with(edit.to, at(edit.line));
    }
    case "insert":
      return lines.toSpliced(edit.to, 0, edit.other.lines[edit.line] ?? NOTHING);
    case "append":
      return [...lines, ...edit.other.lines.slice(0, edit.count)];
  }
}

function glueTo(
  lines: readonly Buffer[],
  { kind, line, to, side }: Extract<LineEdit, { readonly side: unknown }>,
): readonly Buffer[] {
  const [moved, fixed] = [lines[line], lines[to]];
  if (moved === undefined || fixed === undefined || line === to) return lines;
  const placed = side === "behind" ? moved : withoutNewline(moved);
  const glued = side === "before" ? [placed, fixed] : [withoutNewline(fixed), placed];
  return lines.flatMap((each, index) => {
    if (index === to) return glued;
    return index === line && kind === "move-glued-to" ? [] : [each];
  });
}

function withoutNewline(line: Buffer): Buffer {
  return line.at(-1) === 0x0a ? line.subarray(0, -1) : line;
}

export function tellEdits({ target, edits }: PlacedEdit): string {
  const { store, file, lines } = target;
  const told = edits.map((edit) => {
    switch (edit.kind) {
      case "remove":
      case "glue":
        return `${edit.kind} line ${edit.line}`;
      case "insert":
        return `insert line ${edit.line} of ${edit.other.file.path} before line ${edit.to}`;
      case "append":
        return `append ${edit.count} lines of ${edit.other.file.path}`;
      case "copy-glued-to":
      case "move-glued-to":
        return `${edit.kind} line ${edit.line} ${edit.side} line ${edit.to}`;
      case "copy":
      case "copy-glued":
      case "move":
      case "swap":
      case "overwrite":
        return `${edit.kind} line ${edit.line} to ${edit.to}`;
    }
  });
  return `${told.join(", then ")} in ${file.path} (${lines.length} lines) of the store "${store.name}"`;
}
