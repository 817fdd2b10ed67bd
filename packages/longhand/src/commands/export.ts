/** `longhand export`: a conversation as a file, to read or for another program. */

import { resolve } from "node:path";
import { Option } from "commander";
import type { OnProgress, SessionInfo, Store } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { EXPORT_FORMATS, type ExportFormat, exportPieces, formatInName } from "../export/export-format.ts";
import { writePrivateFile } from "../export/write-private-file.ts";
import type { Met } from "../sessions/foreign-sessions.ts";
import { readSession } from "../sessions/read-session.ts";
import { type RecordOrGap, recordsWithGaps } from "../sessions/records-with-gaps.ts";
import { escapeKey, escapeLine } from "../terminal/escape-controls.ts";
import { formatBytes } from "../terminal/format-count.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { showPercent, withProgress } from "../terminal/progress.ts";
import { addExamples } from "./add-examples.ts";
import { KEY_HELP } from "./key-help.ts";
import { parseNotEmpty } from "./parse-not-empty.ts";
import type { DefineCommand, JsonOption, Surroundings } from "./surroundings.ts";

export interface ExportCommandOptions extends JsonOption {
  readonly format?: ExportFormat;
  readonly output?: string;
  readonly force?: boolean;
}

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand export last", "Markdown on standard output"],
    ["longhand export last --output talk.md", "into a new file that only you can read"],
    ["longhand export my-notes --format json", "one document: the session and its messages"],
    ["longhand export my-notes --output all.jsonl", "every record that is kept, a line each"],
  ]);
  command
    .argument("<key>", KEY_HELP)
    .addOption(
      new Option(
        "--format <format>",
        "md and json: the view; jsonl: every record, cut and undone ones too (default: by the file's name; md on standard output)",
      ).choices(EXPORT_FORMATS),
    )
    .option(
      "-o, --output <file>",
      "write there (mode 0600) instead of standard output; “-” is standard output",
      parseNotEmpty,
    )
    .option("--force", "replace the file if it is there")
    .option(
      "--json",
      "without --output and --format: the same as --format json; with --output: tell as JSON what was written",
    )
    .action(async (key: string, options: ExportCommandOptions) => {
      const surroundings = begin(options);
      await withProgress(surroundings.output, async (progress) => {
        const given = { ...surroundings, output: progress.output };
        await readSession(
          given,
          key,
          async (store, info, met) =>
            exportSession(store, info, options, given, met, showPercent(progress, "exporting")),
          { onFlawed: () => given.markFailed() },
        );
      });
    });
};

export async function exportSession(
  store: Store,
  info: SessionInfo,
  options: ExportCommandOptions,
  { output, json, places }: Surroundings,
  { damage }: Met,
  onProgress: OnProgress,
): Promise<void> {
  const file = options.output === "-" ? undefined : options.output;
  const format = options.format ?? formatFor(file, json);
  const records = recordsWithGaps(
    store.session(info.key),
    info,
    { all: format === "jsonl" },
    { directory: places.sessions.path, damage },
  );
  const pieces = exportPieces(info, format, watched(records, info, onProgress));
  if (file === undefined) {
    for await (const piece of pieces) {
      if (output.isClosed()) return;
      output.write(piece);
    }
    return;
  }
  const path = resolve(file);
  const { bytes } = await writePrivateFile(path, pieces, { replace: options.force === true });
  if (json) output.write(jsonLine({ key: info.key, format, file: path, bytes }));
  else
    output.write(`Wrote ${escapeKey(info.key)} to ${escapeLine(path)} (${format}, ${formatBytes(bytes)}).\n`);
}

/** USAGE_INVALID: the name of the file does not say. */
function formatFor(file: string | undefined, json: boolean): ExportFormat {
  if (file === undefined) return json ? "json" : "md";
  const format = formatInName(file);
  if (format !== undefined) return format;
  throw new CommandError(
    "USAGE_INVALID",
    `the format of ${escapeLine(file)} is not known by its name; end it with .md, .json or .jsonl, or give --format`,
  );
}

async function* watched(
  records: AsyncIterable<RecordOrGap>,
  { seq: end }: SessionInfo,
  onProgress: OnProgress,
): AsyncIterable<RecordOrGap> {
  let first: number | undefined;
  for await (const each of records) {
    const seq = "lost" in each ? each.lost.last : each.record.seq;
    first ??= seq;
    onProgress(seq - first + 1, end - first + 1);
    yield each;
  }
}
