/** A session that is not found: the workspaces that have sessions too are named, for the case that one of them was meant. */

import { CommandError } from "../command-error.ts";
import { commandsElsewhere, findOtherWorkspaces } from "./other-workspaces.ts";
import type { StoreSurroundings } from "./with-store.ts";

/** The same error with another remedy; any other error as it is, and that of a session which is archived or in the trash here. */
export async function pointElsewhere(
  error: unknown,
  { places, toPaste }: Pick<StoreSurroundings, "places" | "toPaste">,
): Promise<unknown> {
  if (!(error instanceof CommandError) || error.code !== "KEY_UNKNOWN") return error;
  if (error.detail["status"] !== undefined) return error;
  const commands = commandsElsewhere(await findOtherWorkspaces(places), "list", toPaste);
  if (commands.length === 0) return error;
  const own = error.remedy === undefined ? [] : [error.remedy];
  const remedy = [...own, "other workspaces have sessions:", ...commands.map((command) => `  ${command}`)];
  return new CommandError(error.code, error.message, {
    detail: error.detail,
    remedy: remedy.join("\n  "),
    cause: error,
  });
}
