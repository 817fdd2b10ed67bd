/** What a record that is no message did to the conversation, in a line. */

import { escapeLine, onOneLine } from "./escape-controls.ts";
import type { EventRecord } from "./pair-tool-results.ts";

export function describeEvent(record: EventRecord): string {
  switch (record.op) {
    case "summary":
      return `summary set: ${short(record.summary)}`;
    case "truncate":
      return `truncated: the view begins at #${record.keepFrom}`;
    case "rewind":
      return record.undoesCut === true
        ? "a cut was taken back: what it hid is seen again"
        : `rewound: the view is what it was after #${record.to}`;
    case "compact":
      return `compacted: the view begins at #${record.keepFrom}, before it the summary: ${short(record.summary)}`;
    case "reset":
      return "history replaced by what follows";
    case "meta":
      return [
        ...(record.title === undefined ? [] : [`title: ${short(record.title)}`]),
        ...(record.tags === undefined ? [] : [`tags: ${record.tags.map(escapeLine).join(", ")}`]),
      ].join("; ");
    case "note":
      return `note ${escapeLine(record.kind)}: ${short(JSON.stringify(record.data))}`;
    case "unknown":
      return "a record of a kind that a newer version wrote";
  }
}

function short(text: string): string {
  return onOneLine(text.slice(0, 200));
}
