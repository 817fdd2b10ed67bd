/** Commands that a chat prints: they lead to the same store when they are pasted, whatever the user answers about the directory then. */

import type { Places } from "../config/places.ts";
import type { ToPaste } from "../terminal/command-to-paste.ts";
import type { Surroundings } from "./surroundings.ts";

/** `places`: as they were settled. In a directory that is not approved the default workspace must be named: it is asked about again. */
export function chatToPaste(
  { workspace, toPaste }: Pick<Surroundings, "workspace" | "toPaste">,
  places: Places,
): ToPaste {
  const { choice } = workspace;
  const isRefused = choice.by === "default" && choice.current.state === "unapproved";
  if (!isRefused || places.workspace.source !== "default") return toPaste;
  return (words, key, elsewhere) => toPaste(words, key, { workspace: places.workspace.path, ...elsewhere });
}
