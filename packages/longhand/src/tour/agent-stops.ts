/**
 * The agent's part of the tour: the offline assistant works with the real tools, is killed in the middle of a command, and goes
 * on. What is said to have happened was checked; what the machine lacks is named, and is no failure.
 */

import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent, AgentInstance, TurnResult } from "@longhand/agent";
import type { Message } from "@longhand/store";
import { type Agents, withAgents } from "../assembly/with-agents.ts";
import { CommandError } from "../command-error.ts";
import { findPlaces } from "../config/find-places.ts";
import type { Places } from "../config/places.ts";
import { commandToPaste } from "../terminal/command-to-paste.ts";
import { killChat } from "./kill-chat.ts";

export const AGENT_KEY = "tour:agent";
/** Long enough to be killed in its middle; it never gets to its end. */
const SLOW_COMMAND = "echo begun > progress.txt; sleep 60; echo done >> progress.txt";
const REQUESTS = ["list the files", "write plan.txt: call the plumber about the sink", "read plan.txt"];
const COMMAND = "run wc -w plan.txt && id -un";

export interface AgentStep {
  readonly said: string;
  /** The tools that were called, in order. */
  readonly tools: readonly string[];
  readonly answer: string;
}

export interface AgentTalk {
  readonly steps: readonly AgentStep[];
  /** Why no command was run, and what helps. */
  readonly withoutSandbox: { readonly why: string; readonly remedy: string } | undefined;
}

export async function talkToAgent(home: string): Promise<AgentTalk> {
  return await withTourAgent(home, async ({ sandbox }, say) => {
    const steps: AgentStep[] = [];
    const isAvailable = !("unavailable" in sandbox);
    for (const said of isAvailable ? [...REQUESTS, COMMAND] : REQUESTS) steps.push(await say(said));
    check(steps[2]?.answer.includes("plumber") === true, "what was written is not what was read");
    const ran = steps[3];
    check(
      ran === undefined || /\b6\b/.test(ran.answer),
      "the command in the sandbox did not answer as it must",
    );
    const withoutSandbox = isAvailable ? undefined : { why: sandbox.unavailable, remedy: sandbox.remedy };
    return { steps, withoutSandbox };
  });
}

export interface AgentKill {
  readonly pid: number;
  readonly said: string;
  /** The words with which the turn was closed. */
  readonly closedWith: string;
  readonly next: AgentStep;
}

export async function killAgent(home: string, hasSandbox: boolean): Promise<AgentKill> {
  const said = hasSandbox ? `run ${SLOW_COMMAND}` : "read plan.txt";
  const moment = hasSandbox
    ? { event: "tool-call", file: join(tourPlaces(home).workspace.path, "progress.txt") }
    : { event: "turn-start", file: undefined };
  const { pid } = await killChat(home, AGENT_KEY, said, moment);
  return await withTourAgent(home, async ({ agent }, say) => {
    const result = await agent.conversation(AGENT_KEY).recover();
    check(result?.outcome === "interrupted", "the open turn was not closed");
    const messages = await agent.store.session(AGENT_KEY).messages();
    check(
      messages.some(({ content }) => content === said),
      "what was said before the kill is gone",
    );
    const outcomes = messages.filter(({ role, isError }) => role === "tool" && isError === true);
    check(!hasSandbox || outcomes.length > 0, "the call that was cut short has no result");
    const progress = hasSandbox ? await readFile(moment.file ?? "", "utf8") : "begun\n";
    check(progress === "begun\n", "the command was not killed with the agent, or was run again");
    const closedWith = textOf(outcomes.at(-1) ?? messages.at(-1));
    return { pid, said, closedWith, next: await say("what did I say about the plumber?") };
  });
}

type Say = (said: string) => Promise<AgentStep>;

async function withTourAgent<T>(home: string, use: (agents: Agents, say: Say) => Promise<T>): Promise<T> {
  const events: AgentEvent[] = [];
  const problems: string[] = [];
  const options = {
    places: tourPlaces(home),
    environment: {},
    model: "offline",
    toPaste: commandToPaste({ home }),
    events: (event: AgentEvent) => events.push(event),
    // The loop lets nobody throw here: what is told is checked in the end, when nothing more can come.
    onProblem: ({ message }: { message: string }) => problems.push(message),
  };
  const used = await withAgents(options, async (agents) => {
    return await use(agents, async (said) => {
      events.length = 0;
      const result = await sayTo(agents.agent, said);
      const tools = events.filter((event) => event.type === "tool-call").map(({ name }) => name);
      return { said, tools, answer: withoutNotice(result.text) };
    });
  });
  check(problems.length === 0, `the agent had a problem: ${problems.join("; ")}`);
  return used;
}

async function sayTo(agent: AgentInstance, text: string): Promise<TurnResult> {
  const result = await agent.conversation(AGENT_KEY).say({ text });
  check(
    result.outcome === "answered",
    `"${text}" was not answered: ${result.error?.message ?? result.outcome}`,
  );
  return result;
}

/** Its first answer begins with what it is; the tour says that itself. */
function withoutNotice(text: string): string {
  return text.replace(/^I am not a language model.*\n/, "").trim();
}

export function tourPlaces(home: string): Places {
  return findPlaces(
    { home },
    { environment: {}, currentDirectory: home, temporaryDirectory: tmpdir(), accountHome: () => home },
  ).places;
}

function textOf(message: Message | undefined): string {
  return typeof message?.content === "string" ? message.content : "";
}

function check(isTrue: boolean, otherwise: string): void {
  if (!isTrue) throw new CommandError("TOUR_FAILED", otherwise);
}
