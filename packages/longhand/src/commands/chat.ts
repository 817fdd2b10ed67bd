/** `longhand chat [KEY]`, and `longhand` alone on a terminal: a conversation with an agent. */

import { join } from "node:path";
import { Option } from "commander";
import type { AgentInstance } from "@longhand/agent";
import { notKept } from "../assembly/not-kept.ts";
import { type Agents, withAgents } from "../assembly/with-agents.ts";
import { ChatLink } from "../chat/chat-link.ts";
import type { ChatSurroundings } from "../chat/chat-command.ts";
import { newConversation } from "../chat/new-conversation.ts";
import { newKey } from "../chat/new-key.ts";
import { CommandError } from "../command-error.ts";
import { chooseSession, READABLE } from "../sessions/choose-session.ts";
import { LAST } from "../sessions/match-key.ts";
import { warner } from "../sessions/with-store.ts";
import { escapeControls } from "../terminal/escape-controls.ts";
import { shellQuote } from "../terminal/shell-quote.ts";
import { addExamples } from "./add-examples.ts";
import { chatToPaste } from "./chat-to-paste.ts";
import { settleWorkspace } from "./settle-workspace.ts";
import { parseNotEmpty } from "./parse-not-empty.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";

interface ChatCommandOptions extends JsonOption {
  readonly message?: string;
  readonly continue?: boolean;
  readonly model?: string;
  readonly agent?: string;
  readonly orTour?: boolean;
  readonly orHelp?: boolean;
}

const MOST_INPUT_BYTES = 8 * 1024 * 1024;

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand chat", "a new conversation"],
    ["longhand chat --continue", "go on with the newest one"],
    ["longhand chat kitchen", "go on with this one, or begin it"],
    ['longhand chat -m "list the files"', "one message, one answer"],
    ['echo "what did I say about the boiler?" | longhand chat kitchen', "over a pipe, each line a message"],
    ["longhand chat --model ollama:gemma4:e4b", "with this model"],
  ]);
  command
    .argument("[key]", "of the session (default: a new one)")
    .option("-m, --message <text>", "say this, print the answer and end; - reads it from standard input")
    .option("-c, --continue", "continue the newest session")
    .option("--model <name>", "ollama:NAME, openai:NAME, anthropic:NAME or offline", parseNotEmpty)
    .option("--agent <name>", "one of the agents of longhand.json (default: the first)", parseNotEmpty)
    .option("--json", "what happens as lines of JSON, for a program")
    .addOption(new Option("--or-tour", "without a terminal, the tour instead").hideHelp())
    .addOption(new Option("--or-help", "without a terminal and without input, the help instead").hideHelp())
    .addHelpText(
      "after",
      "\nIn the chat, /help lists its commands. Exits with 1 if a message was not answered.",
    )
    .action(async (key: string | undefined, options: ChatCommandOptions) => {
      const surroundings = begin(options);
      // Who says something wants an answer to it.
      if (options.orTour === true && options.message === undefined && !isTerminal(surroundings)) {
        const { runTour } = await import("./tour.ts");
        await runTour(surroundings);
        return;
      }
      if (options.orHelp === true && !surroundings.input.isTerminal) {
        const { isInputEmpty } = await import("../terminal/is-input-empty.ts");
        if (await isInputEmpty()) {
          (command.parent ?? command).outputHelp();
          return;
        }
      }
      if ((await chat(surroundings, key, options)) !== 0) surroundings.markFailed();
    });
};

function isTerminal({ input, output }: Surroundings): boolean {
  return input.isTerminal && output.isTerminal;
}

async function chat(
  surroundings: Surroundings,
  key: string | undefined,
  options: ChatCommandOptions,
): Promise<number> {
  if (key !== undefined && options.continue === true) {
    throw new CommandError("USAGE_INVALID", "a key and --continue exclude each other");
  }
  if (options.message?.trim() === "") {
    throw new CommandError("USAGE_INVALID", "there is nothing to say: the text of --message is empty");
  }
  const { environment } = surroundings;
  const places = await settleWorkspace(surroundings);
  const link = new ChatLink();
  const toPaste = chatToPaste(surroundings, places);
  return await withAgents(
    {
      ...{ places, environment, model: options.model, only: options.agent },
      ...{ events: link.events, onProblem: link.onProblem, approve: link.approve, toPaste },
    },
    async (agents) =>
      converse(agents, { ...surroundings, places, toPaste: agents.toPaste }, link, key, options),
  );
}

async function converse(
  agents: Agents,
  surroundings: Surroundings,
  link: ChatLink,
  wanted: string | undefined,
  options: ChatCommandOptions,
): Promise<number> {
  const { agent, models } = agents;
  const { output, input, environment, json, places, toPaste, currentDirectory } = surroundings;
  const { askModelOf } = await import("@longhand/agent");
  const key = await keyOf(agent, wanted, options, surroundings);
  const around: ChatSurroundings = {
    agent,
    toPaste,
    chatWords: options.agent === undefined ? "chat" : `chat --agent ${shellQuote(options.agent)}`,
    currentDirectory,
    whyOffline: models.whyOffline(),
    chooseModel: async (name) => await models.make(name),
    ask: async (question, signal) => {
      const { maxTokens: contextTokens } = await agent.contextOptions(key);
      return await askModelOf(agent.model, { contextTokens })(question, signal);
    },
  };
  const signal = surroundings.interruption();
  const isGreeted = isTerminal(surroundings) && !json && options.message === undefined;
  const problem = notKept(agent);
  if (problem !== undefined && !isGreeted) link.onProblem(problem);
  const opening = await openingLines(agent, key, wanted, options, surroundings);
  if (!isGreeted && !json) output.writeError(opening.map((line) => `${line}\n`).join(""));
  if (options.message !== undefined) {
    const { runOnce } = await import("../chat/run-once.ts");
    const text = options.message === "-" ? await readAll(input) : options.message;
    return await runOnce({ agent, key, text, json, output, input, link, signal });
  }
  if (isGreeted && environment["TERM"] !== "dumb") {
    const { runChat } = await import("../chat/run-chat.ts");
    const { processTerminal } = await import("../chat/process-terminal.ts");
    const terminal = processTerminal(output.colors);
    const historyFile = join(places.home.path, "chat-history");
    const waitingDirectory = agent.keptBy === "memory" ? undefined : join(places.home.path, "chat-waiting");
    return await runChat({ ...around, key, opening, terminal, link, historyFile, waitingDirectory, signal });
  }
  const { runPiped } = await import("../chat/run-piped.ts");
  const { processLines } = await import("../terminal/process-lines.ts");
  const lines = processLines(MOST_INPUT_BYTES);
  return await runPiped({ ...around, key, opening, lines, output, json, link, isPerson: isGreeted, signal });
}

/**
 * KEY as it is given, since it may begin a session, but for `last`; else a new one. --continue is the newest that is no channel's: that
 * is somebody else's conversation.
 */
async function keyOf(
  agent: AgentInstance,
  wanted: string | undefined,
  options: ChatCommandOptions,
  { output, toPaste }: Surroundings,
): Promise<string> {
  const choice = { output, toPaste, among: READABLE };
  if (options.continue === true) {
    const { placeOfKey } = await import("@longhand/agent");
    for await (const { key } of agent.store.list()) if (placeOfKey(key) === undefined) return key;
    return await newKey(agent.store, output.now());
  }
  if (wanted === undefined) return await newKey(agent.store, output.now());
  if (wanted === LAST) return (await chooseSession(agent.store, wanted, choice)).key;
  return wanted;
}

/** Said where a conversation was asked for and a new one begins. Each line is whole: some are commands to paste. */
async function openingLines(
  { store, keptBy }: AgentInstance,
  key: string,
  wanted: string | undefined,
  options: ChatCommandOptions,
  surroundings: Surroundings,
): Promise<readonly string[]> {
  const isContinued = options.continue === true;
  if ((wanted === undefined && !isContinued) || keptBy === "memory") return [];
  if (await store.session(key).exists()) return [];
  const { places, toPaste, json } = surroundings;
  const begun = { key, isContinued, directory: store.directory };
  const { said, elsewhere } = await newConversation(begun, places, toPaste);
  if (json && elsewhere.length > 0)
    warner(surroundings)("SESSION_ELSEWHERE", [said, ...elsewhere].map((line) => line.trim()).join("\n"), {});
  return [said, ...elsewhere].map(escapeControls);
}

async function readAll(input: Surroundings["input"]): Promise<string> {
  const text = decoded(await input.read(MOST_INPUT_BYTES)).trimEnd();
  if (text === "") throw new CommandError("USAGE_INVALID", "there is no message on standard input");
  return text;
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new CommandError("INPUT_INVALID", "standard input is not UTF-8 text; nothing was sent", { cause });
  }
}
