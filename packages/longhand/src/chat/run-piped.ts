/**
 * A chat in plain lines: over a pipe, or on a terminal that cannot draw (TERM=dumb). Each line is a message, or a command; a line
 * that is answered by a failure ends a pipe, since what follows was written for an answer that is not there.
 */

import { AgentError, type ApprovalQuestion, type Conversation, type UnusableLine } from "@longhand/agent";
import { CommandError } from "../command-error.ts";
import { EXIT } from "../terminal/exit-codes.ts";
import type { Output } from "../terminal/output.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import type { ChatSurroundings } from "./chat-command.ts";
import type { ChatLink } from "./chat-link.ts";
import { continueLine } from "./continue-line.ts";
import { ALL_COMMANDS } from "./commands/all-commands.ts";
import { describeFailure } from "./describe-failure.ts";
import { greetingLines } from "./greeting.ts";
import { parseCommand } from "./parse-command.ts";
import { PlainView } from "./plain-view.ts";
import { problemLine } from "./problem-line.ts";
import { questionLines } from "./question-lines.ts";
import { yesOrNo } from "./questions.ts";
import { showConversation } from "./show-conversation.ts";
import { spokenText } from "./spoken-text.ts";
import { untilAborted } from "./until-aborted.ts";

export interface PipedOptions extends ChatSurroundings {
  readonly key: string;
  /** Printed after the greeting, not broken into lines. */
  readonly opening?: readonly string[];
  readonly lines: AsyncIterable<string | UnusableLine>;
  readonly output: Output;
  /** Each event is a line of JSON; then every line is a message, and none a command. */
  readonly json: boolean;
  readonly link: ChatLink;
  /** Somebody types the lines and sees what is printed: they are greeted, prompted and asked. */
  readonly isPerson: boolean;
  /** Ctrl-C, SIGTERM: cancels the turn, and ends. */
  readonly signal?: AbortSignal;
}

/** Resolves with the exit code. */
export async function runPiped(options: PipedOptions): Promise<number> {
  return await new PipedChat(options).run();
}

class PipedChat {
  readonly #options: PipedOptions;
  readonly #lines: AsyncIterator<string | UnusableLine>;
  readonly #view: PlainView;
  readonly #signal: AbortSignal;
  #conversation: Conversation;
  #hasLeft = false;

  constructor(options: PipedOptions) {
    this.#options = options;
    this.#lines = options.lines[Symbol.asyncIterator]();
    this.#view = new PlainView(options.output, { json: options.json, hasCommands: !options.json });
    this.#signal = options.signal ?? new AbortController().signal;
    this.#conversation = options.agent.conversation(options.key);
  }

  async run(): Promise<number> {
    const { agent, key, opening = [], link, output, json, isPerson, toPaste, whyOffline } = this.#options;
    const unlink = link.join({
      event: (event) => {
        if (event.agent === agent.name && event.key === this.#conversation.key) this.#view.take(event);
      },
      problem: (problem) => output.writeError(problemLine(problem, json, output.errorWidth)),
      approve: isPerson ? async (question) => await this.#ask(question) : undefined,
    });
    try {
      if (isPerson) {
        const greeting = greetingLines(agent, key, output.width, output.colors, toPaste, whyOffline);
        output.write([...greeting, ...opening].map((line) => `${line}\n`).join(""));
      }
      const isWell = await this.#answerAll();
      await untilAborted(this.#conversation.settled(), this.#signal);
      const line = isPerson ? await continueLine(this.#conversation, this.#options) : undefined;
      if (line !== undefined) output.write(`${line}\n`);
      return isWell && !this.#signal.aborted ? EXIT.ok : EXIT.failed;
    } finally {
      unlink();
      await this.#lines.return?.();
    }
  }

  async #answerAll(): Promise<boolean> {
    const { isPerson, output } = this.#options;
    while (!this.#hasLeft) {
      if (isPerson) output.write("> ");
      const line = await this.#nextLine();
      if (line === undefined) return true;
      if (line.trim() === "" || (await this.#answer(line)) || isPerson) continue;
      output.writeError("longhand: the lines after this one were not sent\n");
      return false;
    }
    return true;
  }

  /** `undefined`: there are no more. INPUT_INVALID: what comes is no text, and what follows it was written for its answer. */
  async #nextLine(): Promise<string | undefined> {
    const next = await untilAborted(this.#lines.next(), this.#signal);
    if (next === undefined || next.done === true) return undefined;
    if (typeof next.value === "string") return next.value;
    const { unusable } = next.value;
    throw new CommandError("INPUT_INVALID", `${unusable}; neither it nor what follows was sent`);
  }

  async #answer(line: string): Promise<boolean> {
    const { json, toPaste } = this.#options;
    const parsed = json ? ({ kind: "message" } as const) : parseCommand(line, ALL_COMMANDS);
    try {
      switch (parsed.kind) {
        case "message":
          return await this.#say(spokenText(line));
        case "unusable":
          this.#complain(parsed.hint);
          return false;
        case "command":
          await parsed.command.run(parsed.argument, {
            ...this.#options,
            commands: ALL_COMMANDS,
            conversation: this.#conversation,
            signal: this.#signal,
            switchTo: async (key, { isQuiet = false } = {}) => await this.#switchTo(key, isQuiet),
            // Nothing runs while a line is read: it is a message like any other, and is answered before the next.
            sayNow: () => {
              throw new AgentError(
                "OPTION_INVALID",
                "/now is for a chat on a terminal: here each line waits for its turn",
              );
            },
            leave: () => (this.#hasLeft = true),
          });
          return true;
      }
    } catch (error) {
      this.#complain(describeFailure(error, toPaste));
      return false;
    }
  }

  #complain(text: string): void {
    const { output } = this.#options;
    for (const line of wrapText(text, output.errorWidth)) output.writeError(`${line}\n`);
  }

  async #say(text: string): Promise<boolean> {
    const { outcome } = await this.#conversation.say({ text }, { signal: this.#signal });
    return outcome === "answered";
  }

  async #switchTo(key: string, isQuiet: boolean): Promise<void> {
    if (key !== this.#conversation.key) this.#conversation.leave();
    this.#conversation = this.#options.agent.conversation(key);
    await this.#conversation.recover();
    const { isPerson, output, toPaste } = this.#options;
    if (isPerson && !isQuiet) await showConversation(this.#conversation, output, toPaste);
  }

  async #ask(question: ApprovalQuestion): Promise<boolean> {
    const { output } = this.#options;
    const lines = questionLines(question, { colors: output.colors, width: () => output.errorWidth });
    output.writeError(`${lines.join("\n")}\nyes or no? [y/N] `);
    return yesOrNo((await this.#nextLine()) ?? "no") === true;
  }
}
