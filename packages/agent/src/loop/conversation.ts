/**
 * One session of an agent: its turns run one after another in an actor, which is there as long as there is something to do.
 * What is said meanwhile waits in the actor's mailbox, steers the turn that runs, or cancels it.
 */

import { randomUUID } from "node:crypto";
import type { Session } from "@longhand/store";
import { AgentError } from "../errors.ts";
import { deferred } from "../kernel/deferred.ts";
import { Mailbox } from "../kernel/mailbox.ts";
import type { ActorRef, Kernel } from "../kernel/types.ts";
import { recoverTurn } from "../turn/recover-turn.ts";
import { runTurn } from "../turn/run-turn.ts";
import type { Said, TurnResult, TurnSettings } from "../turn/types.ts";
import type { Refusable } from "./refusable.ts";
import type { Conversation } from "./types.ts";

/** Whoever says more than this while a turn runs waits with the rest. */
const MOST_WAITING = 100;

export interface ConversationSettings {
  readonly name: string;
  /** Asked at the beginning of each turn: the model may have been changed. */
  readonly turn: () => TurnSettings;
  /** After each turn; `done` when what it set off has ended. */
  readonly afterTurn: (session: Session, done: () => void) => void;
}

interface Order extends Refusable {
  readonly said: Said;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (result: TurnResult) => void;
  readonly reject: (error: unknown) => void;
}

interface Current {
  readonly controller: AbortController;
  readonly steering: Mailbox<Said>;
  /** Those who steer, by what they said. */
  readonly steerers: Map<Said, Order>;
  readonly ended: Promise<void>;
}

export class ActorConversation implements Conversation {
  readonly session: Session;
  readonly #kernel: Kernel;
  readonly #settings: ConversationSettings;
  #actor: ActorRef<Order> | undefined;
  #current: Current | undefined;
  #isClosed = false;
  #upkeep: Promise<void> = Promise.resolve();

  constructor(kernel: Kernel, session: Session, settings: ConversationSettings) {
    this.#kernel = kernel;
    this.session = session;
    this.#settings = settings;
  }

  get key(): string {
    return this.session.key;
  }

  get isBusy(): boolean {
    return this.#current !== undefined;
  }

  /** Nothing runs and nothing waits: it can be made anew at any time. */
  get isIdle(): boolean {
    return this.#actor === undefined;
  }

  async say(
    said: Said,
    { whenBusy = "wait", signal }: { whenBusy?: "wait" | "steer" | "cancel"; signal?: AbortSignal } = {},
  ): Promise<TurnResult> {
    if (this.#isClosed) throw closed(this.key);
    const { promise, resolve, reject } = deferred<TurnResult>();
    const order: Order = { said, signal, resolve, reject, refuse: () => reject(closed(this.key)) };
    if (whenBusy === "steer" && this.#steer(order)) return await promise;
    if (whenBusy === "cancel") this.#current?.controller.abort(cancelled());
    await this.#send(order);
    return await promise;
  }

  async cancel(): Promise<boolean> {
    const current = this.#current;
    if (current === undefined) return false;
    current.controller.abort(cancelled());
    await current.ended;
    return true;
  }

  async recover(options?: { wait?: number }): Promise<TurnResult | undefined> {
    if (this.#current !== undefined) return undefined;
    return await recoverTurn(this.session, this.#settings.turn(), options);
  }

  async settled(): Promise<void> {
    await this.#current?.ended;
    await this.#upkeep;
  }

  /** Cancels the turn that runs, waits for its writes, and refuses what waits. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#current?.controller.abort(cancelled());
    await this.#actor?.stop({ now: true });
  }

  #steer(order: Order): boolean {
    const current = this.#current;
    if (current === undefined || current.controller.signal.aborted) return false;
    if (!current.steering.offer(order.said)) return false;
    current.steerers.set(order.said, order);
    return true;
  }

  async #send(order: Order): Promise<void> {
    this.#actor ??= this.#kernel.spawn<Order>(
      { name: `${this.#settings.name} ${randomUUID()}`, mailbox: MOST_WAITING },
      () => ({ receive: async (received) => await this.#turn(received) }),
    );
    await this.#actor.send(order, order.signal);
  }

  /** Never rejects: a turn that fails is an answer. */
  async #turn(order: Order): Promise<void> {
    let next: Order | undefined = order;
    while (next !== undefined) next = await this.#runOne(next);
    this.#leaveIfIdle();
  }

  /** Answers with what steered too late to be considered: it is a turn of its own. */
  async #runOne(order: Order): Promise<Order | undefined> {
    if (order.signal?.aborted === true) {
      order.reject(order.signal.reason);
      return undefined;
    }
    const controller = new AbortController();
    const abort = (): void => controller.abort(cancelled());
    order.signal?.addEventListener("abort", abort, { once: true });
    if (this.#isClosed) abort();
    const ended = deferred<undefined>();
    const current: Current = {
      controller,
      steering: new Mailbox<Said>(MOST_WAITING),
      steerers: new Map(),
      ended: ended.promise,
    };
    this.#current = current;
    const answer = await this.#attempt(order.said, current);
    this.#current = undefined;
    order.signal?.removeEventListener("abort", abort);
    const late = current.steering.close().map((said) => current.steerers.get(said));
    for (const steerer of current.steerers.values()) if (!late.includes(steerer)) answer(steerer);
    answer(order);
    this.#afterTurn();
    ended.resolve(undefined);
    const [first, ...rest] = late.filter((steerer) => steerer !== undefined);
    for (const steerer of rest) this.#send(steerer).catch(steerer.reject);
    return first;
  }

  async #attempt(said: Said, { controller, steering }: Current): Promise<(order: Order) => void> {
    try {
      const running = { id: randomUUID(), signal: controller.signal, steering };
      const result = await runTurn(this.session, said, running, this.#settings.turn());
      return ({ resolve }) => resolve(result);
    } catch (error) {
      return ({ reject }) => reject(error);
    }
  }

  #afterTurn(): void {
    if (this.#isClosed) return;
    const done = deferred<undefined>();
    this.#upkeep = Promise.all([this.#upkeep, done.promise]).then(() => undefined);
    this.#settings.afterTurn(this.session, () => done.resolve(undefined));
  }

  /** An actor that waits for nothing costs memory for nothing: the next word begins another. */
  #leaveIfIdle(): void {
    const actor = this.#actor;
    if (actor === undefined || actor.waiting > 0) return;
    this.#actor = undefined;
    // Not awaited: it waits for the message in hand, which is this one.
    void actor.stop();
  }
}

const cancelled = (): AgentError => new AgentError("CANCELLED", "the turn was cancelled");

const closed = (key: string): AgentError =>
  new AgentError("LOOP_CLOSED", `the agent is closing; nothing was kept of what was said to ${key}`, { key });
