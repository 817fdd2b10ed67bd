/**
 * Opens what an agent's sessions are kept by. A store that cannot be opened must not make the agent mute: the JSON backend takes
 * over in the same directory, loudly. The next opening that migrates takes its files in; one that does not migrate names them.
 */

import { basename } from "node:path";
import {
  isLonghandError,
  jsonBackend,
  memoryBackend,
  openStore,
  type LonghandError,
  type Migrated,
  type Store,
} from "@longhand/store";
import type { AgentInstance, AgentSettings, Problem } from "./types.ts";

type KeepingSettings = Pick<AgentSettings, "name" | "sessions" | "migrateSessions">;

export interface KeptSessions {
  readonly store: Store;
  readonly keptBy: AgentInstance["keptBy"];
}

export async function keepSessions(
  { name: agent, sessions: directory, migrateSessions: migrate = false }: KeepingSettings,
  onProblem: (problem: Problem) => void,
): Promise<KeptSessions> {
  const tell = (code: Problem["code"], message: string): void => onProblem({ agent, code, message });
  const options = {
    onDamage: ({
      file,
      offset,
      kind,
      reason,
    }: {
      file: string;
      offset: number;
      kind: string;
      reason: string;
    }): void =>
      tell(
        "DAMAGE",
        `${file} is ${kind} at byte ${offset}: ${reason}; longhand verify and longhand repair tell more`,
      ),
    onError: ({ code, message }: LonghandError): void => tell(code, message),
  };
  if (directory === undefined) {
    return { store: await openStore(memoryBackend(), options), keptBy: "memory" };
  }
  try {
    const onMigrated = (migrated: Migrated): void =>
      tell("SESSIONS_MIGRATED", describeMigrated(migrated, directory));
    const onForeign = (files: readonly string[]): void =>
      tell("SESSIONS_FOREIGN", describeForeign(files, directory));
    const store = await openStore(directory, { ...options, migrate, onForeign, onMigrated });
    return { store, keptBy: "jsonl" };
  } catch (error) {
    if (!isLonghandError(error)) throw error;
    const store = await openStore(jsonBackend(directory, { ownFilesOnly: true }), options).catch(
      () => undefined,
    );
    // Nothing can be kept there at all: the first failure says why.
    if (store === undefined) throw error;
    tell(
      error.code,
      `the store in ${directory} could not be opened (${error.message}); sessions are kept in plain JSON files there until it can. ` +
        `To take those files into the store when it can be opened again: longhand migrate ${directory}. ` +
        "What is said meanwhile in a conversation that was there before becomes an archived session of its key. " +
        "Run longhand doctor to see what is wrong",
    );
    return { store, keptBy: "json" };
  }
}

/** Names every file. */
function describeMigrated({ keys, originals }: Migrated, directory: string): string {
  const names = originals.map((path) => basename(path)).join(", ");
  return `${keys.length} session(s) of another program were taken over: ${keys.join(", ")}; the originals are kept as ${names}. To take it back: longhand migrate ${directory} --undo`;
}

function describeForeign(files: readonly string[], directory: string): string {
  const names = files.map((path) => basename(path)).join(", ");
  return `left alone, since they look like sessions of another program: ${names}. To take them over: longhand migrate ${directory}`;
}
