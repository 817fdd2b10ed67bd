/** One agent: its store, its memory, its tools, its conversations. Nothing of it is shared with another. */

import type { Session, Store } from "@longhand/store";
import type { AskModel } from "@longhand/store/context";
import { openMemory, type Memory, type Scope } from "@longhand/store/memory";
import { AgentError } from "../errors.ts";
import type { AgentEvent } from "../events.ts";
import type { Kernel } from "../kernel/types.ts";
import { askModelOf } from "../models/ask-model.ts";
import type { Model } from "../models/model.ts";
import type { Skills } from "../skills/types.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import type { TurnRequest } from "../turn/turn-request.ts";
import type { TurnSettings } from "../turn/types.ts";
import { ActorConversation, type EndedTurn } from "./conversation.ts";
import { Consolidation } from "./consolidation.ts";
import { localScope } from "./local-scope.ts";
import { keepSessions, type KeptSessions } from "./keep-sessions.ts";
import { requestOf } from "./request-of.ts";
import { systemPrompt } from "./system-prompt.ts";
import type { AgentInstance, AgentSettings, CaughtUp, Conversation, LoopOptions, Problem } from "./types.ts";
import { Upkeep } from "./upkeep.ts";

/** Events by which the model is known to have begun its answer. */
const ANSWERING: ReadonlySet<AgentEvent["type"]> = new Set(["text-delta", "reasoning-delta", "tool-call"]);

type Surroundings = Pick<LoopOptions, "events" | "approve" | "onProblem">;

export async function openAgent(
  kernel: Kernel,
  settings: AgentSettings,
  surroundings: Surroundings,
): Promise<OpenAgent> {
  const kept = await keepSessions(settings, surroundings.onProblem);
  try {
    const memory = await openMemoryOf(settings, kept.store, surroundings);
    return new OpenAgent(kernel, settings, surroundings, kept, memory);
  } catch (error) {
    await kept.store.close();
    throw error;
  }
}

/** An agent whose memory cannot be opened forgets; it does not fall silent. */
async function openMemoryOf(
  { name, memory: directory }: AgentSettings,
  sessions: Store,
  { onProblem }: Surroundings,
): Promise<Memory | undefined> {
  if (directory === undefined) return undefined;
  const tell = ({ code, message }: Pick<Problem, "code" | "message">): void =>
    onProblem({ agent: name, code, message });
  try {
    return await openMemory({
      directory,
      sessions,
      onDamage: ({ file, reason }) => tell({ code: "DAMAGE", message: `${file}: ${reason}` }),
      onError: tell,
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    tell({ code: "MEMORY_CLOSED", message: `the memory in ${directory} could not be opened: ${why}` });
    return undefined;
  }
}

export class OpenAgent implements AgentInstance {
  readonly name: string;
  readonly workspace: string;
  readonly store: Store;
  readonly memory: Memory | undefined;
  readonly keptBy: AgentInstance["keptBy"];
  readonly tools: readonly Tool[];
  readonly skills: Skills;
  #model: Model;
  readonly #kernel: Kernel;
  readonly #settings: AgentSettings;
  readonly #surroundings: Surroundings;
  readonly #upkeep: Upkeep;
  readonly #consolidation: Consolidation;
  readonly #conversations = new Map<string, WeakRef<ActorConversation>>();
  readonly #forgotten = new FinalizationRegistry<{ key: string; reference: WeakRef<ActorConversation> }>(
    ({ key, reference }) => {
      if (this.#conversations.get(key) === reference) this.#conversations.delete(key);
    },
  );
  #isClosed = false;

  constructor(
    kernel: Kernel,
    settings: AgentSettings,
    surroundings: Surroundings,
    { store, keptBy }: KeptSessions,
    memory: Memory | undefined,
  ) {
    this.#kernel = kernel;
    this.#settings = settings;
    this.#surroundings = surroundings;
    this.#model = settings.model;
    this.name = settings.name;
    this.workspace = settings.workspace;
    this.store = store;
    this.keptBy = keptBy;
    this.memory = memory;
    this.skills = settings.skills;
    this.tools = settings.tools({ store, memory, scopeOf: ({ key }: ToolContext) => this.#scopeOf(key) });
    this.#upkeep = new Upkeep(kernel, {
      agent: settings.name,
      maxHistoryMessages: settings.maxHistoryMessages,
      maxContextTokens: settings.maxContextTokens,
      request: async (key) => await this.contextOptions(key),
      ask: () => ({
        model: this.#model.name,
        ask: this.#model.canSummarise === false ? undefined : this.#ask(),
      }),
      onProblem: surroundings.onProblem,
    });
    this.#consolidation = new Consolidation(kernel, {
      agent: settings.name,
      memory,
      session: (key) => store.session(key),
      ask: () => (this.#model.canSummarise === false ? undefined : this.#ask()),
      onProblem: surroundings.onProblem,
      settings: settings.consolidation,
    });
  }

  get model(): Model {
    return this.#model;
  }

  useModel(model: Model): void {
    this.#model = model;
  }

  async contextOptions(key: string): Promise<TurnRequest> {
    const { tools, memory } = this;
    const parts = { settings: this.#settings, model: this.#model, tools, memory, scope: this.#scopeOf(key) };
    return await requestOf(parts, this.store.session(key));
  }

  conversation(key: string, { scope }: { scope?: Scope } = {}): Conversation {
    const known = this.#conversations.get(key)?.deref();
    if (known === undefined) return this.#begin(key, scope ?? this.#usualScope(key));
    if (scope !== undefined && !isSameScope(scope, known.scope)) {
      if (known.isOnlyRecovered) {
        void known.close();
        return this.#begin(key, scope);
      }
      const message = `the conversation ${JSON.stringify(key)} is under way with another scope; its memory must not change hands`;
      throw new AgentError("OPTION_INVALID", message, { key, scope, inUse: known.scope });
    }
    return known;
  }

  async catchUpMemory(): Promise<CaughtUp> {
    return await this.#consolidation.catchUp();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const live = [...this.#conversations.values()].map((reference) => reference.deref());
    await Promise.all(live.map(async (conversation) => await conversation?.close()));
    await Promise.all([this.#upkeep.stop(), this.#consolidation.stop()]);
    await this.memory?.close();
    await this.store.close();
  }

  #ask(): AskModel {
    const { maxContextTokens } = this.#settings;
    return askModelOf(this.#model, maxContextTokens === undefined ? {} : { contextTokens: maxContextTokens });
  }

  #scopeOf(key: string): Scope {
    return this.#conversations.get(key)?.deref()?.scope ?? this.#usualScope(key);
  }

  #usualScope(key: string): Scope {
    return this.#settings.scopeOf?.(key) ?? localScope(this.name);
  }

  /** Held weakly: one that nobody holds and that has nothing to do is forgotten; its actor holds one that works. */
  #begin(key: string, scope: Scope): ActorConversation {
    const conversation = new ActorConversation(this.#kernel, this.store.session(key), {
      name: `${this.name}: ${key}`,
      scope,
      turn: () => this.#turnSettings(key, scope),
      afterTurn: (session, ended) => {
        this.#consolidation.turnEnded(key, scope);
        this.#afterTurn(session, ended);
      },
      onLeave: () => this.#consolidation.conversationEnded(key, scope),
    });
    if (this.#isClosed) void conversation.close();
    const reference = new WeakRef(conversation);
    this.#conversations.set(key, reference);
    this.#forgotten.register(conversation, { key, reference });
    return conversation;
  }

  #turnSettings(key: string, scope = this.#scopeOf(key)): TurnSettings {
    const {
      maxContextTokens,
      maxAnswerTokens,
      maxHistoryMessages,
      maxSteps,
      retry,
      toolLimit,
      redact,
      instructions,
    } = this.#settings;
    const { events, approve } = this.#surroundings;
    const { name, workspace, skills, memory } = this;
    let hasBegunToAnswer = false;
    return {
      agent: name,
      model: this.#model,
      tools: this.tools,
      system: async (about) => await systemPrompt({ instructions, workspace, skills, memory, scope }, about),
      events: (event) => {
        if (!hasBegunToAnswer && ANSWERING.has(event.type)) {
          hasBegunToAnswer = true;
          this.#consolidation.answerBegins();
        }
        events(event);
      },
      beforeTurn: async () => await this.#consolidation.turnBegins(key, scope),
      ...(maxContextTokens === undefined ? {} : { maxContextTokens }),
      ...(maxAnswerTokens === undefined ? {} : { maxAnswerTokens }),
      ...(maxHistoryMessages === undefined ? {} : { maxHistoryMessages }),
      ...(maxSteps === undefined ? {} : { maxSteps }),
      ...(retry === undefined ? {} : { retry }),
      ...(toolLimit === undefined ? {} : { toolLimit }),
      ...(redact === undefined ? {} : { redact }),
      ...(approve === undefined ? {} : { approve }),
    };
  }

  #afterTurn(session: Session, { turn, free, done }: EndedTurn): void {
    const { key } = session;
    this.#upkeep.order({
      session,
      free,
      onCompaction: (seq, messages) =>
        this.#surroundings.events({ agent: this.name, key, turn, type: "compaction", seq, messages }),
      done,
    });
  }
}

function isSameScope(one: Scope, other: Scope): boolean {
  return one.user === other.user && one.channel === other.channel && one.agent === other.agent;
}
