/** A store in the hands of a process without rights. It uses the built package. */

import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { isRoot } from "./leave-out.ts";

export const NOBODY = 65534;

/** What hold-store.mjs answers, in order: whether it could open, then one for each command. */
export type Answer =
  { readonly error: string; readonly detail: Record<string, unknown>; readonly message: string } | object;

/** Root passes everywhere, so that its tests become nobody; anyone else is without rights already. */
export async function asNobody(
  parameters: readonly string[],
  commands: readonly string[] = [],
): Promise<Answer[]> {
  const script = fileURLToPath(new URL("hold-store.mjs", import.meta.url));
  const child = spawn(process.execPath, [script, ...parameters], {
    stdio: ["pipe", "pipe", "inherit"],
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  // One that could not open the store is gone before it has read everything.
  child.stdin.on("error", () => undefined);
  child.stdin.end(commands.map((command) => `${command}\n`).join(""));
  const lines = (await text(child.stdout)).split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Answer);
}
