/** An agent without a model: it answers "you said …", one turn at a time in each session, over a real store. */

import type { Store } from "@longhand/store";
import type { Scope } from "@longhand/store/memory";
import type { AgentEvent, EventSink, TurnEvent } from "../../../src/events.ts";
import type { AgentInstance, Conversation } from "../../../src/loop/types.ts";
import type { Said, TurnResult } from "../../../src/turn/types.ts";

export interface FakeAgentOptions {
  readonly store: Store;
  readonly name?: string;
  /** Called within a turn, before its answer. */
  readonly work?: (said: Said, signal: AbortSignal | undefined) => Promise<void>;
  /** Keys of sessions with a turn that a crash has left open; recovered ones are taken out. */
  readonly open?: Set<string>;
  readonly recover?: (key: string) => Promise<void>;
}

export class FakeAgent implements Partial<AgentInstance> {
  readonly name: string;
  readonly store: Store;
  readonly scopes = new Map<string, Scope | undefined>();
  readonly said: { readonly key: string; readonly said: Said; readonly whenBusy: string | undefined }[] = [];
  inHand = 0;
  mostInHand = 0;
  readonly #options: FakeAgentOptions;
  readonly #sinks = new Set<EventSink>();
  readonly #turns = new Map<string, Promise<unknown>>();
  #next = 0;

  constructor(options: FakeAgentOptions) {
    this.#options = options;
    this.name = options.name ?? "main";
    this.store = options.store;
  }

  /** As far as channels look at it. */
  get instance(): AgentInstance {
    return this as unknown as AgentInstance;
  }

  get listeners(): number {
    return this.#sinks.size;
  }

  readonly listen = (sink: EventSink): (() => void) => {
    this.#sinks.add(sink);
    return () => {
      this.#sinks.delete(sink);
    };
  };

  emit(event: AgentEvent): void {
    for (const sink of this.#sinks) sink(event);
  }

  conversation(key: string, options: { scope?: Scope } = {}): Conversation {
    this.scopes.set(key, options.scope);
    const session = this.store.session(key);
    return {
      key,
      session,
      scope: this.scopes.get(key) ?? {},
      isBusy: this.#turns.has(key),
      say: (said, how) => {
        this.said.push({ key, said, whenBusy: how?.whenBusy });
        const before = this.#turns.get(key) ?? Promise.resolve();
        const turn = before.then(() => this.#turn(key, said, how?.signal));
        const settled = turn.catch(() => {});
        this.#turns.set(key, settled);
        return turn;
      },
      cancel: () => Promise.resolve(false),
      recover: () => this.#recover(key),
      settled: () => Promise.resolve(),
      leave: () => undefined,
    };
  }

  async #turn(key: string, said: Said, signal: AbortSignal | undefined): Promise<TurnResult> {
    this.inHand += 1;
    this.mostInHand = Math.max(this.mostInHand, this.inHand);
    try {
      const turn = `turn ${(this.#next += 1)}`;
      const tell = (event: TurnEvent): void => {
        this.emit({ agent: this.name, key, turn, ...event });
      };
      const words = typeof said.text === "string" ? said.text : JSON.stringify(said.text);
      const { seq } = await this.store.session(key).append({ role: "user", content: words });
      tell({ type: "turn-start", seq });
      await this.#options.work?.(said, signal);
      const outcome = signal?.aborted === true ? "cancelled" : "answered";
      const text = `you said ${words}`;
      tell({ type: "text-delta", text });
      const written = await this.store.session(key).append({ role: "assistant", content: text });
      tell({ type: "turn-end", outcome, seq: written.seq });
      return { turn, outcome, text, seq: written.seq };
    } finally {
      this.inHand -= 1;
    }
  }

  async #recover(key: string): Promise<TurnResult | undefined> {
    await this.#options.recover?.(key);
    if (this.#options.open?.delete(key) !== true) return undefined;
    this.emit({ agent: this.name, key, turn: "old", type: "turn-end", outcome: "interrupted", seq: 1 });
    return { turn: "old", outcome: "interrupted", text: "", seq: 1 };
  }
}
