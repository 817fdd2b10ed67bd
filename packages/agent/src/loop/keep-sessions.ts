/**
 * Opens what an agent's sessions are kept by. A store that cannot be opened or migrated must not make the agent mute: the JSON
 * backend takes over in the same directory, loudly, and its files are taken in by the next start at which the store opens.
 */

import {
  isLonghandError,
  jsonBackend,
  memoryBackend,
  openStore,
  type LonghandError,
  type Store,
} from "@longhand/store";
import type { AgentInstance, Problem } from "./types.ts";

export interface KeptSessions {
  readonly store: Store;
  readonly keptBy: AgentInstance["keptBy"];
}

export async function keepSessions(
  agent: string,
  directory: string | undefined,
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
    return { store: await openStore(directory, options), keptBy: "jsonl" };
  } catch (error) {
    if (!isLonghandError(error)) throw error;
    const store = await openStore(jsonBackend(directory), options).catch(() => undefined);
    // Nothing can be kept there at all: the first failure says why.
    if (store === undefined) throw error;
    tell(
      error.code,
      `the store in ${directory} could not be opened (${error.message}); sessions are kept in plain JSON files there until it can. ` +
        "What is said meanwhile in a conversation that was there before becomes an archived session of its key. " +
        "Run longhand doctor to see what is wrong",
    );
    return { store, keptBy: "json" };
  }
}
