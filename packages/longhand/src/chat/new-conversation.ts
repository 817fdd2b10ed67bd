/** What is said when `chat KEY` or `--continue` begins a conversation: the one that was meant may be in another workspace. */

import type { Places } from "../config/places.ts";
import { commandsElsewhere, findOtherWorkspaces, type OtherWorkspace } from "../sessions/other-workspaces.ts";
import type { ToPaste } from "../terminal/command-to-paste.ts";
import { escapeKey } from "../terminal/escape-controls.ts";

export interface NewConversation {
  /** In other workspaces; each line is whole, so that its command can be pasted. */
  readonly elsewhere: readonly string[];
  readonly said: string;
}

export interface BegunSession {
  readonly key: string;
  /** --continue found nothing to continue. */
  readonly isContinued: boolean;
  /** Of the store that it is in. */
  readonly directory: string | undefined;
}

export async function newConversation(
  { key, isContinued, directory }: BegunSession,
  places: Places,
  toPaste: ToPaste,
): Promise<NewConversation> {
  const others = await findOtherWorkspaces(places, directory);
  if (isContinued) {
    const commands = commandsElsewhere(others, "chat --continue", toPaste);
    return {
      said: "There is no conversation to continue here: this is a new conversation.",
      elsewhere: commands.length === 0 ? [] : ["Other workspaces have conversations:", ...indented(commands)],
    };
  }
  const having: OtherWorkspace[] = [];
  for (const other of others) if (await hasSession(other.sessions, key)) having.push(other);
  const commands = having.map(({ path, exists }) =>
    toPaste(exists ? "chat" : "show", key, { workspace: path }),
  );
  return {
    said: `New conversation: ${escapeKey(key)}`,
    elsewhere:
      commands.length === 0
        ? []
        : [`${escapeKey(key)} exists in another workspace. To open that one:`, ...indented(commands)],
  };
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

async function hasSession(directory: string, key: string): Promise<boolean> {
  const { isLonghandError, openStore } = await import("@longhand/store");
  try {
    await using store = await openStore(directory, { readOnly: true });
    return await store.session(key).exists();
  } catch (error) {
    // A store that cannot be opened is no reason to refuse a conversation in this one.
    if (isLonghandError(error)) return false;
    throw error;
  }
}
