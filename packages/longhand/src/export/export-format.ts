/** The formats that a conversation can be exported in. */

import type { SessionInfo } from "@longhand/store";
import { inView } from "../sessions/in-view.ts";
import type { RecordOrGap } from "../sessions/records-with-gaps.ts";
import { toExportLines, toJson } from "./to-json.ts";
import { toMarkdown } from "./to-markdown.ts";

export const EXPORT_FORMATS = ["md", "json", "jsonl"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** `undefined`: it says none. */
export function formatInName(file: string): ExportFormat | undefined {
  return EXPORT_FORMATS.find((format) => file.toLowerCase().endsWith(`.${format}`));
}

export function exportPieces(
  info: SessionInfo,
  format: ExportFormat,
  records: AsyncIterable<RecordOrGap>,
): AsyncIterable<string> {
  switch (format) {
    case "md":
      return toMarkdown(info, inView(records));
    case "json":
      return toJson(info, inView(records));
    case "jsonl":
      return toExportLines(info, records);
  }
}
