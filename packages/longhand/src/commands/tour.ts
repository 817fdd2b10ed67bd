/** `longhand tour`: shows what the store does, with a real store, a real process and a real kill. */

import { join } from "node:path";
import { DEFAULT_WORKSPACE } from "../config/workspace-state.ts";
import type { SessionRecord } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { type AgentStep, killAgent, talkToAgent } from "../tour/agent-stops.ts";
import { CONVERSATION_KEY, REGRETTED } from "../tour/conversation.ts";
import { makeTourDirectory } from "../tour/make-directory.ts";
import { sessionFileLines } from "../tour/session-file-lines.ts";
import { compact, killAndRecover, search, talk, undo } from "../tour/stops.ts";
import { fitToWidth } from "../terminal/display-width.ts";
import { escapeLine } from "../terminal/escape-controls.ts";
import { highlightWords } from "../terminal/highlight-words.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { timesFor } from "../terminal/format-time.ts";
import { readableWidth } from "../terminal/output.ts";
import { shellQuote } from "../terminal/shell-quote.ts";
import { renderTranscript } from "../terminal/transcript.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import { addExamples } from "./add-examples.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand tour", "a conversation, a killed writer, undo, compaction, search"],
    ["longhand tour --home ./somewhere", "with its store in ./somewhere/tour/"],
    ["longhand tour --json", "only what was measured, for a program"],
  ]);
  command
    .option("--json", "one JSON document: what was measured")
    .addHelpText(
      "after",
      "\nMakes a fresh store in tour/ of the home and leaves it there. Exits with 1 if a check fails.",
    )
    .action(async (options: JsonOption) => {
      await runTour(begin(options));
    });
};

export async function runTour(surroundings: Surroundings): Promise<void> {
  refuseOtherPlaces(surroundings);
  await (surroundings.json ? measure(surroundings) : guide(surroundings));
}

/** Its store is its own: a place that were ignored would look like one that was used. */
function refuseOtherPlaces({ places, program }: Surroundings): void {
  for (const name of ["workspace", "sessions", "memory"] as const) {
    if (places[name].source !== "option") continue;
    throw new CommandError(
      "USAGE_INVALID",
      `the tour makes a store of its own, in tour/ of the home, and takes no --${name}`,
      { remedy: `to choose where: ${program} tour --home DIR` },
    );
  }
}

async function measure({ output, places }: Surroundings): Promise<void> {
  const directory = await makeTourDirectory(places.home, output.now());
  const { messages, medianMilliseconds } = await talk(directory);
  const kill = await killAndRecover(directory);
  const undone = await undo(directory);
  const compacted = await compact(directory);
  const { query, milliseconds, hits } = await search(directory);
  const home = agentHomeOf(directory);
  const { steps, withoutSandbox } = await talkToAgent(home);
  const agentKill = await killAgent(home, withoutSandbox === undefined);
  const commands = commandsToTry(directory, home);
  output.write(
    jsonLine({
      directory,
      agentHome: home,
      agent: { steps, kill: agentKill, withoutSandbox },
      conversation: { messages, medianMilliseconds },
      kill,
      undo: undone,
      compact: compacted,
      search: { query, milliseconds, hits: hits.length },
      commands,
    }),
  );
}

async function guide(surroundings: Surroundings): Promise<void> {
  const { output, places } = surroundings;
  const { bold, cyan, dim, green } = output.colors;
  const width = readableWidth(output);
  const say = (...paragraphs: readonly string[]): void => {
    for (const text of paragraphs) for (const line of wrapText(text, width)) output.write(`${line}\n`);
  };
  const head = (number: number, title: string): void =>
    output.write(`\n${bold(cyan(`${number}  ${title}`))}\n`);
  const checked = (text: string): void => {
    for (const [index, line] of wrapText(text, width === undefined ? undefined : width - 2).entries())
      output.write(`${index === 0 ? green("✓") : " "} ${line}\n`);
  };
  const tell = ({ said, tools, answer }: AgentStep): void => {
    output.write(
      `${bold("❯")} ${escapeLine(said)}\n${dim(`  ${tools.map((tool) => `→ ${tool}`).join(" ")}`)}\n`,
    );
    for (const line of answerLines(answer))
      output.write(`  ${fitToWidth(escapeLine(line), (width ?? 102) - 2)}\n`);
  };
  const directory = await makeTourDirectory(places.home, output.now());

  output.write(`${bold("Longhand, a tour")}\n`);
  say(
    "Everything below happens now, in a fresh store, through the code an agent would use. What is ticked was checked.",
  );

  head(1, "A conversation");
  const conversation = await talk(directory);
  for await (const line of transcriptOf(conversation.records, surroundings)) output.write(`${line}\n`);
  checked(
    `${conversation.messages} messages appended, the call and its results in one atomic batch, and read back the same. An append took ${milliseconds(conversation.medianMilliseconds)} (median).`,
  );

  head(2, "A writer is killed");
  say(
    "Another process opens the store and appends as fast as it can, until it is killed with SIGKILL in the middle.",
  );
  const kill = await killAndRecover(directory);
  const extra = kill.seqAfter - kill.seqBefore;
  say(
    `Process ${kill.pid} was killed. The last seq it was told is kept: ${kill.seqBefore}.`,
    `Opened again in ${milliseconds(kill.openMilliseconds)}. The last seq found: ${kill.seqAfter}.`,
  );
  checked(
    `All ${kill.acknowledged} acknowledged messages are there, in order, without a gap${extra === 0 ? "" : `; so ${extra === 1 ? "is 1 more whose answer" : `are ${extra} more whose answers`} did not arrive`}. The next append got seq ${kill.seqAfter + 1}.`,
  );

  head(3, "Undo");
  say(`Somebody says: “${REGRETTED}” And takes it back.`);
  const undone = await undo(directory);
  checked(
    `The view had ${undone.before} messages and has ${undone.after}. The undone one is still in the log, as seq ${undone.seq}.`,
  );

  head(4, "Compact");
  const compacted = await compact(directory);
  say(
    "A summary and a cut, in one atomic record. The model sees the last two messages now, and before them:",
    `“${compacted.summary}”`,
  );
  checked(
    `The view went from ${compacted.before} messages to ${compacted.after}; all ${compacted.kept} are still in the log.`,
  );

  head(5, "Search");
  const found = await search(directory);
  say(`“${found.query}”, in ${milliseconds(found.milliseconds)}:`);
  for (const { key, seq, snippet } of found.hits.slice(0, 2)) {
    const line = fitToWidth(`  ${key} #${seq}  ${escapeLine(snippet)}`, width ?? 120);
    output.write(`${highlightWords(line, found.query, (word) => bold(word))}\n`);
  }
  checked("Found in a message that is cut from the view: what is kept can be found.");

  const home = agentHomeOf(directory);
  head(6, "An agent");
  say(
    "The offline assistant stands in for a model: it understands a few plain requests, and uses the real tools in a workspace of its own.",
  );
  const { steps, withoutSandbox } = await talkToAgent(home);
  for (const step of steps) tell(step);
  if (withoutSandbox === undefined)
    checked("The command ran in the sandbox: no network, nothing writable but the workspace.");
  else say(`No command was run: ${withoutSandbox.why}. ${withoutSandbox.remedy}`);

  head(7, "The agent is killed");
  const cut = await killAgent(home, withoutSandbox === undefined);
  say(
    `Another process is told “${cut.said}”, and killed with SIGKILL (process ${cut.pid}) as soon as ${withoutSandbox === undefined ? "the command runs" : "the words are kept"}. Whoever opens the conversation next finds the turn closed, with the words:`,
    `“${cut.closedWith}”`,
  );
  checked("Nothing that was said is lost, and what may have run is not run again in silence.");
  tell(cut.next);

  head(8, "The files");
  const file = await sessionFileLines(directory, CONVERSATION_KEY);
  say(
    "The store of the first part, and the home of the agent, stay here until you remove them:",
    `  ${escapeLine(directory)}`,
    `  ${escapeLine(home)}`,
  );
  if (file !== undefined) {
    say("", `Lines of ${file.file}, as they are on the disk:`);
    for (const line of file.lines)
      output.write(`${dim(fitToWidth(escapeLine(line), output.width ?? 100))}\n`);
  }
  output.write("\nTo go on, paste one of these in this directory:\n");
  for (const line of commandsToTry(directory, home)) output.write(`  ${bold(line)}\n`);
}

/** Beside the store: a home in it would look like something left over. */
function agentHomeOf(directory: string): string {
  return `${directory}-agent`;
}

function commandsToTry(directory: string, home: string): string[] {
  const place = `--sessions ${shellQuote(directory)}`;
  return [
    `npx longhand list ${place}`,
    `npx longhand show kitchen --all ${place}`,
    `npx longhand search plumber ${place}`,
    `npx longhand chat --continue --home ${shellQuote(home)} --workspace ${shellQuote(join(home, DEFAULT_WORKSPACE))}`,
  ];
}

async function* transcriptOf(
  records: readonly SessionRecord[],
  { output }: Surroundings,
): AsyncIterable<string> {
  const style = {
    width: readableWidth(output),
    colors: output.colors,
    times: timesFor(output),
    all: false,
    full: false,
  };
  const live = async function* (): AsyncIterable<{ record: SessionRecord; isLive: boolean }> {
    for (const record of records) yield await Promise.resolve({ record, isLive: true });
  };
  yield* renderTranscript(live(), style);
}

/** Without the fences, which a terminal does not need. */
function answerLines(answer: string): string[] {
  return answer.split("\n").filter((line) => line.trim() !== "" && !/^`{3,}/.test(line));
}

function milliseconds(duration: number): string {
  return `${duration < 10 ? duration.toFixed(1) : Math.round(duration)} ms`;
}
