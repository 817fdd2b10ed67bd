/** `longhand serve --stdio`: an agent for other programs. One JSON line in for each thing said, events out. */

import type { AgentInstance, EventSink } from "@longhand/agent";
import { notKept } from "../assembly/not-kept.ts";
import { withAgents } from "../assembly/with-agents.ts";
import { CommandError } from "../command-error.ts";
import { addExamples } from "./add-examples.ts";
import { settleForServing } from "./settle-workspace.ts";
import { parseNotEmpty } from "./parse-not-empty.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";
import { jsonLine } from "../terminal/json-line.ts";
import type { Output } from "../terminal/output.ts";

interface ServeCommandOptions extends JsonOption {
  readonly stdio?: boolean;
  readonly model?: string;
}

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand serve --stdio", "lines in, lines out, until the input ends"],
    [
      `echo '{"channel":"test","chat":"1","sender":"ada","text":"help"}' | longhand serve --stdio`,
      "one message",
    ],
  ]);
  command
    .option("--stdio", "over standard input and output; the only way so far")
    .option("--model <name>", "ollama:NAME, openai:NAME, anthropic:NAME or offline", parseNotEmpty)
    .addHelpText(
      "after",
      [
        "",
        "In:  {channel, account?, chat, thread?, sender, text, id?, agent?, whenBusy?}, one JSON object a line.",
        "Out: the events of each turn, and for each line a done or an error, as JSON. See docs/serve.md.",
        "A session for each channel, account, chat, thread and sender; two senders never share one.",
      ].join("\n"),
    )
    .action(async (options: ServeCommandOptions) => {
      if (options.stdio !== true) throw new CommandError("USAGE_INVALID", "longhand serve needs --stdio");
      await serve(begin({ ...options, json: true }), options);
    });
};

async function serve(surroundings: Surroundings, { model }: ServeCommandOptions): Promise<void> {
  const { environment, output, toPaste } = surroundings;
  const places = await settleForServing(surroundings);
  const sinks = new Set<EventSink>();
  const events: EventSink = (event) => {
    for (const sink of sinks) sink(event);
  };
  const listen = (sink: EventSink): (() => void) => {
    sinks.add(sink);
    return () => sinks.delete(sink);
  };
  const onProblem = (problem: { code: string; message: string }): void =>
    output.writeError(jsonLine({ warning: problem }));
  await withAgents({ places, environment, model, events, onProblem, toPaste }, async ({ loop }) => {
    const { MOST_LINE_BYTES, serveLines } = await import("@longhand/agent");
    const { processLines } = await import("../terminal/process-lines.ts");
    const [first, ...others] = loop.agents;
    if (first === undefined) return;
    const agents: [AgentInstance, ...AgentInstance[]] = [first, ...others];
    for (const problem of agents.map(notKept)) if (problem !== undefined) onProblem(problem);
    try {
      await serveLines({
        agents,
        listen,
        lines: processLines(MOST_LINE_BYTES),
        write: async (line) => await writeLine(output, line),
        signal: surroundings.interruption(),
      });
    } catch (error) {
      // A reader that has gone is no error; output that fails otherwise is told at the end of the process.
      if (!output.isClosed()) throw error;
    }
  });
}

/** Rejects once nobody reads any more: then there is nobody to work for. */
async function writeLine(output: Output, line: string): Promise<void> {
  output.write(`${line}\n`);
  await output.drained();
  if (output.isClosed()) throw new Error("nobody reads the output");
}
