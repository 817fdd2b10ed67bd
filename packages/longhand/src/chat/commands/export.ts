import { resolve } from "node:path";
import type { Session, SessionInfo, Store } from "@longhand/store";
import { CommandError } from "../../command-error.ts";
import { exportPieces, formatInName } from "../../export/export-format.ts";
import { writePrivateFile } from "../../export/write-private-file.ts";
import { type RecordOrGap, recordsWithGaps } from "../../sessions/records-with-gaps.ts";
import { escapeLine } from "../../terminal/escape-controls.ts";
import { formatBytes } from "../../terminal/format-count.ts";
import { writeWrapped } from "../../terminal/write-wrapped.ts";
import type { ChatCommand } from "../chat-command.ts";

export const exportConversation: ChatCommand = {
  name: "export",
  argument: "FILE",
  summary: "write this conversation to a new .md, .json or .jsonl file",
  waits: false,
  run: async (argument, { agent, conversation, currentDirectory, output }) => {
    if (argument === "") {
      throw new CommandError("USAGE_INVALID", "say where to: /export FILE, such as /export talk.md");
    }
    const { session } = conversation;
    const info = await session.state();
    if (info === undefined) throw new CommandError("USAGE_INVALID", "nothing was said here yet");
    const file = resolve(currentDirectory, argument);
    const format = formatInName(file);
    if (format === undefined) {
      throw new CommandError(
        "USAGE_INVALID",
        "the name of the file says how it is written: it ends with .md, .json or .jsonl",
      );
    }
    const records = recordsOf(agent.store, session, info, format === "jsonl");
    const { bytes } = await writeNew(file, exportPieces(info, format, records));
    writeWrapped(
      output,
      `Wrote ${escapeLine(file)} (${format}, ${formatBytes(bytes)}); only you can read it.`,
    );
  },
};

/** A chat replaces nothing: what helps is another than on the command line. */
async function writeNew(file: string, pieces: AsyncIterable<string>): Promise<{ readonly bytes: number }> {
  try {
    return await writePrivateFile(file, pieces, { replace: false });
  } catch (error) {
    if (!(error instanceof CommandError) || error.code !== "FILE_EXISTS") throw error;
    throw new CommandError("FILE_EXISTS", `${file} is there already; choose another name`, { cause: error });
  }
}

function recordsOf(
  store: Store,
  session: Session,
  info: SessionInfo,
  all: boolean,
): AsyncIterable<RecordOrGap> {
  if (store.directory === undefined) return kept(session, all);
  return recordsWithGaps(session, info, { all }, { directory: store.directory, damage: [] });
}

/** Where there are no files there is nothing to be damaged. */
async function* kept(session: Session, all: boolean): AsyncIterable<RecordOrGap> {
  const live = new Set<number>();
  for await (const { seq } of session.records({ live: true })) live.add(seq);
  for await (const record of session.records()) {
    if (all || live.has(record.seq)) yield { record, isLive: live.has(record.seq) };
  }
}
