/** `longhand memory consolidate`: takes in now what waits to be remembered, and waits for the model. */

import type { AgentInstance, CaughtUp } from "@longhand/agent";
import { withAgents } from "../assembly/with-agents.ts";
import { countOf } from "../terminal/format-count.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { describeOpen } from "../sessions/describe-open.ts";
import { addExamples } from "./add-examples.ts";
import { parseNotEmpty } from "./parse-not-empty.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";

interface ConsolidateCommandOptions extends JsonOption {
  readonly model?: string;
  readonly agent?: string;
}

interface AgentCaughtUp extends CaughtUp {
  readonly agent: string;
  /** The offline assistant cannot do it. */
  readonly hasModel: boolean;
}

export const defineConsolidate: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand memory consolidate", "one request for each conversation that waits"],
    ["longhand memory consolidate --model ollama:gemma4:e4b", "with this model"],
  ]);
  command
    .option("--model <name>", "ollama:NAME, openai:NAME, anthropic:NAME or offline", parseNotEmpty)
    .option("--agent <name>", "only of this agent of longhand.json (default: of all)", parseNotEmpty)
    .option("--json", "one JSON document: for each agent consolidated, waiting, open and failure")
    .addHelpText(
      "after",
      "\nA chat does this by itself, in the background. Exits with 1 if something still waits.",
    )
    .action(async (options: ConsolidateCommandOptions) => {
      const surroundings = begin(options);
      const done = await consolidate(surroundings, options);
      if (done.some(({ waiting }) => waiting > 0)) surroundings.markFailed();
      const { output, json } = surroundings;
      if (json) output.write(jsonLine({ agents: done }));
      else for (const each of done) output.write(`${describe(each, done.length > 1)}\n`);
    });
};

async function consolidate(
  { places, environment, output, json, toPaste }: Surroundings,
  { model, agent: only }: ConsolidateCommandOptions,
): Promise<readonly AgentCaughtUp[]> {
  const onProblem = (problem: { code: string; message: string }): void => {
    // It is the answer of this command.
    if (problem.code === "MEMORY_LATE") return;
    output.writeError(json ? jsonLine({ warning: problem }) : `longhand: warning: ${problem.message}\n`);
  };
  const wanted = { places, environment, model, only, events: () => undefined, onProblem, toPaste };
  return await withAgents(wanted, async ({ loop }) => {
    const done: AgentCaughtUp[] = [];
    for (const agent of loop.agents) done.push(await catchUp(agent));
    return done;
  });
}

async function catchUp(agent: AgentInstance): Promise<AgentCaughtUp> {
  const hasModel = agent.model.canSummarise !== false;
  return { agent: agent.name, hasModel, ...(await agent.catchUpMemory()) };
}

function describe(
  { agent, consolidated, waiting, open, failure, hasModel }: AgentCaughtUp,
  isNamed: boolean,
): string {
  const name = isNamed ? `${agent}: ` : "";
  const done = countOf(consolidated, "conversation");
  const unanswered =
    open === 0 ? "" : ` ${describeOpen(open)}, which is taken in once the conversation is continued.`;
  if (waiting === 0)
    return `${name}${consolidated === 0 ? "Nothing waits" : `Took in ${done}`}.${unanswered}`;
  const why = hasModel
    ? (failure ?? "turns were left that did not fit into one request: run it again")
    : "the offline assistant cannot do it; choose a model with --model";
  return `${name}Took in ${done}; ${countOf(waiting, "conversation")} still waiting: ${why}${unanswered === "" ? "" : `.${unanswered}`}`;
}
