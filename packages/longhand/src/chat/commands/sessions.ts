import type { SessionInfo } from "@longhand/store";
import { sessionLabel } from "../../sessions/session-label.ts";
import { escapeKey } from "../../terminal/escape-controls.ts";
import { relativeTime } from "../../terminal/format-time.ts";
import { renderTable } from "../../terminal/table.ts";
import type { ChatCommand } from "../chat-command.ts";

const SHOWN = 20;

export const sessions: ChatCommand = {
  name: "sessions",
  argument: "[PREFIX]",
  summary: "list conversations, newest first",
  waits: false,
  run: async (prefix, { agent, conversation, output, toPaste }) => {
    const found: SessionInfo[] = [];
    for await (const info of agent.store.list({ limit: SHOWN + 1, ...(prefix === "" ? {} : { prefix }) }))
      found.push(info);
    if (found.length === 0) {
      output.write(
        prefix === ""
          ? "There is no session yet.\n"
          : `No session has a key that begins with “${escapeKey(prefix)}”.\n`,
      );
      return;
    }
    const rows: string[][] = [];
    for (const info of found.slice(0, SHOWN)) {
      const mark = info.key === conversation.key ? "* " : "  ";
      const label = await sessionLabel(agent.store, info);
      rows.push([
        mark + escapeKey(info.key),
        label,
        String(info.count),
        relativeTime(info.updated, output.now()),
      ]);
    }
    const columns = [
      { heading: "  KEY", most: 42, whole: true },
      { heading: "TITLE OR FIRST WORDS", least: 10 },
      { heading: "MESSAGES", align: "right" },
      { heading: "UPDATED" },
    ] as const;
    const { dim, cyan } = output.colors;
    const lines = renderTable(
      { columns, rows, shrinks: [1], drops: [2, 3, 1] },
      output.width,
      (cell, row, column) => (row === -1 ? dim(cell) : column === 0 ? cyan(cell) : cell),
    );
    for (const line of lines) output.write(`${line}\n`);
    if (found.length > SHOWN) output.write(dim(`There are more: ${toPaste("list")}\n`));
    output.write(dim("To go on with one: /resume KEY, or a part of it\n"));
  },
};
