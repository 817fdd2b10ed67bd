/** `write_file`: a whole file, new or in place of an old one, at once. */

import * as z from "zod";
import type { PathGuard } from "./path-guard.ts";
import { defineTool, type Tool } from "./tool.ts";
import { writeAtomically } from "./write-atomically.ts";

const parameters = z.object({
  path: z.string().describe("Relative to the workspace. Directories that are missing are made."),
  content: z.string().describe("The whole text of the file."),
});

export function writeFileTool(guard: PathGuard): Tool {
  return defineTool({
    name: "write_file",
    description:
      "Writes a file of the workspace, whole: what was in it before is replaced. To change a part use edit_file.",
    parameters,
    run: async ({ path, content }, { signal }) => {
      const place = await guard.openPlace(path, "write", { makeDirectories: true });
      try {
        signal.throwIfAborted();
        const bytes = Buffer.from(content);
        const previous = await writeAtomically(place, bytes);
        const before = previous === undefined ? "a new file" : `${previous.size} bytes before`;
        return `wrote ${place.name}: ${bytes.length} bytes, ${before}`;
      } finally {
        await place.directory.close();
      }
    },
  });
}
