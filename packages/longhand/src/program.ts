/**
 * The command line: which commands there are and what holds for all of them. A command's own file is loaded only when
 * that command is asked for, so that `longhand list` does not wait for the others.
 */

import { readFileSync } from "node:fs";
import { Command } from "commander";
import { addExamples } from "./commands/add-examples.ts";
import { parseNotEmpty } from "./commands/parse-not-empty.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./commands/surroundings.ts";
import type { PlaceOptions } from "./config/places.ts";

interface CommandEntry {
  readonly summary: string;
  readonly load: () => Promise<{ readonly defineCommand: DefineCommand }>;
}

export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  chat: { summary: "talk with an agent; also without a command", load: () => import("./commands/chat.ts") },
  serve: { summary: "an agent for other programs, over lines", load: () => import("./commands/serve.ts") },
  list: { summary: "the sessions there are", load: () => import("./commands/list.ts") },
  show: { summary: "a conversation, to read", load: () => import("./commands/show.ts") },
  tail: { summary: "show recent messages and follow", load: () => import("./commands/tail.ts") },
  search: { summary: "find messages by their words", load: () => import("./commands/search.ts") },
  context: {
    summary: "what the model would see, and how full it is",
    load: () => import("./commands/context.ts"),
  },
  append: { summary: "add a message", load: () => import("./commands/append.ts") },
  undo: { summary: "take the newest messages out of the view", load: () => import("./commands/undo.ts") },
  truncate: {
    summary: "shorten the view to its newest messages",
    load: () => import("./commands/truncate.ts"),
  },
  compact: { summary: "a summary in place of the oldest turns", load: () => import("./commands/compact.ts") },
  pin: { summary: "keep a message in sight of the model", load: () => import("./commands/pin.ts") },
  unpin: { summary: "take a pin away", load: () => import("./commands/unpin.ts") },
  fork: { summary: "a second session that begins like another", load: () => import("./commands/fork.ts") },
  rename: { summary: "give a session a title", load: () => import("./commands/rename.ts") },
  export: {
    summary: "a conversation as Markdown, JSON or JSONL",
    load: () => import("./commands/export.ts"),
  },
  import: { summary: "bring an exported session back", load: () => import("./commands/import.ts") },
  archive: { summary: "put a session away", load: () => import("./commands/archive.ts") },
  restore: {
    summary: "bring a session back, from the trash too",
    load: () => import("./commands/restore.ts"),
  },
  delete: { summary: "move a session to the trash", load: () => import("./commands/delete.ts") },
  purge: { summary: "empty the trash", load: () => import("./commands/purge.ts") },
  memory: { summary: "what is remembered beyond a conversation", load: () => import("./commands/memory.ts") },
  config: {
    summary: "what longhand.json and the environment say",
    load: () => import("./commands/config.ts"),
  },
  workspace: {
    summary: "the directories that agents may work in",
    load: () => import("./commands/workspace.ts"),
  },
  verify: { summary: "read everything, report damage", load: () => import("./commands/verify.ts") },
  repair: { summary: "mend what verify reports", load: () => import("./commands/repair.ts") },
  reclaim: { summary: "compress; drop old records if asked to", load: () => import("./commands/reclaim.ts") },
  migrate: {
    summary: "take over what other programs left in the directory",
    load: () => import("./commands/migrate.ts"),
  },
  doctor: {
    summary: "where things are, and whether they are well",
    load: () => import("./commands/doctor.ts"),
  },
  tour: { summary: "see what it does: a real store, a real kill", load: () => import("./commands/tour.ts") },
};

export interface Streams {
  out(text: string): void;
  error(text: string): void;
}

/** `begin` makes what a command is given out of the options that hold for all commands. */
export function makeProgram(
  streams: Streams,
  begin: (places: PlaceOptions, options: JsonOption) => Surroundings,
): Command {
  const program: Command = new Command("longhand")
    .description("Keeps the conversations of AI agents: every word, in plain files.")
    .version(readVersion(), "-V, --version", "the version of longhand (also -v)")
    .helpOption("-h, --help", "examples and options")
    .helpCommand(false)
    .option(
      "--home <dir>",
      "where Longhand keeps things (default: LONGHAND_HOME, else ~/.longhand)",
      parseNotEmpty,
    )
    .option(
      "--workspace <dir>",
      "the directory to work in (default: the current one if you approved it, else workspace/ in the home)",
      parseNotEmpty,
    )
    .option("--sessions <dir>", "the store itself (default: the workspace's, in the home)", parseNotEmpty)
    .option("--memory <dir>", "what is remembered (default: the workspace's, in the home)", parseNotEmpty)
    .option("--no-color", "no colours; NO_COLOR=1 does the same, FORCE_COLOR=1 the opposite")
    .configureHelp({
      showGlobalOptions: true,
      visibleGlobalOptions: (command) =>
        command.parent === null ? [] : program.options.filter(({ long }) => long !== "--version"),
    })
    .configureOutput({ writeOut: (text) => streams.out(text), writeErr: (text) => streams.error(text) })
    .exitOverride();
  addExamples(program, [
    ["longhand", "talk with an agent; longhand --continue goes on with the newest talk"],
    ['longhand -m "list the files"', "one message, one answer"],
    ["longhand tour", "see what it does, in under a minute"],
    ['longhand append my-notes "hello"', "begin a session, or go on with it"],
    ["longhand list", "the sessions there are"],
    ["longhand show last", "read the newest one"],
  ]);
  program.addHelpText("after", "\nlonghand COMMAND --help shows a command's own examples and options.");
  for (const [name, { summary }] of Object.entries(COMMANDS)) {
    program.command(name).description(summary).helpOption("-h, --help", "examples and options");
  }
  program.hook("preSubcommand", async (_program, command) => {
    const { defineCommand } = await entryOf(command.name()).load();
    defineCommand(command, (options) => begin(program.opts<PlaceOptions>(), options));
    const name = `longhand ${command.name()}`;
    command.showHelpAfterError(`  usage: ${name} ${command.usage()}\n  see:   ${name} --help`);
  });
  return program;
}

function entryOf(name: string): CommandEntry {
  const entry = COMMANDS[name];
  if (entry === undefined) throw new Error(`no command ${name}`);
  return entry;
}

function readVersion(): string {
  const content: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  const isVersioned = typeof content === "object" && content !== null && "version" in content;
  return isVersioned ? String(content.version) : "unknown";
}
