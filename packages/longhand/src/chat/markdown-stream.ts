/**
 * Markdown as it comes from a model, to lines for a terminal. A line is rendered when it is whole, so that what comes out does
 * not depend on how the text was cut; what is not whole yet is shown by `pending`. Control characters of the model are made
 * visible, never passed on. Without colours the marks of Markdown stay: they are all there is to tell a heading by.
 */

import { escapeControls } from "../terminal/escape-controls.ts";
import type { Colors } from "../terminal/output.ts";
import { inlineSpans, type Span, type SpanStyle } from "./inline-spans.ts";
import { isTableRow, renderMarkdownTable } from "./markdown-table.ts";
import { type RowPrefixes, wrapSpans } from "./wrap-spans.ts";

export interface MarkdownStyle {
  readonly colors: Colors;
  /** Asked for each line: terminals are resized. `undefined`: no limit. */
  width(): number | undefined;
}

/** Of a very long line that is still being written only the end is shown. */
const LONGEST_PENDING = 4000;
const CODE_INDENT = "  ";

export class MarkdownStream {
  readonly #style: MarkdownStyle;
  #rest = "";
  /** The sign and length of the fence that code is in. */
  #fence: string | undefined;
  #table: string[] = [];
  /** Blank lines at the beginning and one after the other say nothing. */
  #isAfterBlank = true;

  constructor(style: MarkdownStyle) {
    this.#style = style;
  }

  /** The lines that are finished by it. */
  push(delta: string): string[] {
    const parts = (this.#rest + delta).split("\n");
    this.#rest = parts.pop() ?? "";
    return parts.flatMap((line) => this.#line(escapeControls(line.replace(/\r$/, "").toWellFormed())));
  }

  /** How what is not finished looks so far. */
  pending(): string[] {
    const rest = escapeControls(this.#rest.slice(-LONGEST_PENDING).replace(/\r$/, "").toWellFormed());
    const table = this.#table.flatMap((row) => this.#text(row));
    if (rest === "") return table;
    return [...table, ...(this.#fence === undefined ? this.#block(rest) : this.#code(rest))];
  }

  /** What was open is closed. Afterwards it can be used again. */
  end(): string[] {
    const lines = this.#rest === "" ? [] : this.push("\n");
    lines.push(...this.#endTable());
    this.#fence = undefined;
    this.#isAfterBlank = true;
    return lines;
  }

  #line(line: string): string[] {
    if (this.#fence !== undefined) return this.#lineOfCode(line, this.#fence);
    if (isTableRow(line)) {
      this.#table.push(line);
      this.#isAfterBlank = false;
      return [];
    }
    const before = this.#endTable();
    const [, fence, language = ""] = /^\s*(`{3,}|~{3,})([^`]*)$/u.exec(line) ?? [];
    if (fence !== undefined) {
      this.#fence = fence;
      this.#isAfterBlank = false;
      const { colors } = this.#style;
      if (!colors.isColorSupported) return [...before, ...this.#text(line)];
      const name = language.trim();
      return name === "" || name === "text"
        ? before
        : [...before, ...this.#text(name, { dim: true }, CODE_INDENT)];
    }
    if (line.trim() === "") {
      const isFirst = !this.#isAfterBlank;
      this.#isAfterBlank = true;
      return isFirst ? [...before, ""] : before;
    }
    this.#isAfterBlank = false;
    return [...before, ...this.#block(line)];
  }

  #lineOfCode(line: string, fence: string): string[] {
    const closes = /^\s*(`{3,}|~{3,})\s*$/u.exec(line)?.[1];
    if (closes === undefined || !closes.startsWith(fence)) return this.#code(line);
    this.#fence = undefined;
    return this.#style.colors.isColorSupported ? [] : this.#text(line);
  }

  #code(line: string): string[] {
    const prefix = this.#style.colors.isColorSupported ? CODE_INDENT : "";
    return this.#wrapped([{ text: line, style: { code: true } }], { first: prefix, others: prefix });
  }

  #endTable(): string[] {
    const rows = this.#table;
    this.#table = [];
    if (rows.length === 0) return [];
    return (
      renderMarkdownTable(rows, this.#style.width(), this.#style.colors) ??
      rows.flatMap((row) => this.#text(row))
    );
  }

  /** One line of prose. */
  #block(line: string): string[] {
    const { colors } = this.#style;
    const quote = /^\s*((?:>\s?)+)(.*)$/u.exec(line);
    if (quote !== null) {
      const depth = (quote[1] ?? "").replace(/[^>]/g, "").length;
      const bars = colors.dim("│ ".repeat(Math.min(depth, 5)));
      return this.#inline(quote[2] ?? "", {}, { first: bars, others: bars });
    }
    const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/u.exec(line);
    const isRule = /^\s*([-*_])(?:\s*\1){2,}\s*$/u.test(line);
    if (item !== null && !isRule) return this.#item(item[1] ?? "", item[2] ?? "", item[3] ?? "");
    // Without colours what is left is the text as it was written.
    if (!colors.isColorSupported) return this.#text(line);
    if (isRule) return [colors.dim("─".repeat(Math.min(this.#style.width() ?? 40, 40)))];
    const heading = /^ {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$/u.exec(line);
    if (heading !== null) {
      const isTop = heading[1] === "#";
      return this.#inline(heading[2] ?? "", isTop ? { bold: true, link: true } : { bold: true });
    }
    const [indent = ""] = /^ */.exec(line) ?? [];
    return this.#inline(line.slice(indent.length), {}, this.#indented(indent));
  }

  #item(indent: string, mark: string, text: string): string[] {
    const { colors } = this.#style;
    const sign = /\d/.test(mark) || !colors.isColorSupported ? mark : "•";
    const shown = text.replace(/^\[([ xX])\] /u, (_, box: string) => (box === " " ? "☐ " : "☑ "));
    const { first } = this.#indented(indent);
    return this.#inline(
      shown,
      {},
      { first: `${first}${sign} `, others: `${first}${" ".repeat(sign.length + 1)}` },
    );
  }

  #indented(indent: string): RowPrefixes {
    const prefix = indent.slice(0, Math.floor((this.#style.width() ?? 80) / 3));
    return { first: prefix, others: prefix };
  }

  #inline(text: string, style: SpanStyle, prefixes?: RowPrefixes): string[] {
    const spans = this.#style.colors.isColorSupported ? inlineSpans(text, style) : [{ text, style }];
    return this.#wrapped(spans, prefixes);
  }

  #text(text: string, style: SpanStyle = {}, prefix = ""): string[] {
    return this.#wrapped([{ text, style }], { first: prefix, others: prefix });
  }

  #wrapped(spans: readonly Span[], prefixes: RowPrefixes = { first: "", others: "" }): string[] {
    return wrapSpans(spans, this.#style.width(), this.#style.colors, prefixes);
  }
}
