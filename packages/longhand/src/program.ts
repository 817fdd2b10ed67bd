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
  /** Its heading in the help. */
  readonly group: "Talk" | "Read" | "Write" | "Keep in order" | "Maintain";
  readonly summary: string;
  readonly load: () => Promise<{ readonly defineCommand: DefineCommand }>;
}

export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  chat: {
    group: "Talk",
    summary: "chat with an agent (the default command)",
    load: () => import("./commands/chat.ts"),
  },
  serve: {
    group: "Talk",
    summary: "run an agent for other programs, over JSON lines",
    load: () => import("./commands/serve.ts"),
  },
  list: { group: "Read", summary: "list sessions", load: () => import("./commands/list.ts") },
  show: { group: "Read", summary: "print a conversation", load: () => import("./commands/show.ts") },
  tail: {
    group: "Read",
    summary: "show recent messages and follow",
    load: () => import("./commands/tail.ts"),
  },
  search: { group: "Read", summary: "search messages", load: () => import("./commands/search.ts") },
  context: {
    group: "Read",
    summary: "show what the model would see, and how full its window is",
    load: () => import("./commands/context.ts"),
  },
  append: { group: "Write", summary: "append a message", load: () => import("./commands/append.ts") },
  undo: { group: "Write", summary: "undo the newest messages", load: () => import("./commands/undo.ts") },
  truncate: {
    group: "Write",
    summary: "keep only the newest messages in the view",
    load: () => import("./commands/truncate.ts"),
  },
  compact: {
    group: "Write",
    summary: "replace the oldest turns by a summary",
    load: () => import("./commands/compact.ts"),
  },
  pin: {
    group: "Write",
    summary: "keep a message in every context",
    load: () => import("./commands/pin.ts"),
  },
  unpin: { group: "Write", summary: "remove a pin", load: () => import("./commands/unpin.ts") },
  fork: {
    group: "Write",
    summary: "copy a session under a new key",
    load: () => import("./commands/fork.ts"),
  },
  rename: {
    group: "Write",
    summary: "set the title of a session",
    load: () => import("./commands/rename.ts"),
  },
  export: {
    group: "Read",
    summary: "write a conversation as Markdown, JSON or JSONL",
    load: () => import("./commands/export.ts"),
  },
  import: {
    group: "Write",
    summary: "import an exported session",
    load: () => import("./commands/import.ts"),
  },
  archive: {
    group: "Keep in order",
    summary: "archive a session",
    load: () => import("./commands/archive.ts"),
  },
  restore: {
    group: "Keep in order",
    summary: "restore an archived or deleted session",
    load: () => import("./commands/restore.ts"),
  },
  delete: {
    group: "Keep in order",
    summary: "move a session to the trash",
    load: () => import("./commands/delete.ts"),
  },
  purge: { group: "Keep in order", summary: "empty the trash", load: () => import("./commands/purge.ts") },
  memory: {
    group: "Keep in order",
    summary: "list, add and forget what is remembered",
    load: () => import("./commands/memory.ts"),
  },
  config: {
    group: "Keep in order",
    summary: "show and check the configuration",
    load: () => import("./commands/config.ts"),
  },
  workspace: {
    group: "Keep in order",
    summary: "list and approve workspaces",
    load: () => import("./commands/workspace.ts"),
  },
  verify: {
    group: "Maintain",
    summary: "check every record for damage",
    load: () => import("./commands/verify.ts"),
  },
  repair: { group: "Maintain", summary: "repair damage", load: () => import("./commands/repair.ts") },
  reclaim: {
    group: "Maintain",
    summary: "compress, and drop old records if asked to",
    load: () => import("./commands/reclaim.ts"),
  },
  migrate: {
    group: "Maintain",
    summary: "import sessions of other programs",
    load: () => import("./commands/migrate.ts"),
  },
  doctor: {
    group: "Maintain",
    summary: "check the installation",
    load: () => import("./commands/doctor.ts"),
  },
  tour: {
    group: "Maintain",
    summary: "show what Longhand does, with a real kill",
    load: () => import("./commands/tour.ts"),
  },
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
    ["longhand", "chat with an agent; longhand --continue continues the newest session"],
    ['longhand -m "list the files"', "one message, one answer"],
    ["longhand tour", "see what it does, in under a minute"],
    ['longhand append my-notes "hello"', "append a message; creates the session if it is new"],
    ["longhand list", "list sessions"],
    ["longhand show last", "print the newest conversation"],
  ]);
  program.addHelpText("after", "\nlonghand COMMAND --help shows a command's own examples and options.");
  for (const [name, { group, summary }] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(summary).helpGroup(`${group}:`);
    command.helpOption("-h, --help", "examples and options");
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
