/**
 * `edit_file`: one exact text replaced by another. It must occur once, so that no other place is changed than the one that was
 * meant. Line ends, the byte-order mark, mode and owner stay as they are; a file that is not UTF-8 is not touched, since
 * writing it back would change bytes that nobody has spoken of.
 */

import type { Stats } from "node:fs";
import * as z from "zod";
import { AgentError } from "../errors.ts";
import type { PathGuard, Place } from "./path-guard.ts";
import { defineTool, type Tool } from "./tool.ts";
import { writeAtomically } from "./write-atomically.ts";

const MAX_BYTES = 8 * 1024 * 1024;

const parameters = z.object({
  path: z.string().describe("Relative to the workspace."),
  old_text: z.string().min(1).describe("Exactly as in the file, with enough around it to occur only once."),
  new_text: z.string(),
  replace_all: z
    .boolean()
    .optional()
    .describe("Replace every occurrence. Without it there must be exactly one."),
});

export function editFileTool(guard: PathGuard): Tool {
  return defineTool({
    name: "edit_file",
    description: "Replaces an exact text in a file of the workspace by another.",
    parameters,
    run: async (
      { path, old_text: oldText, new_text: newText, replace_all: replaceAll = false },
      { signal },
    ) => {
      const place = await guard.openPlace(path, "write");
      try {
        const { text, stats } = await readIn(place, path, guard);
        const edited = replaceText(text, { oldText, newText, replaceAll, name: place.name });
        signal.throwIfAborted();
        await writeAtomically(place, Buffer.from(edited.text), stats);
        return `edited ${place.name}: ${edited.count === 1 ? "1 place" : `${edited.count} places`} replaced`;
      } finally {
        await place.directory.close();
      }
    },
  });
}

async function readIn(
  place: Place,
  path: string,
  guard: PathGuard,
): Promise<{ readonly text: string; readonly stats: Stats }> {
  const { handle, stats } = await guard.openIn(place, path);
  try {
    if (stats.size > MAX_BYTES)
      throw new AgentError(
        "TOOL_FAILED",
        `${place.name} has ${stats.size} bytes; at most ${MAX_BYTES} can be edited`,
      );
    return { text: decodeStrictly(await handle.readFile(), place.name), stats };
  } finally {
    await handle.close();
  }
}

interface Replacement {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
  readonly name: string;
}

function replaceText(text: string, replacement: Replacement): { text: string; count: number } {
  const { replaceAll, name } = replacement;
  const [oldText, newText] = withLineEndsOf(text, replacement);
  if (oldText === newText)
    throw new AgentError("TOOL_FAILED", `old_text and new_text are the same; ${name} was not changed`);
  const pieces = text.split(oldText);
  const count = pieces.length - 1;
  if (count === 0)
    throw new AgentError(
      "TOOL_FAILED",
      `old_text does not occur in ${name}; read the file and give it exactly as it is there`,
    );
  if (count > 1 && !replaceAll)
    throw new AgentError(
      "TOOL_FAILED",
      `old_text occurs ${count} times in ${name}; give more of what is around it, or set replace_all. Nothing was changed.`,
    );
  return { text: pieces.join(newText), count };
}

/** In a file whose lines all end with CR LF, a plain line feed in the arguments means one of those. */
function withLineEndsOf(text: string, { oldText, newText }: Replacement): readonly [string, string] {
  const isCrLf = text.includes("\r\n") && !/(?<!\r)\n/.test(text);
  if (!isCrLf) return [oldText, newText];
  const convert = (part: string): string => part.replaceAll(/\r?\n/g, "\r\n");
  return [convert(oldText), convert(newText)];
}

function decodeStrictly(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new AgentError("TOOL_FAILED", `${name} is not UTF-8 text and cannot be edited`, {}, error);
  }
}
