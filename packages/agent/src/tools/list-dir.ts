/** `list_dir`: what is in a directory, sorted, with kinds and sizes. Links are named, never followed. */

import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Dirent } from "node:fs";
import * as z from "zod";
import { errorCode } from "./error-code.ts";
import type { PathGuard, Place } from "./path-guard.ts";
import { defineTool, type Tool } from "./tool.ts";
import { visibleText } from "./visible-text.ts";

const MAX_ENTRIES = 500;

const parameters = z.object({
  path: z.string().optional().describe("Relative to the workspace; without it the workspace itself."),
});

export function listDirTool(guard: PathGuard): Tool {
  return defineTool({
    name: "list_dir",
    description: `Lists a directory of the workspace: names, kinds and sizes, at most ${MAX_ENTRIES}.`,
    parameters,
    isReadOnly: true,
    run: async ({ path = "." }, { signal }) => {
      const place = await guard.openDirectory(path);
      try {
        const entries = await readdir(place.base, { withFileTypes: true });
        if (entries.length === 0) return `[${place.name} is empty]`;
        entries.sort((a, b) => (a.name < b.name ? -1 : 1));
        const lines: string[] = [];
        for (const entry of entries.slice(0, MAX_ENTRIES)) {
          signal.throwIfAborted();
          lines.push(await describe(entry, place));
        }
        const more = entries.length - lines.length;
        if (more > 0)
          lines.push(`[${more} more are left out; list a directory in it, or look for a name with exec]`);
        return lines.join("\n");
      } finally {
        await place.directory.close();
      }
    },
  });
}

async function describe(entry: Dirent, place: Place): Promise<string> {
  // A line feed in a name must not look like a second entry.
  const name = visibleText(entry.name).replaceAll("\n", "\u240a");
  if (entry.isDirectory()) return `${name}/`;
  if (entry.isSymbolicLink()) return `${name} (link)`;
  if (!entry.isFile()) return `${name} (neither file nor directory)`;
  try {
    const { size } = await lstat(join(place.base, entry.name));
    return `${name} (${size} bytes)`;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return `${name} (gone meanwhile)`;
    throw error;
  }
}
