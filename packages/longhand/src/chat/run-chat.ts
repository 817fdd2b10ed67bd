/**
 * A chat on a terminal. The keys go to the input line, what the agent does comes above it, and both at the same time. It ends
 * when somebody leaves, when the terminal is gone, or when the signal aborts; the turn that runs is cancelled first, and its
 * writes waited for. The loop is the caller's, and the caller's to close.
 */

import { AgentError, type AgentEvent, type Conversation } from "@longhand/agent";
import { onOneLine } from "../terminal/escape-controls.ts";
import { EXIT } from "../terminal/exit-codes.ts";
import type { Output } from "../terminal/output.ts";
import { drawBottom } from "./bottom-area.ts";
import type { ChatCommand, ChatSurroundings, CommandWorld } from "./chat-command.ts";
import type { ChatLink } from "./chat-link.ts";
import type { ChatTerminal } from "./chat-terminal.ts";
import { ChatInput } from "./chat-input.ts";
import { ChatNotes, PROMPT } from "./chat-notes.ts";
import { continueLine } from "./continue-line.ts";
import { ALL_COMMANDS } from "./commands/all-commands.ts";
import { EditorLayout } from "./editor-layout.ts";
import { greetingLines } from "./greeting.ts";
import { measureUsage } from "./measure-usage.ts";
import { completeCommand, parseCommand } from "./parse-command.ts";
import { questionLines, questionPrompt } from "./question-lines.ts";
import { Questions } from "./questions.ts";
import { Screen, type BottomArea } from "./screen.ts";
import { screenOutput } from "./screen-output.ts";
import { showConversation } from "./show-conversation.ts";
import { Speech } from "./speech.ts";
import type { Status } from "./status-line.ts";
import { TurnClock } from "./turn-clock.ts";
import { TurnView } from "./turn-view.ts";
import { untilAborted } from "./until-aborted.ts";
import { type WaitingId, WaitingWords } from "./waiting-words.ts";
import { WorkLine } from "./work-line.ts";

export interface ChatOptions extends ChatSurroundings {
  /** Of the session that the chat begins in. */
  readonly key: string;
  /** Printed after the greeting, not broken into lines. */
  readonly opening?: readonly string[];
  readonly terminal: ChatTerminal;
  /** The one whose functions the loop was given. */
  readonly link: ChatLink;
  /** What was typed, for the next time. `undefined`: it is not kept. */
  readonly historyFile: string | undefined;
  /** For messages that wait, so that a kill does not lose them. `undefined`: they are not kept. */
  readonly waitingDirectory: string | undefined;
  /** SIGTERM. */
  readonly signal?: AbortSignal;
}

/** Resolves with the exit code. */
export async function runChat(options: ChatOptions): Promise<number> {
  return await new Chat(options).run();
}

const SECOND = 1000;

class Chat {
  readonly #options: ChatOptions;
  readonly #terminal: ChatTerminal;
  readonly #screen: Screen;
  readonly #output: Output;
  readonly #notes: ChatNotes;
  readonly #view: TurnView;
  readonly #clock: TurnClock;
  readonly #input: ChatInput;
  readonly #layout = new EditorLayout();
  readonly #questions: Questions;
  readonly #work: WorkLine;
  readonly #speech: Speech;
  readonly #words: WaitingWords;
  /** Those that are being sent. */
  #sending: WaitingId;
  /** Commands that run beside a turn. */
  readonly #beside = new Set<Promise<void>>();
  #conversation: Conversation;
  #usage: Status["usage"];
  #leave: () => void = () => undefined;
  /** Somebody wants to leave and will not wait. */
  #hurry: () => void = () => undefined;
  #isLeaving = false;

  constructor(options: ChatOptions) {
    this.#options = options;
    this.#terminal = options.terminal;
    const style = { colors: options.terminal.colors, width: () => options.terminal.width };
    const changed = (): void => this.#screen.changed();
    this.#screen = new Screen(options.terminal, (width, height) => this.#draw(width, height));
    this.#output = screenOutput(this.#screen, options.terminal);
    this.#notes = new ChatNotes(this.#screen, options.terminal, options.toPaste);
    this.#view = new TurnView(style, { isDrawn: true, hasCommands: true });
    this.#clock = new TurnClock(() => options.terminal.now());
    this.#questions = new Questions({
      changed,
      asked: (question) => this.#screen.print(questionLines(question, style)),
    });
    this.#work = new WorkLine(changed);
    this.#speech = new Speech({
      conversation: () => this.#conversation,
      notes: this.#notes,
      putBack: (text) => {
        this.#words.offer(this.#sending);
        this.#sending = undefined;
        this.#input.putBack([text]);
      },
    });
    this.#words = new WaitingWords(options.waitingDirectory, (problem) =>
      this.#notes.print(`· ${problem}`, "yellow"),
    );
    this.#conversation = options.agent.conversation(options.key);
    this.#input = new ChatInput(options.historyFile, {
      changed,
      problem: (problem) => this.#notes.print(`· ${problem}`, "yellow"),
      isAsked: () => this.#questions.current !== undefined,
      answered: (isYes) => this.#questions.answer(isYes),
      submitted: (text) => this.#submit(text),
      interrupted: () => this.#interrupt(),
      left: () => this.#leave(),
      completed: (text) => this.#complete(text),
      redrawn: () => this.#screen.clear(),
      suspended: () => this.#aside(this.#suspend()),
    });
  }

  async run(): Promise<number> {
    const { agent, key, opening = [], link, signal, toPaste, whyOffline } = this.#options;
    const left = new Promise<void>((resolve) => (this.#leave = resolve));
    const leave = (): void => this.#leave();
    signal?.addEventListener("abort", leave, { once: true });
    if (signal?.aborted === true) leave();
    const closeTerminal = this.#terminal.open({
      bytes: (chunk) => this.#input.take(chunk),
      resized: () => this.#screen.changed(),
      ended: leave,
    });
    const ticking = setInterval(() => this.#work.isBusy && this.#screen.changed(), SECOND);
    const unlink = link.join({
      event: (event) => this.#show(event),
      problem: ({ message }) => this.#notes.print(`· ${message}`, "yellow"),
      approve: async (question, aborted) => await this.#questions.ask(question, aborted),
    });
    try {
      const { width, colors } = this.#terminal;
      this.#screen.print(greetingLines(agent, key, width, colors, toPaste, whyOffline));
      if (opening.length > 0) this.#screen.print([...opening, ""]);
      await this.#input.begin();
      this.#work.add({
        text: "",
        waitingId: undefined,
        run: async (begun) => await this.#notes.guard(async () => await this.#switchTo(key, begun)),
      });
      await left;
      await this.#close();
    } finally {
      clearInterval(ticking);
      unlink();
      signal?.removeEventListener("abort", leave);
      this.#input.stop();
      this.#screen.close();
      closeTerminal();
    }
    await this.#input.close();
    return EXIT.ok;
  }

  async #close(): Promise<void> {
    this.#isLeaving = true;
    const unsent = this.#work.takeBack();
    const hurried = new Promise<void>((resolve) => (this.#hurry = resolve));
    this.#questions.refuseAll();
    this.#work.cancel(cancelled());
    this.#screen.changed();
    await Promise.race([hurried, Promise.all([this.#work.idle(), ...this.#beside])]);
    // What was offered and is not in the line any more was deleted.
    if (this.#input.isEmpty) this.#words.removeOffered();
    const kept = this.#words.areKept ? ", kept for the next time" : "";
    for (const { text } of unsent) this.#notes.print(`· not sent${kept}: ${onOneLine(text)}`, "yellow");
    await this.#notes.guard(async () => {
      const line = await continueLine(this.#conversation, this.#options);
      // A command to paste is not broken into lines.
      if (line !== undefined) this.#screen.print([this.#terminal.colors.dim(line)]);
    });
  }

  #submit(text: string): void {
    // What was offered is in what was sent, and that is kept by now.
    if (!this.#isLeaving && this.#accept(text)) this.#words.removeOffered();
  }

  /** `false`: it stays in the line. */
  #accept(text: string): boolean {
    const parsed = parseCommand(text, ALL_COMMANDS);
    switch (parsed.kind) {
      case "unusable":
        this.#notes.print(parsed.hint, "yellow");
        this.#input.putBack([text]);
        return false;
      case "command": {
        const { command, argument } = parsed;
        const run = async (signal: AbortSignal): Promise<void> => {
          this.#notes.echo(text);
          await this.#notes.guard(async () => await this.#run(command, argument, signal));
          this.#screen.print([""]);
        };
        if (!command.waits) this.#aside(run(new AbortController().signal));
        else
          this.#begin(text, async (signal, waitingId) => {
            this.#words.remove(waitingId);
            await run(signal);
          });
        return true;
      }
      case "message":
        this.#begin(text, async (signal, waitingId) => await this.#say(text, signal, waitingId));
        return true;
    }
  }

  #begin(text: string, run: (signal: AbortSignal, waitingId: WaitingId) => Promise<void>): void {
    const waitingId = this.#words.add(this.#storeName, this.#conversation.key, text);
    this.#work.add({
      text,
      waitingId,
      run: async (signal) => {
        this.#clock.begin();
        await run(signal, waitingId);
        await this.#measure();
      },
    });
  }

  async #say(text: string, signal: AbortSignal, waitingId: WaitingId): Promise<void> {
    this.#sending = waitingId;
    // What is wrong with the session is told when the words are said.
    const state = await this.#conversation.session.state().catch(() => undefined);
    this.#words.begin(waitingId, state?.seq ?? 0);
    await this.#speech.say(text, signal);
    this.#wereSent();
    this.#screen.print([""]);
  }

  async #run(command: ChatCommand, argument: string, signal: AbortSignal): Promise<void> {
    const world: CommandWorld = {
      ...this.#options,
      commands: ALL_COMMANDS,
      conversation: this.#conversation,
      output: this.#output,
      signal,
      switchTo: async (key, switching) => await this.#switchTo(key, signal, switching?.isQuiet),
      sayNow: (text) => {
        if (this.#speech.steer(text)) return;
        this.#begin(text, async (begun, waitingId) => await this.#say(text, begun, waitingId));
      },
      leave: () => this.#leave(),
    };
    await command.run(argument, world);
  }

  async #switchTo(key: string, signal: AbortSignal, isQuiet = false): Promise<void> {
    if (key !== this.#conversation.key) this.#conversation.leave();
    this.#conversation = this.#options.agent.conversation(key);
    // Another process may be in the middle of a turn there, for as long as that takes.
    await untilAborted(this.#conversation.recover(), signal);
    if (!isQuiet) await showConversation(this.#conversation, this.#output, this.#options.toPaste);
    await this.#offerWaiting();
    await this.#measure();
  }

  /** Messages that another chat was killed with before they were sent. */
  async #offerWaiting(): Promise<void> {
    const texts = await this.#words.claim(this.#storeName, this.#conversation.session);
    if (texts.length === 0) return;
    this.#notes.print("· These words were waiting and were not sent:", "yellow");
    for (const text of texts) this.#notes.print(`  ${onOneLine(text)}`, "yellow");
    this.#notes.print("· They are in the line again: Enter sends them, Ctrl-C deletes them.", "yellow");
    this.#screen.print([""]);
    this.#input.putBack(texts);
  }

  /** They are durable in the session. */
  #wereSent(): void {
    this.#words.remove(this.#sending);
    this.#sending = undefined;
  }

  get #storeName(): string {
    return this.#options.agent.store.directory ?? "";
  }

  /** That it cannot be told how full the window is is no reason to end a chat. */
  async #measure(): Promise<void> {
    const { session } = this.#conversation;
    await this.#notes.guard(async () => void (this.#usage = await measureUsage(session, this.#options)));
    this.#screen.changed();
  }

  #interrupt(): void {
    if (this.#isLeaving) this.#hurry();
    else if (this.#work.isCancelling) this.#notes.print("· still cancelling; Ctrl-D leaves", "dim");
    else if (this.#work.isBusy) {
      const waiting = this.#work.takeBack();
      for (const { waitingId } of waiting) this.#words.offer(waitingId);
      this.#input.putBack(waiting.map(({ text }) => text));
      this.#questions.refuseAll();
      this.#work.cancel(cancelled());
    } else if (this.#input.clear()) this.#words.removeOffered();
    else this.#notes.print("· to leave: /quit or Ctrl-D", "dim");
  }

  #complete(text: string): string {
    const { text: completed, choices } = completeCommand(text, ALL_COMMANDS);
    if (completed === text && choices.length > 1) this.#notes.print(choices.join("  "), "dim");
    return completed;
  }

  async #suspend(): Promise<void> {
    this.#screen.putAside();
    await this.#terminal.suspend();
    this.#screen.changed();
  }

  #show(event: AgentEvent): void {
    if (event.agent !== this.#options.agent.name || event.key !== this.#conversation.key) return;
    if (event.type === "turn-start") this.#wereSent();
    this.#clock.retryIn(event.type === "error" ? event.retryIn : undefined);
    this.#screen.print(this.#view.take(event));
  }

  /** For work that nobody waits for before the end, and that does not reject. */
  #aside(work: Promise<void>): void {
    this.#beside.add(work);
    void work.finally(() => this.#beside.delete(work));
  }

  #draw(width: number, height: number): BottomArea {
    const { colors } = this.#terminal;
    const { agent } = this.#options;
    const question = this.#questions.current;
    return drawBottom(
      {
        live: this.#view.live(),
        waiting: this.#work.waiting,
        status: {
          doing: this.#doing(),
          usage: this.#usage,
          model: agent.model.name,
          key: this.#conversation.key,
        },
        prompt: question === undefined ? PROMPT : questionPrompt(question, width),
        editor: this.#input.shown,
        layout: this.#layout,
      },
      width,
      height,
      colors,
    );
  }

  #doing(): string {
    if (this.#isLeaving) return "leaving";
    if (this.#work.isCancelling) return "cancelling";
    return this.#work.isBusy ? this.#clock.describe() : "";
  }
}

const cancelled = (): AgentError => new AgentError("CANCELLED", "cancelled");
