/** `longhand memory show`: one entry, with the command that opens what it comes from. */

import { chooseEntry, unknownEntry } from "../sessions/choose-entry.ts";
import { findSource, type FoundSource } from "../sessions/find-source.ts";
import { withMemory } from "../sessions/with-memory.ts";
import type { MemoryEntry } from "@longhand/store/memory";
import { escapeControls } from "../terminal/escape-controls.ts";
import { timesFor } from "../terminal/format-time.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { readableWidth } from "../terminal/output.ts";
import { formatScope } from "../terminal/scope-text.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import { addExamples } from "./add-examples.ts";
import { ID_HELP } from "./id-help.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";
import { TIMES_HELP } from "./times-help.ts";

export const defineShow: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand memory show 01KBX3T8", "its text, whose it is, and where it comes from"],
    ["longhand memory show 01KBX3T8 --json | jq .source", "for a program"],
  ]);
  command
    .argument("<id>", ID_HELP)
    .option("--json", "one JSON document: the entry")
    .addHelpText("after", TIMES_HELP)
    .action(async (id: string, options: JsonOption) => {
      const surroundings = begin(options);
      const found = await withMemory(surroundings, async (memory, sessions) => {
        const entry = await chooseEntry(memory, id, surroundings);
        return { entry, source: await findSource(sessions, entry.source, surroundings) };
      });
      if (found === undefined) throw unknownEntry(id, surroundings);
      const { output, json } = surroundings;
      if (json) output.write(jsonLine(found.entry));
      else for (const line of entryLines(found.entry, found.source, output)) output.write(`${line}\n`);
    });
};

function entryLines(
  { id, kind, scope, text, at, confidence, supersedes, status }: MemoryEntry,
  { description, command }: FoundSource,
  output: Surroundings["output"],
): string[] {
  const { bold, cyan, dim } = output.colors;
  const width = readableWidth(output);
  const row = (name: string, value: string): string => `${dim(name.padEnd(10))} ${value}`;
  return [
    `${bold(cyan(id))}  ${dim(`${kind} · ${status}`)}`,
    ...wrapText(escapeControls(text), width === undefined ? undefined : width - 2).map((line) =>
      `  ${line}`.trimEnd(),
    ),
    "",
    row("scope", formatScope(scope)),
    row("since", timesFor(output).moment(at)),
    row("confidence", String(confidence)),
    row("source", description),
    ...(command === undefined ? [] : [row("", dim(`to open it: ${command}`))]),
    ...supersedes.map((each, index) => row(index === 0 ? "replaces" : "", each)),
  ];
}
