/**
 * One session of an agent: its turns run one after another in an actor, which is there as long as there is something to do.
 * What is said meanwhile waits in the actor's mailbox, steers the turn that runs, or cancels it. Every order is settled exactly
 * once: by its turn, by a refusal, or by the signal of whoever gave it.
 */

import { randomUUID } from "node:crypto";
import type { Session } from "@longhand/store";
import type { Scope } from "@longhand/store/memory";
import { AgentError } from "../errors.ts";
import { deferred } from "../kernel/deferred.ts";
import { Mailbox } from "../kernel/mailbox.ts";
import type { ActorRef, Kernel } from "../kernel/types.ts";
import { recoverTurn } from "../turn/recover-turn.ts";
import { runTurn } from "../turn/run-turn.ts";
import type { RunningTurn, Said, TurnResult, TurnSettings } from "../turn/types.ts";
import { Order } from "./order.ts";
import type { Conversation, SayOptions } from "./types.ts";

/** Whoever says more than this while a turn runs waits with the rest. */
const MOST_WAITING = 100;

export interface ConversationSettings {
  readonly name: string;
  /** Whose memory it reads and adds to. */
  readonly scope: Scope;
  /** Asked at the beginning of each turn: the model may have been changed. */
  readonly turn: () => TurnSettings;
  /** After each turn. */
  readonly afterTurn: (session: Session, ended: EndedTurn) => void;
  readonly onLeave: () => void;
}

export interface EndedTurn {
  readonly turn: string;
  /** Tokens that the next request has left. `undefined`: not known. */
  readonly free: number | undefined;
  /** To be called when what the turn has set off has ended. */
  readonly done: () => void;
}

interface Current {
  readonly order: Order;
  readonly steering: Mailbox<Order>;
  /** Those that the turn has considered. */
  readonly considered: Set<Order>;
}

interface Attempt {
  readonly settle: (order: Order) => void;
  readonly hasFailed: boolean;
  readonly free?: number | undefined;
}

export class ActorConversation implements Conversation {
  readonly session: Session;
  readonly scope: Scope;
  readonly #kernel: Kernel;
  readonly #settings: ConversationSettings;
  /** Accepted and not settled yet, oldest first. */
  readonly #orders = new Set<Order>();
  #actor: ActorRef<Order> | undefined;
  #current: Current | undefined;
  #isClosed = false;
  #hasSpoken = false;
  #hasRecovered = false;
  #upkeep: Promise<void> = Promise.resolve();

  constructor(kernel: Kernel, session: Session, settings: ConversationSettings) {
    this.#kernel = kernel;
    this.session = session;
    this.scope = settings.scope;
    this.#settings = settings;
  }

  get key(): string {
    return this.session.key;
  }

  /** Held only to close a turn that a crash had left open: its scope was of no consequence. */
  get isOnlyRecovered(): boolean {
    return this.#hasRecovered && !this.#hasSpoken;
  }

  get isBusy(): boolean {
    return this.#orders.size > 0;
  }

  async say(said: Said, { whenBusy = "wait", signal }: SayOptions = {}): Promise<TurnResult> {
    if (this.#isClosed) throw this.#closed();
    this.#hasSpoken = true;
    const order = new Order(said, () => this.#closed());
    order.follow(signal);
    this.#orders.add(order);
    if (whenBusy === "cancel") this.#current?.order.abort(cancelled());
    const isSteering = whenBusy === "steer" && this.#steer(order);
    if (!isSteering) this.#send(order).catch((error: unknown) => order.reject(error));
    try {
      return await order.result;
    } finally {
      this.#orders.delete(order);
    }
  }

  async cancel(): Promise<boolean> {
    const [oldest] = this.#orders;
    const order = this.#current?.order ?? oldest;
    if (order === undefined) return false;
    order.abort(cancelled());
    await order.result.catch(() => undefined);
    return true;
  }

  async recover(options: { wait?: number } = {}): Promise<TurnResult | undefined> {
    if (this.#isClosed) throw this.#closed();
    this.#hasRecovered = true;
    return this.isBusy ? undefined : await recoverTurn(this.session, this.#settings.turn(), options);
  }

  leave(): void {
    this.#settings.onLeave();
  }

  async settled(): Promise<void> {
    await Promise.allSettled([...this.#orders].map(async ({ result }) => await result));
    await this.#upkeep;
  }

  /** Cancels the turn that runs, waits for its writes, and refuses what waits. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const order of this.#orders) if (order !== this.#current?.order) order.refuse();
    this.#current?.order.abort(cancelled());
    await this.#actor?.stop({ now: true });
  }

  #steer(order: Order): boolean {
    const current = this.#current;
    return current !== undefined && !current.order.signal.aborted && current.steering.offer(order);
  }

  async #send(order: Order): Promise<void> {
    this.#actor ??= this.#kernel.spawn<Order>(
      { name: `${this.#settings.name} ${randomUUID()}`, mailbox: MOST_WAITING },
      () => ({
        receive: async (received) => {
          await this.#work(received);
          this.#leaveIfIdle();
        },
      }),
    );
    await this.#actor.send(order, order.signal);
  }

  /** Never rejects: a turn that fails is an answer. What steered too late has turns of its own, before anything that came later. */
  async #work(order: Order): Promise<void> {
    for (const late of await this.#turn(order)) await this.#work(late);
  }

  /** Answers with what steered too late to be considered. */
  async #turn(order: Order): Promise<readonly Order[]> {
    // Withdrawn while it waited.
    if (order.isSettled) return [];
    const current: Current = { order, steering: new Mailbox<Order>(MOST_WAITING), considered: new Set() };
    this.#current = current;
    order.begin();
    const turn = randomUUID();
    const { settle, hasFailed, free } = await this.#attempt(turn, current);
    this.#current = undefined;
    const late = current.steering.close().filter(({ isSettled }) => !isSettled);
    for (const one of [order, ...current.considered]) settle(one);
    // A model that has just failed is not asked for summaries and facts.
    if (!hasFailed) this.#afterTurn(turn, free);
    return late;
  }

  async #attempt(turn: string, current: Current): Promise<Attempt> {
    try {
      let free: number | undefined;
      const running = { ...runningTurn(turn, current), onFree: (tokens: number) => void (free = tokens) };
      const result = await runTurn(this.session, current.order.said, running, this.#settings.turn());
      return { settle: (order) => order.resolve(result), hasFailed: result.outcome === "failed", free };
    } catch (error) {
      return { settle: (order) => order.reject(error), hasFailed: true };
    }
  }

  #afterTurn(turn: string, free: number | undefined): void {
    if (this.#isClosed) return;
    const done = deferred<undefined>();
    this.#upkeep = Promise.all([this.#upkeep, done.promise]).then(() => undefined);
    this.#settings.afterTurn(this.session, { turn, free, done: () => done.resolve(undefined) });
  }

  /** An actor that waits for nothing costs memory for nothing: the next word begins another. */
  #leaveIfIdle(): void {
    const actor = this.#actor;
    if (actor === undefined || actor.waiting > 0) return;
    this.#actor = undefined;
    // Not awaited: it waits for the message in hand, which is this one.
    void actor.stop();
  }

  #closed(): AgentError {
    const { key } = this;
    const message = `the agent is closing; nothing was kept of what was said to ${key}`;
    return new AgentError("LOOP_CLOSED", message, { key });
  }
}

/** As the turn sees it: what was withdrawn meanwhile is passed over. */
function runningTurn(id: string, { order, steering, considered }: Current): RunningTurn {
  const orders = new Map<Said, Order>();
  return {
    id,
    signal: order.signal,
    steering: {
      get size() {
        return steering.size;
      },
      tryTake: () => {
        for (let next = steering.tryTake(); next !== undefined; next = steering.tryTake()) {
          if (next.isSettled) continue;
          next.begin();
          considered.add(next);
          // A copy of its own: the same words may be said twice.
          const said = { ...next.said };
          orders.set(said, next);
          return said;
        }
        return undefined;
      },
    },
    refused: (said, error) => orders.get(said)?.reject(error),
  };
}

const cancelled = (): AgentError => new AgentError("CANCELLED", "the turn was cancelled");
