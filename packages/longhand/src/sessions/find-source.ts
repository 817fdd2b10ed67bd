/** Where an entry of the memory comes from, and the command that opens it, if that conversation is still there. */

import type { Store } from "@longhand/store";
import type { MemorySource } from "@longhand/store/memory";
import { escapeKey, escapeLine } from "../terminal/escape-controls.ts";
import { sessionsOfKey } from "./sessions-of-key.ts";
import type { StoreSurroundings } from "./with-store.ts";

export interface FoundSource {
  /** For a person, on a line. */
  readonly description: string;
  /** To paste. */
  readonly command: string | undefined;
  /** Of the conversation, if it is what this key stands for now: of another one's deletion nobody shall be told. */
  readonly key: string | undefined;
}

export async function findSource(
  store: Store,
  source: MemorySource,
  { toPaste }: Pick<StoreSurroundings, "toPaste">,
): Promise<FoundSource> {
  switch (source.by) {
    case "request":
      if (source.said !== undefined)
        return await findSource(store, { by: "conversation", ...source.said }, { toPaste });
      return { description: "somebody asked to remember it", command: undefined, key: undefined };
    case "hand":
      return {
        description: `written by hand in ${escapeLine(source.file)}`,
        command: undefined,
        key: undefined,
      };
    case "conversation": {
      const { key, id, from, to } = source;
      const place = `${escapeKey(key)}, #${from} to #${to}`;
      // The key may have another session by now: its words are not the ones that were meant.
      if ((await store.session(key).state())?.id === id) {
        return { description: place, command: toPaste(`show --all --from ${from} --to ${to}`, key), key };
      }
      const session = (await sessionsOfKey(store, key)).find((each) => each.id === id);
      if (session === undefined) {
        return {
          description: `${place}; that conversation is not here any more`,
          command: undefined,
          key: undefined,
        };
      }
      const where = session.status === "trashed" ? "in the trash" : session.status;
      return {
        description: `${place}; that conversation is ${where}`,
        command: toPaste(`restore --id ${id}`, key),
        key: undefined,
      };
    }
  }
}
