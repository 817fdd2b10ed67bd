/**
 * Agents behind lines: one JSON line in for each thing that somebody says, in whatever channel and chat; everything that happens
 * out, as JSON lines that say whose it is: the events, a "done" for each line that was answered, an "error" for each that was
 * not. Lines of different conversations run at the same time, those of one in order.
 */

import { AgentError } from "../errors.ts";
import type { AgentEvent, EventSink } from "../events.ts";
import { abortReason } from "../kernel/abort-reason.ts";
import { createKernel } from "../kernel/create-kernel.ts";
import { FlushTimer } from "../kernel/flush-timer.ts";
import type { AgentInstance, Conversation } from "../loop/types.ts";
import { eachUntilAborted } from "../kernel/each-until-aborted.ts";
import { openTurnOf } from "../turn/turn-log.ts";
import { ChannelActors } from "./channel-actors.ts";
import { LineOutput } from "./line-output.ts";
import { parseLine, type LineIn } from "./parse-line.ts";
import { placeOfKey, scopeOfPlace, type ChatPlace } from "./session-key.ts";
import { Slots } from "./slots.ts";
import type { UnusableLine } from "./split-lines.ts";

export interface ServeOptions {
  /** A line may name one of them; otherwise it is for the first. */
  readonly agents: readonly [AgentInstance, ...AgentInstance[]];
  /** Tells the sink what happens in the agents, until the function it answers with is called. */
  readonly listen: (sink: EventSink) => () => void;
  /** Whole lines without their ends, as splitLines makes them. Not read any further than there is room for turns. */
  readonly lines: AsyncIterable<string | UnusableLine>;
  /** Without the line's end. Waited for before the next one. */
  readonly write: (line: string) => void | Promise<void>;
  /** No more lines are read then; turns in hand are cancelled and waited for. */
  readonly signal: AbortSignal;
  /** Turns in hand at the same time; reading waits. @default 64 */
  readonly mostTurns?: number;
}

/** Milliseconds. Whoever holds a session for a single write gives it up within that. */
/** Lines of one conversation that may wait; fewer than its mailbox takes. */
const MOST_LINES_OF_ONE = 90;
/** Milliseconds, once the program is to end. */
const LONGEST_LAST_WRITE = 2000;
const LONGEST_RECOVERY_WAIT = 1000;

/**
 * First closes the turns that a crash has left open, then reads. Resolves when the lines have ended, all turns are over and
 * everything is written. A bad line is answered with an error line and changes nothing. Rejects if lines cannot be read or
 * written; what is in hand is over then too.
 */
export async function serveLines(options: ServeOptions): Promise<void> {
  const server = new LineServer(options);
  await server.run();
}

class LineServer {
  readonly #options: ServeOptions;
  readonly #ending = new AbortController();
  /** Of the turns in hand. One for each: a single signal that all of them listen to would warn of a leak. */
  readonly #turns = new Set<AbortController>();
  readonly #output: LineOutput;
  /** Whoever ends the program does not wait for a reader that has stopped reading; what was only to be told is kept. */
  readonly #lastWrite = new FlushTimer(LONGEST_LAST_WRITE, () => this.#output.abandon());
  readonly #slots: Slots;
  /** Lines of each conversation that are not answered yet. */
  readonly #inHand = new Map<string, number>();
  #lineNumber = 0;

  constructor(options: ServeOptions) {
    this.#options = options;
    this.#output = new LineOutput(options.write, (error) => {
      this.#end(error);
    });
    this.#slots = new Slots(options.mostTurns ?? 64);
  }

  async run(): Promise<void> {
    const { signal, listen, lines } = this.#options;
    const onAbort = (): void => {
      this.#end(
        new AgentError("LOOP_CLOSED", "the program ends; nothing was kept of this line: send it again"),
      );
    };
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    const leave = listen((event) => {
      this.#tell(event);
    });
    await using kernel = createKernel({
      onEvent: ({ type, actor }) =>
        void this.#output.line({ type: "error", code: "ACTOR_FAILED", message: `${actor}: ${type}` }),
    });
    const channels = new ChannelActors(kernel);
    try {
      await this.#hydrate(channels);
      for await (const line of eachUntilAborted(lines, this.#ending.signal)) await this.#take(line, channels);
    } catch (error) {
      if (!this.#ending.signal.aborted) throw error;
    } finally {
      await this.#slots.allFree();
      leave();
      signal.removeEventListener("abort", onAbort);
      this.#lastWrite.cancel();
      await this.#output.close();
    }
  }

  #end(why: unknown): void {
    this.#ending.abort(why);
    this.#lastWrite.arm();
    for (const turn of this.#turns) turn.abort(why);
  }

  /**
   * Nobody's turn stays open until they happen to speak again. A look at each session without a lock; only one with an open turn
   * is worked on. Where somebody else works on it that is no crash, and nothing to wait for.
   */
  async #hydrate(channels: ChannelActors): Promise<void> {
    for (const agent of this.#options.agents) {
      for await (const { key } of agent.store.list({ status: "active" })) {
        if (this.#ending.signal.aborted) return;
        const place = placeOfKey(key);
        if (place === undefined) continue;
        await this.#give(channels, agent, key, place, {}, async () => {
          if ((await openTurnOf(agent.store.session(key))) === undefined) return;
          await conversationOf(agent, key, place).recover({ wait: LONGEST_RECOVERY_WAIT });
        });
      }
    }
    await this.#slots.allFree();
  }

  async #take(text: string | UnusableLine, channels: ChannelActors): Promise<void> {
    this.#lineNumber += 1;
    const line = this.#lineNumber;
    if (typeof text === "string" && text.trim() === "") return;
    let parsed: LineIn;
    let agent: AgentInstance;
    try {
      if (typeof text !== "string") throw new Error(text.unusable);
      parsed = parseLine(text);
      agent = this.#agentOf(parsed.agent);
    } catch (error) {
      await this.#output.line({ type: "error", line, ...toldOf(error, "LINE_INVALID") });
      return;
    }
    const { key, place, said, whenBusy } = parsed;
    const about = { line, ...(said.id === undefined ? {} : { id: said.id }) };
    await this.#give(channels, agent, key, place, about, async () => {
      const turn = new AbortController();
      this.#turns.add(turn);
      try {
        if (this.#ending.signal.aborted) throw abortReason(this.#ending.signal);
        const result = await conversationOf(agent, key, place).say(said, { whenBusy, signal: turn.signal });
        await this.#output.line({ type: "done", ...about, ...place, agent: agent.name, key, ...result });
      } finally {
        this.#turns.delete(turn);
      }
    });
  }

  /**
   * Begins it once there is room for one more conversation. What goes wrong becomes a line that says whose it was. Somebody who
   * sends faster than they are answered takes nobody else's room, and in the end is refused.
   */
  async #give(
    channels: ChannelActors,
    agent: AgentInstance,
    key: string,
    place: ChatPlace,
    about: object,
    work: () => Promise<void>,
  ): Promise<void> {
    const conversation = JSON.stringify([agent.name, key]);
    const inHand = this.#inHand.get(conversation) ?? 0;
    if (inHand >= MOST_LINES_OF_ONE) {
      const message = `${inHand} lines of this conversation wait already; nothing was kept of this one: send it again later`;
      await this.#output.line({ type: "error", ...about, ...place, code: "TOO_MANY_WAITING", message });
      return;
    }
    if (inHand === 0) await this.#slots.take();
    this.#inHand.set(conversation, (this.#inHand.get(conversation) ?? 0) + 1);
    const run = async (): Promise<void> => {
      await work().catch((error: unknown) =>
        this.#output.line({ type: "error", ...about, ...place, ...toldOf(error, "SAY_FAILED") }),
      );
    };
    await channels.give({ channel: place.channel, run }, () => this.#isOver(conversation));
  }

  #isOver(conversation: string): void {
    const left = (this.#inHand.get(conversation) ?? 1) - 1;
    if (left > 0) {
      this.#inHand.set(conversation, left);
      return;
    }
    this.#inHand.delete(conversation);
    this.#slots.free();
  }

  #agentOf(name: string | undefined): AgentInstance {
    const { agents } = this.#options;
    const agent = name === undefined ? agents[0] : agents.find((one) => one.name === name);
    if (agent !== undefined) return agent;
    const names = agents.map((one) => one.name).join(", ");
    throw new AgentError("AGENT_UNKNOWN", `there is no agent ${JSON.stringify(name)}; there are: ${names}`);
  }

  /** Events of sessions that are no channel's (somebody chats beside it) are not told here. */
  #tell(event: AgentEvent): void {
    const place = placeOfKey(event.key);
    if (place === undefined || !this.#options.agents.some(({ name }) => name === event.agent)) return;
    void this.#output.line({ ...event, ...place });
  }
}

/** What is remembered of a sender stays with that sender in that channel; what was said in a group, in that group. */
function conversationOf(agent: AgentInstance, key: string, place: ChatPlace): Conversation {
  return agent.conversation(key, { scope: scopeOfPlace(agent.name, place) });
}

function toldOf(error: unknown, otherwise: string): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: otherwise, message: String(error) };
  const code = "code" in error && typeof error.code === "string" ? error.code : otherwise;
  return { code, message: error.message };
}
