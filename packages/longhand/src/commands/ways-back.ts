/** What is said after a cut: where the messages are, and the command that undoes it. */

import type { SessionInfo } from "@longhand/store";
import type { Surroundings } from "./surroundings.ts";

/** `before`: the session as it was before the cut. */
export function waysBack(
  before: SessionInfo,
  { output, toPaste }: Pick<Surroundings, "output" | "toPaste">,
): string {
  const { key, seq } = before;
  return output.colors.dim(
    `Nothing is deleted. To read it:       ${toPaste("show --all", key)}\n` +
      `                    To bring it back: ${toPaste(`undo --to ${seq}`, key)}\n`,
  );
}
