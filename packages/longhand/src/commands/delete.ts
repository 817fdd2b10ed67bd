/**
 * `longhand delete`: moves everything of a key to the trash, from where it can be restored; with `--forever` nothing of
 * it is left, which is asked for twice.
 */

import type { SessionInfo, Store } from "@longhand/store";
import { ANY_STATUS, READABLE } from "../sessions/choose-session.ts";
import { findLeftBehind, leftBehindLines } from "../sessions/left-behind.ts";
import { sessionsOfKey } from "../sessions/sessions-of-key.ts";
import { withLock } from "../sessions/with-lock.ts";
import { findSession } from "../sessions/with-session.ts";
import { withStoreForWriting } from "../sessions/with-store.ts";
import { confirm } from "../terminal/confirm.ts";
import { escapeKey } from "../terminal/escape-controls.ts";
import { countOf, formatBytes } from "../terminal/format-count.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { addExamples } from "./add-examples.ts";
import { addWaitOption } from "./add-wait-option.ts";
import { KEY_HELP } from "./key-help.ts";
import type { DefineCommand, JsonOption, Surroundings, WaitOption } from "./surroundings.ts";

export interface DeleteCommandOptions extends JsonOption, WaitOption {
  readonly forever?: boolean;
  readonly yes?: boolean;
}

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand delete my-notes", "to the trash; longhand restore my-notes brings it back"],
    ["longhand delete my-notes --forever", "for good, out of the trash too; asks first"],
  ]);
  addWaitOption(command)
    .argument("<key>", KEY_HELP)
    .option("--forever", "nothing of the key is left, in the archive and the trash neither")
    .option("--yes", "do not ask before --forever")
    .option("--json", "one JSON document: key, forever, the sessions that went, and what stays")
    .addHelpText(
      "after",
      "\nArchived sessions of the same key go with it. --forever leaves what nobody can tell from outside to be its own:\n" +
        "damaged bytes in .longhand/damaged/, originals that end in .migrated, and what forks share with it.",
    )
    .action(async (key: string, options: DeleteCommandOptions) => {
      const surroundings = begin(options);
      const { forever = false } = options;
      const found = await findSession(surroundings, key, forever ? ANY_STATUS : READABLE);
      await withStoreForWriting(surroundings, async (store) =>
        deleteSession(store, found.key, options, surroundings),
      );
    });
};

export async function deleteSession(
  store: Store,
  key: string,
  { forever = false, yes = false, wait }: DeleteCommandOptions,
  surroundings: Surroundings,
): Promise<void> {
  const { output, json, toPaste, places } = surroundings;
  if (forever) {
    // Asked before the lock: nobody waits in line for a person to make up their mind.
    const question = `Delete ${describe(await sessionsOfKey(store, key))} of ${escapeKey(key)} for good?`;
    await confirm(surroundings, { question, yes, command: toPaste("delete --forever --yes", key) });
  }
  const gone = await withLock(store.session(key), wait, surroundings, async () => {
    const sessions = await sessionsOfKey(store, key);
    await store.session(key).delete({ forever });
    return sessions.filter(({ status }) => forever || status !== "trashed");
  });
  if (json) {
    const sessions = gone.map(({ id, status, count, bytes }) => ({ id, status, count, bytes }));
    const left = forever ? { leftBehind: await findLeftBehind(places.sessions.path) } : {};
    output.write(jsonLine({ key, forever, sessions, ...left }));
    return;
  }
  const { cyan, dim } = output.colors;
  const shown = cyan(escapeKey(key));
  if (forever) {
    output.write(`Deleted ${shown} for good: ${describe(gone)}.\n`);
    const left = await findLeftBehind(places.sessions.path);
    for (const line of leftBehindLines(left)) output.write(`${dim(line)}\n`);
    return;
  }
  output.write(`Moved ${shown} to the trash: ${describe(gone)}.\n`);
  output.write(dim(`To bring it back: ${toPaste("restore", key)}\n`));
}

function describe(sessions: readonly SessionInfo[]): string {
  const messages = sessions.reduce((sum, { count }) => sum + count, 0);
  const bytes = sessions.reduce((sum, session) => sum + session.bytes, 0);
  const which = sessions.length === 1 ? "" : `${countOf(sessions.length, "session")} with `;
  return `${which}${countOf(messages, "message")} (${formatBytes(bytes)})`;
}
