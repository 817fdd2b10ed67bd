/** A home with a store in it for the tests of commands. */

import { join } from "node:path";
import { openStore, type Store } from "@longhand/store";
import { type Answer, runIn, type RunOptions, withTemporaryDirectory } from "./fake-world.ts";

export type Longhand = (commandLine: string, options?: RunOptions) => Promise<Answer>;

/** `longhand("show last")`: words are separated by spaces; `_` in a word stands for a space. */
export async function withHome(
  fill: (store: Store) => Promise<unknown>,
  use: (longhand: Longhand, home: string, sessions: string) => Promise<void>,
): Promise<void> {
  await withTemporaryDirectory(async (home) => {
    const sessions = join(home, "sessions");
    const store = await openStore(sessions);
    await fill(store);
    await store.close();
    const longhand: Longhand = (commandLine, options) =>
      runIn(
        home,
        commandLine.split(" ").map((word) => word.replaceAll("_", " ")),
        options,
      );
    await use(longhand, home, sessions);
  });
}

export const nothing = (): Promise<void> => Promise.resolve();

export async function say(store: Store, key: string, ...texts: readonly string[]): Promise<void> {
  for (const content of texts) await store.session(key).append({ role: "user", content });
}

export function jsonLines(text: string): unknown[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}
