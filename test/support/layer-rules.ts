/**
 * The layers of the packages and what each may use, as data. docs/architecture.md says why. Changing a line here is a
 * change of the architecture: it belongs in a commit of its own, with its reason.
 */

/** Names of a module that may be imported; "all": any. */
export type ModuleNames = readonly string[] | "all";

export interface PackageRules {
  /** For each layer: the other layers it may import. A layer is a directory in src, or one below it that is named here itself. */
  readonly layers: Readonly<Record<string, readonly string[]>>;
  /** Files directly in src that every layer may import. The other files there are doors: no layer imports a door. */
  readonly everywhere: readonly string[];
  /** May import every layer and the doors, and is imported by none of them: it is for tests. */
  readonly testing: string | undefined;
  /** Packages, by the exact specifier. */
  readonly packages: readonly string[];
  /** Modules of Node for each layer, "*" for the layers and doors not named. `undefined`: any. */
  readonly nodeModules: Readonly<Record<string, Readonly<Record<string, ModuleNames>> | undefined>>;
  /** Rooms in which disk, clock, chance, timers and processes may be touched; "*": everywhere. */
  readonly touchesWorld: readonly string[];
  /** Exceptions to that: a file and the one expression it may use. */
  readonly worldExceptions: Readonly<Record<string, readonly string[]>>;
}

/** Functions of their arguments, though Node keeps them beside others that are not. */
const PURE = {
  "node:buffer": ["isAscii", "isUtf8"],
  "node:crypto": ["createHash", "hash"],
  "node:zlib": ["crc32", "constants", "deflateRawSync", "inflateRawSync"],
} as const;

export const STORE_RULES: PackageRules = {
  layers: {
    format: [],
    host: ["format"],
    wal: ["format", "host"],
    lease: ["format", "host", "wal"],
    session: ["format", "host"],
    migrate: ["format", "host", "session"],
    index: ["format"],
    // What every backend implements, and the types of the public face.
    contract: ["format"],
    "engine/files": ["format", "host", "wal", "session", "migrate", "contract"],
    "engine/verify": ["format", "host", "session", "contract", "engine/files"],
    "engine/instance": ["format", "host", "wal", "lease", "session", "contract", "engine/files"],
    // The index is pure; a listing reads its catalog from the cache.
    "engine/reading": [
      "format",
      "host",
      "wal",
      "lease",
      "session",
      "index",
      "contract",
      "engine/files",
      "engine/verify",
      "engine/instance",
    ],
    "engine/writing": [
      "format",
      "host",
      "wal",
      "lease",
      "session",
      "contract",
      "engine/files",
      "engine/verify",
      "engine/instance",
      "engine/reading",
    ],
    engine: [
      "format",
      "host",
      "wal",
      "lease",
      "session",
      "contract",
      "engine/files",
      "engine/verify",
      "engine/instance",
      "engine/reading",
      "engine/writing",
    ],
    upkeep: [
      "format",
      "host",
      "wal",
      "lease",
      "session",
      "migrate",
      "contract",
      "engine",
      "engine/files",
      "engine/verify",
      "engine/instance",
      "engine/reading",
      "engine/writing",
    ],
    // Pure: the store maps what PicoClaw's contract hands in, the context what older versions have stored.
    messages: ["format"],
    store: ["format", "contract", "index", "messages"],
    backends: [
      "format",
      "host",
      "wal",
      "lease",
      "session",
      "migrate",
      "index",
      "contract",
      "engine",
      "engine/files",
      "engine/verify",
      "engine/instance",
      "engine/reading",
      "engine/writing",
      "upkeep",
      "store",
    ],
    // Written against the public face, so that they work over every backend.
    context: ["format", "contract", "store", "host", "messages"],
    memory: ["format", "contract", "store", "host", "index", "messages", "context"],
    testing: [],
  },
  everywhere: ["errors.ts", "lazy.ts"],
  testing: "testing",
  packages: [],
  nodeModules: {
    host: undefined,
    format: PURE,
    testing: { ...PURE, "node:path": "all", "node:assert/strict": "all" },
    "*": { ...PURE, "node:path": "all" },
  },
  touchesWorld: ["host"],
  worldExceptions: {
    // The default of onDamage and onError; a caller who wants it otherwise hands in a function.
    "store/warn.ts": ["process.emitWarning"],
    // Lets other tasks run between two writes; it measures nothing and waits for nothing.
    "testing/conformance/concurrent.ts": ["setImmediate"],
    // Lets the other simulated processes go on before simulated time passes.
    "testing/crashable-host.ts": ["setImmediate"],
    "testing/scheduler.ts": ["setImmediate"],
  },
};

export const AGENT_RULES: PackageRules = {
  layers: {
    // Actors, mailboxes, deadlines, back-off: it knows nothing of agents, and nothing else in the package has a timer or a queue.
    kernel: [],
    secrets: [],
    models: ["kernel", "secrets"],
    offline: ["models"],
    tools: ["kernel"],
    skills: ["tools"],
    turn: ["kernel", "models", "tools"],
    loop: ["kernel", "secrets", "models", "tools", "skills", "turn"],
    channels: ["kernel", "turn", "loop"],
  },
  everywhere: ["errors.ts", "events.ts", "message-text.ts", "parse-json.ts", "suggest-name.ts"],
  testing: undefined,
  packages: [
    ...["@longhand/store", "@longhand/store/context", "@longhand/store/memory"],
    ...["@ai-sdk/provider", "@ai-sdk/anthropic", "@ai-sdk/openai-compatible", "ollama-ai-provider-v2"],
    ...["@ai-sdk-tool/parser", "yaml", "zod"],
  ],
  nodeModules: {},
  touchesWorld: ["*"],
  worldExceptions: {},
};

export const LONGHAND_RULES: PackageRules = {
  layers: {
    terminal: [],
    config: [],
    sessions: ["config", "terminal"],
    export: ["sessions", "terminal"],
    import: ["sessions", "terminal"],
    tour: ["sessions", "terminal", "config", "assembly"],
    chat: ["terminal", "config", "sessions", "export"],
    // Picks the concrete parts of an agent.
    assembly: ["config", "terminal"],
    commands: ["terminal", "config", "sessions", "export", "import", "tour", "chat", "assembly"],
  },
  everywhere: ["command-error.ts", "error-code.ts"],
  testing: undefined,
  packages: [
    ...["@longhand/store", "@longhand/store/context", "@longhand/store/memory", "@longhand/store/messages"],
    ...[
      "@longhand/store/testing",
      "@longhand/agent",
      "@longhand/agent/settings",
      "commander",
      "picocolors",
      "zod",
    ],
  ],
  nodeModules: {},
  touchesWorld: ["*"],
  worldExceptions: {},
};

export const RULES = { store: STORE_RULES, agent: AGENT_RULES, longhand: LONGHAND_RULES } as const;

/** What proof/ may import besides its own files and Node. TypeScript is for making changed copies of the store. */
export const PROOF_PACKAGES: readonly string[] = ["@longhand/store", "@longhand/store/testing", "typescript"];

/** What bench/ may import besides its own files and Node: the store by its public door, and the peers it is measured against. */
export const BENCH_PACKAGES: readonly string[] = [
  ...["@longhand/store", "better-sqlite3", "libsql", "lmdb", "@openai/agents-core"],
  ...["@langchain/core/messages", "@langchain/community/stores/message/file_system"],
  ...["@langchain/langgraph-checkpoint", "@langchain/langgraph-checkpoint-sqlite"],
  // In candidates/pi.ts: a file of pi's package, whose door would load the whole agent.
  "new URL(MODULE, import.meta.url).href",
];
