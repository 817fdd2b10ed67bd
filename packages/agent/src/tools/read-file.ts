/** `read_file`: lines of a text file, as many as fit, and how to read on. */

import * as z from "zod";
import type { PathGuard } from "./path-guard.ts";
import { readLines, type LinesRead } from "./read-lines.ts";
import { redactedStart, type Redact } from "./redact-and-cut.ts";
import { defineTool, type Tool } from "./tool.ts";
import { decodeText, visibleText } from "./visible-text.ts";

/** Less than what a turn keeps of a result (50,000), so that the lines told here are not cut once more. */
const MAX_BYTES = 48_000;
const MAX_LINES = 2000;
const LOOKED_AT = 8192;

const parameters = z.object({
  path: z.string().describe("Relative to the workspace."),
  offset: z.number().int().min(1).optional().describe("The first line, from 1."),
  limit: z.number().int().min(1).max(MAX_LINES).optional().describe(`Lines, at most ${MAX_LINES}.`),
});

/** `redact` hides secrets in a line that is cut; whole lines are for whoever shows them. */
export function readFileTool(guard: PathGuard, redact?: Redact): Tool {
  return defineTool({
    name: "read_file",
    description: `Reads a text file of the workspace: at most ${MAX_LINES} lines and ${MAX_BYTES} bytes at once. A last line in brackets says what was left out and how to read on.`,
    parameters,
    isReadOnly: true,
    run: async ({ path, offset = 1, limit = MAX_LINES }, { signal }) => {
      const { handle, stats, name } = await guard.openFile(path);
      try {
        const start = await handle.read(Buffer.alloc(LOOKED_AT), 0, LOOKED_AT, 0);
        const beginning = start.buffer.subarray(0, start.bytesRead);
        if (beginning.includes(0))
          return `[${name} is a binary file of ${stats.size} bytes; it is not shown]`;
        if (beginning.length === 0) return `[${name} is empty]`;
        const found = await readLines(handle, { from: offset, lines: limit, maxBytes: MAX_BYTES }, signal);
        return show(found, offset, name, redact);
      } finally {
        await handle.close();
      }
    },
  });
}

function show(found: LinesRead, offset: number, name: string, redact: Redact | undefined): string {
  if (found.lines === 0)
    return `[${name} has ${found.skipped} whole lines; there is nothing from line ${offset} on]`;
  const raw = decodeText(found.isCut ? redactedStart(found.bytes, MAX_BYTES, redact) : found.bytes);
  const text = offset === 1 && raw.startsWith(BYTE_ORDER_MARK) ? raw.slice(BYTE_ORDER_MARK.length) : raw;
  const notes = [...remarks(found, offset), ...peculiarities(text, raw)];
  const shown = visibleText(text);
  if (notes.length === 0) return shown;
  return `${shown}${shown.endsWith("\n") ? "" : "\n"}[${notes.join("; ")}]`;
}

function remarks(found: LinesRead, offset: number): string[] {
  const last = offset + found.lines - 1;
  if (found.isCut)
    return [
      `line ${last} is longer than ${MAX_BYTES} bytes: only its beginning is shown; read on with offset ${last + 1}`,
    ];
  if (!found.isEnd) return [`lines ${offset} to ${last}; the file goes on: read on with offset ${last + 1}`];
  return offset > 1 ? [`lines ${offset} to ${last}, the last of the file`] : [];
}

const BYTE_ORDER_MARK = "\ufeff";
const REPLACEMENT = "\ufffd";

/** What the text shown differs in from the bytes. `edit_file` keeps line ends and the mark by itself. */
function peculiarities(text: string, raw: string): string[] {
  return [
    ...(raw === text ? [] : ["the file begins with a byte-order mark"]),
    ...(text.includes("\r\n") ? ["lines end with CR LF"] : []),
    ...(visibleText(text) === text.replaceAll("\r\n", "\n")
      ? []
      : ["control characters are shown as pictures or <U+…>"]),
    ...(text.includes(REPLACEMENT) ? [`bytes that are not UTF-8 are shown as ${REPLACEMENT}`] : []),
  ];
}
