/** Commands by themselves, over a store in memory: what they do and print, without files. */

import type { WorkspaceChoice } from "../../src/config/choose-workspace.ts";
import type { Places } from "../../src/config/places.ts";
import { memoryBackend, openStore, type SessionInfo, type Store } from "@longhand/store";
import type { Surroundings } from "../../src/commands/surroundings.ts";
import { commandToPaste } from "../../src/terminal/command-to-paste.ts";
import { fakeOutput, type FakeOutput, type FakeOutputOptions } from "./fake-world.ts";

export interface FakeSurroundings extends Surroundings {
  readonly output: FakeOutput;
  readonly hasFailed: () => boolean;
}

export interface FakeSurroundingsOptions extends FakeOutputOptions {
  readonly json?: boolean;
  readonly answers?: readonly string[];
  readonly interruption?: AbortSignal;
}

export function fakeSurroundings(options: FakeSurroundingsOptions = {}): FakeSurroundings {
  const { json = false, answers, interruption = new AbortController().signal } = options;
  const unanswered = [...(answers ?? [])];
  let hasFailed = false;
  const choice: WorkspaceChoice = {
    by: "default",
    real: "/nowhere",
    older: [],
    current: { state: "not-asked" },
  };
  const place = { path: "/nowhere", source: "default", why: "" } as const;
  const places: Places = {
    home: place,
    workspace: { ...place, real: "/nowhere", state: "/nowhere" },
    sessions: place,
    memory: place,
  };
  return {
    output: fakeOutput({ ...(answers === undefined ? {} : { errorWidth: 100 }), ...options }),
    input: {
      isTerminal: answers !== undefined,
      read: () => Promise.resolve(Buffer.alloc(0)),
      readLine: () => Promise.resolve(unanswered.shift()),
    },
    environment: {},
    program: "longhand",
    currentDirectory: "/",
    json,
    interruption: () => interruption,
    toPaste: commandToPaste({}),
    actOn: () => undefined,
    markFailed: () => (hasFailed = true),
    hasFailed: () => hasFailed,
    places,
    workspace: { choice, defaultChoice: () => choice, use: () => places },
  };
}

export async function withMemory(use: (store: Store) => Promise<void>): Promise<void> {
  const store = await openStore(memoryBackend());
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

export async function infoOf(store: Store, key: string): Promise<SessionInfo> {
  const info = await store.session(key).state();
  if (info === undefined) throw new Error(`there is no session ${key}`);
  return info;
}
