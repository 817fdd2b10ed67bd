/** What a migration does, in words and as a table. Pure. */

import type { MigrationPlan, PlannedSession } from "@longhand/store";
import { escapeKey, escapeLine } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import type { Table } from "../terminal/table.ts";

export function migrationTable({ sessions }: MigrationPlan): Table {
  return {
    columns: [
      { heading: "SOURCE", least: 16, most: 48 },
      { heading: "FORMAT" },
      { heading: "KEY", least: 12, most: 40 },
      { heading: "MESSAGES", align: "right" },
      { heading: "NOTES", least: 16 },
    ],
    rows: sessions.map((session) => [
      session.originals.map(({ name }) => escapeLine(name)).join(" + "),
      session.format,
      escapeKey(session.key),
      String(session.messages),
      escapeLine(notesOf(session).join("; ")),
    ]),
    shrinks: [4, 0, 2],
  };
}

/** Every line that does not become a message: where it is, and why. */
export function untakenLines({ sessions }: MigrationPlan): string[] {
  return sessions.flatMap(({ untaken }) =>
    untaken.map(({ file, line, offset, bytes, reason }) => {
      const place = bytes === 0 ? `message ${line}` : `line ${line}, byte ${offset}`;
      return escapeLine(`${file}, ${place}: ${reason}`);
    }),
  );
}

/** Every file that stays as it is, and why: nobody shall wonder what became of it. */
export function leftAloneLines({ leftAlone }: MigrationPlan): string[] {
  return leftAlone.map(({ name, reason }) => escapeLine(`${name}: ${reason}`));
}

function notesOf({ status, putAside, hidden, summary, untaken, remarks }: PlannedSession): string[] {
  return [
    ...(status === "archived" ? [`archived${putAside === undefined ? "" : `, since ${putAside}`}`] : []),
    ...(hidden === 0 ? [] : [`${countOf(hidden, "message")} cut from the view`]),
    ...(summary === "" ? [] : ["has a summary"]),
    ...(untaken.length === 0 ? [] : [`${countOf(untaken.length, "line")} not taken over`]),
    ...remarks,
  ];
}
