/** The kernel's face: actors with bounded mailboxes under supervision. It knows nothing of agents. docs/kernel.md */

/** Handles one message at a time; the next waits until this one is done. Throwing or rejecting is a crash: the actor is made anew. */
export interface Actor<M> {
  receive(message: M): Promise<void> | void;
  /**
   * Called once when it is to end, after the message in hand or after that was abandoned; also before it is made anew after a
   * crash, for which it has 10 seconds.
   */
  stop?(): Promise<void> | void;
}

/** Makes an actor out of what is durable: called at the start and after each crash. */
export type ActorFactory<M> = (self: ActorSelf<M>) => Promise<Actor<M>> | Actor<M>;

export interface ActorSelf<M> {
  readonly name: string;
  /**
   * Aborts when the actor is to stop at once: its time to stop is over (what it does is abandoned a second later), a message has
   * taken too long, or it has crashed and another takes its place.
   */
  readonly signal: AbortSignal;
  /** To itself, without waiting. `false`: the mailbox is full. */
  offer(message: M): boolean;
}

export interface SpawnOptions {
  /** Of the kernel: two actors that run never share one. */
  readonly name: string;
  /** How many messages may wait. @default 1000 */
  readonly mailbox?: number;
  /** Milliseconds that one message may take; then it is a crash. @default no limit */
  readonly messageLimit?: number;
  readonly supervision?: Supervision;
}

export interface Supervision {
  /** At the crash with this number within `within` milliseconds the actor is "failed": 1 is never made anew, 5 up to four times. @default 5 */
  readonly mostCrashes?: number;
  /** @default 60000 */
  readonly within?: number;
  /** Milliseconds before the first restart; doubled for each one after it, up to `longestPause`; by chance up to half less. @default 100 */
  readonly firstPause?: number;
  /** @default 10000 */
  readonly longestPause?: number;
}

export type ActorState = "starting" | "running" | "restarting" | "failed" | "stopping" | "stopped";

export interface ActorRef<M> {
  readonly name: string;
  readonly state: ActorState;
  /** How many messages wait. */
  readonly waiting: number;
  /** Resolves once the message is in the mailbox: whoever floods waits. Rejects with ACTOR_STOPPED or ACTOR_FAILED, or the signal's reason. */
  send(message: M, signal?: AbortSignal): Promise<void>;
  /** Without waiting. `false`: the mailbox is full or the actor has ended. */
  offer(message: M): boolean;
  /**
   * Sends what `question` makes of a way to answer, and waits for the answer. NO_ANSWER after `deadline` milliseconds;
   * ACTOR_FAILED if the actor crashed over it, with what it threw as cause.
   */
  ask<A>(question: (answer: Answer<A>) => M, deadline: number, signal?: AbortSignal): Promise<A>;
  /**
   * No more messages; those that wait are handled or, with `now`, reported as undeliverable. Resolves when it has ended. After
   * `within` milliseconds it ends whatever it does; without it, never before it has finished. An actor must not wait for its own.
   */
  stop(options?: { now?: boolean; within?: number }): Promise<void>;
}

export interface Answer<A> {
  (answer: A): void;
  /** The asker's promise rejects with this. */
  fail(error: unknown): void;
}

export type KernelEvent =
  | { readonly type: "crashed"; readonly actor: string; readonly error: unknown; readonly restartIn: number }
  /** Given up: too many crashes, or one while it was stopping, after which nothing was left to do. */
  | { readonly type: "failed"; readonly actor: string; readonly error: unknown; readonly crashes: number }
  /** It was accepted, but the actor ended before its turn came, or crashed over it. Told once for each. */
  | {
      readonly type: "undeliverable";
      readonly actor: string;
      readonly message: unknown;
      readonly reason: string;
    };

export interface Kernel extends AsyncDisposable {
  spawn<M>(options: SpawnOptions, factory: ActorFactory<M>): ActorRef<M>;
  /** By name; `undefined`: none runs. The caller knows what it spawned under that name. */
  find(name: string): ActorRef<never> | undefined;
  /** Names of those that have not ended. */
  actors(): readonly string[];
  /** Starts services one after another in the order given; if one cannot start, those before it are stopped, newest first. */
  startServices(services: readonly Service[]): Promise<void>;
  /**
   * Stops the services newest first, then every actor, and waits, `within` milliseconds for all of it (@default 10000); what has
   * not ended then is told to stop at once and abandoned seconds later. Rejects, when all is over, with what services failed with.
   * Idempotent.
   */
  close(options?: { within?: number }): Promise<void>;
}

export interface Service {
  readonly name: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}
