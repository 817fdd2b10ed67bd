/** An agent without a loop or a model: a script says what happens in each turn. Its sessions are real, in memory. */

import { memoryBackend, openStore, type Session, type Store } from "@longhand/store";
import type {
  AgentInstance,
  Conversation,
  Model,
  ModelCheck,
  Said,
  Tool,
  TurnEvent,
  TurnOutcome,
  TurnResult,
} from "@longhand/agent";
import type { ChatLink } from "../../../src/chat/chat-link.ts";

export interface FakeTurn {
  readonly text: string;
  readonly signal: AbortSignal;
  readonly emit: (event: TurnEvent) => void;
  /** One text-delta; it is part of the answer that is kept. */
  readonly say: (text: string) => void;
  readonly approve: (tool: string, input: unknown) => Promise<boolean>;
  /** What was said to steer it, so far. */
  readonly steered: readonly string[];
}

export type Script = (turn: FakeTurn) => Promise<TurnOutcome>;

export interface FakeAgent {
  readonly agent: AgentInstance;
  readonly store: Store;
}

const CHECKS: Readonly<Record<string, ModelCheck>> = {
  "fake:missing": { result: "unusable", reason: "the server has no such model" },
  "fake:unknown": { result: "unknown", reason: "no list" },
};

export const fakeModel = (name: string): Model => ({
  name,
  check: () => Promise.resolve(CHECKS[name] ?? { result: "usable" }),
  stream: () => {
    throw new Error("a fake model is never asked");
  },
});

export async function fakeAgent(
  link: ChatLink,
  script: Script,
  tools: readonly Tool[] = [],
  keptBy: AgentInstance["keptBy"] = "memory",
): Promise<FakeAgent> {
  const store = await openStore(memoryBackend());
  const conversations = new Map<string, FakeConversation>();
  let model = fakeModel("fake:one");
  const agent: AgentInstance = {
    name: "helper",
    workspace: "/tmp/workspace",
    store,
    memory: undefined,
    keptBy,
    tools,
    skills: { found: [], invalid: [], promptSection: () => "", load: () => Promise.resolve(undefined) },
    get model() {
      return model;
    },
    useModel: (next) => (model = next),
    contextOptions: () =>
      Promise.resolve({
        ...{ system: "", tools: tools.map(({ schema }) => schema), model: model.name },
        ...{ maxTokens: 32_000, reserve: 4096 },
      }),
    conversation: (key) => {
      const found = conversations.get(key) ?? new FakeConversation(store.session(key), link, script);
      conversations.set(key, found);
      return found;
    },
    catchUpMemory: () => Promise.resolve({ consolidated: 0, failure: undefined, waiting: 0, open: 0 }),
  };
  return { agent, store };
}

class FakeConversation implements Conversation {
  readonly session: Session;
  readonly scope = {};
  readonly #link: ChatLink;
  readonly #script: Script;
  #controller: AbortController | undefined;
  #steered: string[] = [];
  #ended: Promise<TurnResult> | undefined;
  #turns = 0;

  constructor(session: Session, link: ChatLink, script: Script) {
    this.session = session;
    this.#link = link;
    this.#script = script;
  }

  get key(): string {
    return this.session.key;
  }

  get isBusy(): boolean {
    return this.#controller !== undefined;
  }

  async say(
    { text }: Said,
    { whenBusy, signal }: { whenBusy?: "wait" | "steer" | "cancel"; signal?: AbortSignal } = {},
  ): Promise<TurnResult> {
    if (typeof text !== "string") throw new Error("the fake agent is told text only");
    if (whenBusy === "steer" && this.#ended !== undefined) {
      this.#steered.push(text);
      return await this.#ended;
    }
    this.#ended = this.#turn(text, signal);
    return await this.#ended.finally(() => (this.#ended = undefined));
  }

  async cancel(): Promise<boolean> {
    this.#controller?.abort();
    return await Promise.resolve(this.isBusy);
  }

  async recover(): Promise<undefined> {
    await Promise.resolve();
  }

  leave(): void {
    // Nothing is remembered here.
  }

  async settled(): Promise<void> {
    await Promise.resolve();
  }

  async #turn(text: string, signal: AbortSignal | undefined): Promise<TurnResult> {
    const turn = `turn-${++this.#turns}`;
    const controller = new AbortController();
    signal?.addEventListener("abort", () => controller.abort());
    this.#controller = controller;
    this.#steered = [];
    const emit = (event: TurnEvent): void =>
      this.#link.events({ agent: "helper", key: this.key, turn, ...event });
    let answer = "";
    const { seq: first } = await this.session.append({ role: "user", content: text });
    emit({ type: "turn-start", seq: first });
    const outcome = await this.#script({
      text,
      signal: controller.signal,
      emit,
      say: (delta) => {
        answer += delta;
        emit({ type: "text-delta", text: delta });
      },
      approve: async (tool, input) =>
        await this.#link.approve(
          { agent: "helper", key: this.key, tool, input, reason: "it may do harm" },
          controller.signal,
        ),
      steered: this.#steered,
    });
    const { seq } = await this.session.append({ role: "assistant", content: answer });
    this.#controller = undefined;
    emit({ type: "turn-end", outcome, seq });
    return { turn, outcome, text: answer, seq };
  }
}
