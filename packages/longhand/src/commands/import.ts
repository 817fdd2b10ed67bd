/** `longhand import`: brings an exported session back, whole or not at all. */

import { open } from "node:fs/promises";
import { resolve } from "node:path";
import type { Store } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { type ParsedExport, parseExport } from "../import/parse-export.ts";
import { type PreparedImport, prepareImport } from "../import/prepare-import.ts";
import { withLock } from "../sessions/with-lock.ts";
import { withStoreForReading, withStoreForWriting } from "../sessions/with-store.ts";
import { escapeKey, escapeLine } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { plainReason } from "../terminal/plain-reason.ts";
import { withProgress } from "../terminal/progress.ts";
import { shellQuote } from "../terminal/shell-quote.ts";
import { addExamples } from "./add-examples.ts";
import { addWaitOption } from "./add-wait-option.ts";
import { parseNotEmpty } from "./parse-not-empty.ts";
import type { DefineCommand, JsonOption, Surroundings, WaitOption } from "./surroundings.ts";

export interface ImportCommandOptions extends JsonOption, WaitOption {
  readonly as?: string;
  readonly dryRun?: boolean;
}

interface Import {
  readonly key: string;
  /** As it was given. */
  readonly file: string;
  readonly parsed: ParsedExport;
  readonly prepared: PreparedImport;
}

/** A text of this length can still be held in memory. */
const MOST_BYTES = 512 * 1024 * 1024;

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand import talk.jsonl", "the session that longhand export -o talk.jsonl wrote"],
    ["longhand import talk.jsonl --as my-copy", "under another key"],
    ["longhand import talk.jsonl --dry-run", "check the file and say what would be imported"],
    ["longhand export k --format jsonl | longhand import - --sessions DIR", "into another store"],
  ]);
  addWaitOption(command)
    .argument("<file>", "an export in JSONL or JSON; “-”: standard input")
    .option("--as <key>", "import it under this key (default: the key it was exported from)", parseNotEmpty)
    .option("--dry-run", "check it and write nothing")
    .option("--json", "one JSON document: key, seq, count, and what is missing")
    .addHelpText(
      "after",
      "\nJSONL brings everything back: all records with their times, also what was cut or undone. JSON has only the view, the summary, the title and\nthe tags. Markdown cannot be imported. A session that exists is never changed: give another key with --as.",
    )
    .action(async (file: string, options: ImportCommandOptions) => {
      const surroundings = begin(options);
      await withProgress(surroundings.output, async (progress) => {
        const given = { ...surroundings, output: progress.output };
        progress.show("reading");
        const wanted = await readImport(file, options, given);
        progress.show("importing");
        await importSession(wanted, options, given);
      });
    });
};

async function readImport(
  file: string,
  { as }: ImportCommandOptions,
  { input, output, currentDirectory, toPaste }: Surroundings,
): Promise<Import> {
  const isInput = file === "-";
  const name = isInput ? "standard input" : file;
  const bytes = isInput ? await input.read(MOST_BYTES) : await readFileBytes(resolve(currentDirectory, file));
  const parsed = parseExport(decoded(bytes, name), { name, now: output.now() });
  const key = as ?? parsed.key;
  if (key === undefined) {
    throw new CommandError(
      "USAGE_INVALID",
      `${escapeLine(name)} does not say which session it is; give it a key`,
      {
        remedy: toPaste(`import ${shellQuote(file)} --as KEY`),
      },
    );
  }
  return { key, file, parsed, prepared: await prepareImport(parsed, name) };
}

export async function importSession(
  wanted: Import,
  { wait, dryRun = false }: ImportCommandOptions,
  surroundings: Surroundings,
): Promise<void> {
  const { key, prepared } = wanted;
  if (dryRun)
    await withStoreForReading(surroundings, async (store) => checkFree(store, wanted, surroundings));
  else {
    await withStoreForWriting(surroundings, async (store) =>
      withLock(store.session(key), wait, surroundings, async () => {
        await checkFree(store, wanted, surroundings);
        await store.session(key).importRecords(prepared.records);
      }),
    );
  }
  tell(wanted, dryRun, surroundings);
}

/** The store refuses it too; here it is known what helps. */
async function checkFree(store: Store, { key, file }: Import, { toPaste }: Surroundings): Promise<void> {
  const info = await store.session(key).state();
  // A session without a record is what an import that was killed leaves behind.
  if (info === undefined || (info.status === "active" && info.seq === 0)) return;
  const what = info.status === "active" ? "exists" : `exists (${info.status})`;
  throw new CommandError("SESSION_EXISTS", `the session ${escapeKey(key)} ${what}; nothing was written`, {
    detail: { key, status: info.status },
    remedy: `to import it under another key: ${toPaste(`import ${shellQuote(file)} --as KEY`)}`,
  });
}

function tell({ key, file, parsed, prepared }: Import, dryRun: boolean, surroundings: Surroundings): void {
  const { output, json, toPaste } = surroundings;
  const { format, missing, unknown } = parsed;
  const { records, info, isRenumbered } = prepared;
  if (json) {
    const counts = { seq: info.seq, count: info.count, records: records.length, missing, unknown };
    output.write(jsonLine({ key, file, format, dryRun, ...counts, renumbered: isRenumbered }));
    return;
  }
  const { dim } = output.colors;
  const from = file === "-" ? "standard input" : escapeLine(file);
  const facts = `${countOf(records.length, "record")}, ${countOf(info.count, "message")} in the view`;
  output.write(`${dryRun ? "Would import" : "Imported"} ${escapeKey(key)} from ${from}: ${facts}.\n`);
  if (format === "json")
    output.write("A JSON export has only the view: times, notes and cut messages are not in it.\n");
  if (missing > 0) {
    const numbers = isRenumbered ? "; the others are numbered anew" : "";
    output.write(
      `${countOf(missing, "record")} of the session ${missing === 1 ? "is" : "are"} not in the export${numbers}.\n`,
    );
  }
  if (unknown > 0) output.write(`${countOf(unknown, "record")} of a newer version left out.\n`);
  output.write(
    dim(
      dryRun
        ? `To import it: ${toPaste(`import ${shellQuote(file)}`)}\n`
        : `To read it: ${toPaste("show", key)}\n`,
    ),
  );
}

async function readFileBytes(path: string): Promise<Uint8Array> {
  try {
    const file = await open(path, "r");
    try {
      const { size } = await file.stat();
      if (size > MOST_BYTES) {
        throw new CommandError("INPUT_INVALID", `${escapeLine(path)} is longer than ${MOST_BYTES} bytes`);
      }
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (cause) {
    if (cause instanceof CommandError) throw cause;
    throw new CommandError("FILE_FAILED", `${escapeLine(path)} could not be read: ${plainReason(cause)}`, {
      detail: { file: path },
      cause,
    });
  }
}

function decoded(bytes: Uint8Array, name: string): string {
  try {
    // A byte order mark, which an editor may have added, is dropped.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new CommandError("INPUT_INVALID", `${escapeLine(name)} is not UTF-8 text; nothing was written`, {
      cause,
    });
  }
}
