/**
 * Makes the records of an export ready to be written, and proves it in memory before anything is written: every record is one the store takes, and
 * the view that they give is the one that was exported.
 */

import type { Session, SessionInfo, SessionRecord } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { PINS_KIND } from "../sessions/pins-kind.ts";
import { escapeLine } from "../terminal/escape-controls.ts";
import type { ParsedExport } from "./parse-export.ts";

export interface PreparedImport {
  readonly records: readonly SessionRecord[];
  /** The state that the session will have. */
  readonly info: SessionInfo;
  /** Records were missing: seqs are others than in the exported session. */
  readonly isRenumbered: boolean;
}

/** INPUT_INVALID: a record is wrong, or the view cannot be rebuilt from what is left of the session. */
export async function prepareImport(
  { records: given, live, end }: ParsedExport,
  name: string,
): Promise<PreparedImport> {
  const { memoryBackend, openStore } = await import("@longhand/store");
  const store = await openStore(memoryBackend());
  const newSeqs = new Map(given.map(({ seq }, index) => [seq, index + 1]));
  const isRenumbered = given.some(({ seq }, index) => seq !== index + 1);
  const moved = isRenumbered ? given.map((record) => withNewPins(record, newSeqs)) : given;
  const trial = await tryImport(store.session("trial"), moved, name);
  const view = new Set<number>();
  for await (const { seq } of store.session("trial").records({ live: true })) view.add(seq);
  const isSameView = view.size === live.size && [...live].every((seq) => view.has(newSeqs.get(seq) ?? 0));
  if (!isSameView) {
    throw new CommandError(
      "INPUT_INVALID",
      `${escapeLine(name)} lacks records that decided which messages are seen; nothing was written. Export the view instead: longhand export KEY --format json`,
    );
  }
  const records = [...moved, ...missingEnd(trial, end, moved)];
  const info =
    records.length === moved.length ? trial : await tryImport(store.session("whole"), records, name);
  await store.close();
  return { records, info, isRenumbered };
}

async function tryImport(
  session: Session,
  records: readonly SessionRecord[],
  name: string,
): Promise<SessionInfo> {
  const { isLonghandError } = await import("@longhand/store");
  await session.importRecords(records).catch((error: unknown) => {
    if (!isLonghandError(error) || error.code === "MESSAGE_TOO_LARGE") throw error;
    const reason = error.message.replace(/^(session "\w+": )?importRecords,? /, "");
    throw new CommandError(
      "INPUT_INVALID",
      `${escapeLine(name)}: ${escapeLine(reason)}; nothing was written`,
      {
        cause: error,
      },
    );
  });
  const info = await session.state();
  if (info === undefined) throw new Error("a session that was imported has a state");
  return info;
}

/** What was set by records that are missing from the export. */
function missingEnd(
  { summary, title, tags }: SessionInfo,
  end: ParsedExport["end"],
  records: readonly SessionRecord[],
): readonly SessionRecord[] {
  if (end === undefined) return [];
  const last = records.at(-1);
  let seq = last?.seq ?? 0;
  const at = end.updated === "" ? (last?.at ?? "") : end.updated;
  const isTitled = end.title !== undefined && end.title !== title;
  const isTagged = end.tags.join("\n") !== tags.join("\n");
  return [
    ...(end.summary === summary ? [] : [{ seq: ++seq, at, op: "summary", summary: end.summary } as const]),
    ...(isTitled ? [{ seq: ++seq, at, op: "meta", title: end.title } as const] : []),
    ...(isTagged ? [{ seq: ++seq, at, op: "meta", tags: end.tags } as const] : []),
  ];
}

/** The seqs of pinned messages follow the records. */
function withNewPins(record: SessionRecord, newSeqs: ReadonlyMap<number, number>): SessionRecord {
  if (record.op !== "note" || record.kind !== PINS_KIND) return record;
  const { data } = record;
  if (typeof data !== "object" || data === null || !("pins" in data) || !Array.isArray(data.pins))
    return record;
  const pins = data.pins.flatMap((seq) => newSeqs.get(seq as number) ?? []);
  return { ...record, data: { ...data, pins } };
}
