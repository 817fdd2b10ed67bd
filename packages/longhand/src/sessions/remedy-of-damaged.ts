/** What helps where a command has failed since a session's file cannot be read as one: a repair, or a person. */

import type { LonghandError } from "@longhand/store";
import type { ToPaste } from "../terminal/command-to-paste.ts";
import { unreadableRemedy } from "./damage-remedy.ts";

/** Reads that session only, and changes nothing. `undefined`: it could not be told. */
export async function remedyOfDamaged(
  { detail }: LonghandError,
  directory: string,
  toPaste: ToPaste,
): Promise<string | undefined> {
  const { openStore } = await import("@longhand/store");
  const { file, key } = detail;
  if (typeof key !== "string" || typeof file !== "string") return undefined;
  const quiet = { onDamage: () => undefined, onError: () => undefined };
  try {
    const store = await openStore(directory, { readOnly: true, ...quiet });
    try {
      const { damage } = await store.verify({ keys: [key] });
      const found = damage.find((each) => each.file === file);
      return found === undefined ? undefined : unreadableRemedy(found, toPaste);
    } finally {
      await store.close();
    }
  } catch {
    // The command has failed already, and that is told: this was only to help.
    return undefined;
  }
}
