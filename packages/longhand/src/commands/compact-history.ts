/** `longhand compact --explain` and `--undo`: what the summaries stand for, and taking the newest one back. */

import type { SessionInfo, Store } from "@longhand/store";
import type { ExplainedCompaction } from "@longhand/store/context";
import { CommandError } from "../command-error.ts";
import { escapeControls, escapeKey } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { timesFor } from "../terminal/format-time.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { readableWidth } from "../terminal/output.ts";
import { wrapText } from "../terminal/wrap-text.ts";
import type { Surroundings } from "./surroundings.ts";

export async function explain(
  store: Store,
  { key, summary }: SessionInfo,
  surroundings: Surroundings,
): Promise<void> {
  const { explainCompaction } = await import("@longhand/store/context");
  const { output, json, toPaste } = surroundings;
  const compactions = await explainCompaction(store.session(key));
  if (json) {
    output.write(jsonLine({ key, compactions }));
    return;
  }
  const shown = output.colors.cyan(escapeKey(key));
  if (compactions.length === 0) {
    output.write(
      summary === ""
        ? `${shown} is not compacted.\n`
        : `${shown} has a summary, but nobody has noted what it stands for.\n`,
    );
    if (summary !== "") output.write(output.colors.dim(`To read all: ${toPaste("show --all", key)}\n`));
    return;
  }
  for (const [index, compaction] of compactions.entries()) {
    if (output.isClosed()) return;
    const isLast = index === compactions.length - 1;
    for (const line of compactionLines(key, compaction, isLast, surroundings)) output.write(`${line}\n`);
  }
}

/** `isFirst`: there was none before it. */
function compactionLines(
  key: string,
  { seq, at, by, from, to, messages, summary }: ExplainedCompaction,
  isFirst: boolean,
  { output, toPaste }: Surroundings,
): string[] {
  const { bold, dim } = output.colors;
  const width = readableWidth(output);
  const how = by === "model" ? "written by a model" : "made without a model";
  const earlier = isFirst ? "" : ", and for the summary below";
  return [
    `${bold("Summary")}  ${dim(`${timesFor(output).moment(at)} · #${seq} · ${how}`)}`,
    `Stands for ${countOf(messages, "message")}, #${from} to #${to}${earlier}.`,
    dim(`To read them: ${toPaste(`show --all --from ${from} --to ${to}`, key)}`),
    ...wrapText(escapeControls(summary), width === undefined ? undefined : width - 2).map((line) =>
      `  ${line}`.trimEnd(),
    ),
    "",
  ];
}

export async function undo(
  store: Store,
  { key, seq, summary }: SessionInfo,
  { output, json, toPaste }: Surroundings,
): Promise<void> {
  const { explainCompaction, undoCompaction } = await import("@longhand/store/context");
  const session = store.session(key);
  const undone = await undoCompaction(session);
  if (undone === undefined) {
    const isKnown = (await explainCompaction(session)).length > 0;
    const noted = isKnown
      ? "its view was cut again or replaced since, and that comes first"
      : "nobody has noted what its summary stands for";
    const why = summary === "" ? "it is not compacted" : noted;
    throw new CommandError("NOTHING_TO_UNDO", `there is nothing to take back in ${escapeKey(key)}: ${why}`, {
      ...(summary === "" ? {} : { remedy: `its cuts, each with its seq: ${toPaste("show --all", key)}` }),
    });
  }
  const count = (await session.state())?.count ?? 0;
  if (json) {
    output.write(jsonLine({ key, count, undone }));
    return;
  }
  const { from, to, messages } = undone;
  output.write(
    `Taken back in ${output.colors.cyan(escapeKey(key))}: the summary of ${countOf(messages, "message")} (#${from} to #${to}); ${count} in the view now.\n`,
  );
  output.write(output.colors.dim(`To undo that: ${toPaste(`undo --to ${seq}`, key)}\n`));
}
