/** `longhand migrate --undo`: brings the originals of a migration back. */

import type { UndoneMigration } from "@longhand/store";
import { warner } from "../sessions/with-store.ts";
import { confirm } from "../terminal/confirm.ts";
import { escapeKey, escapeLine } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { jsonLine } from "../terminal/json-line.ts";
import type { Surroundings } from "./surroundings.ts";

export interface UndoMigratedOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Exits with 1 if something could not be taken back. */
export async function undoMigrated(
  { dryRun = false, yes = false }: UndoMigratedOptions,
  surroundings: Surroundings,
): Promise<void> {
  const { output, json, places, toPaste } = surroundings;
  const { undoMigration } = await import("@longhand/store");
  const { path } = places.sessions;
  const preview = await undoMigration(path, { dryRun: true });
  if (dryRun || preview.undone.length === 0) {
    tell(preview, dryRun, surroundings);
    if (!json && preview.undone.length > 0) output.write(`To do it: ${toPaste("migrate --undo")}\n`);
    return;
  }
  if (!json && !yes) writeLists(preview, true, surroundings);
  await confirm(surroundings, {
    question: `Bring the originals of ${countOf(preview.undone.length, "session")} back and remove the sessions?`,
    because: "this removes the migrated sessions",
    yes,
    command: toPaste("migrate --undo --yes"),
  });
  const warn = warner(surroundings);
  const done = await undoMigration(path, { onError: ({ code, message }) => warn(code, message, {}) });
  tell(done, false, surroundings);
}

function tell(result: UndoneMigration, dryRun: boolean, surroundings: Surroundings): void {
  const { output, json } = surroundings;
  const { directory, undone, notUndone } = result;
  if (notUndone.length > 0) surroundings.markFailed();
  if (json) {
    output.write(jsonLine({ dryRun, directory, undone, notUndone }));
    return;
  }
  if (undone.length === 0 && notUndone.length === 0) {
    output.write(`No migration of ${escapeLine(directory)} can be taken back: nothing there was migrated.\n`);
    return;
  }
  writeLists(result, dryRun, surroundings);
  const done = dryRun ? "Would be undone" : "Undone";
  const left = notUndone.length === 0 ? "" : `; not: ${notUndone.length}`;
  output.write(`${done}: ${countOf(undone.length, "session")}${left}.\n`);
}

function writeLists({ undone, notUndone }: UndoneMigration, dryRun: boolean, { output }: Surroundings): void {
  const { green, yellow, cyan } = output.colors;
  for (const { key, originals } of undone) {
    const mark = dryRun ? "would be undone:" : green("✓");
    output.write(`${mark} ${cyan(escapeKey(key))}: ${originals.map(escapeLine).join(", ")}\n`);
  }
  for (const { key, originals, reason } of notUndone) {
    const what = key === undefined ? originals.map(escapeLine).join(", ") : escapeKey(key);
    output.write(`${yellow("•")} ${what}: not undone: ${escapeLine(reason)}\n`);
  }
}
