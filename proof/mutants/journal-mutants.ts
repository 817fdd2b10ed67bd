/** Mistakes in the commit: the journal, its generations, landing, replay. */

import { crashesOf, danger, faults } from "./caught-by.ts";
import type { Mutant } from "./mutant.ts";

export const JOURNAL_MUTANTS: readonly Mutant[] = [
  {
    name: "answered-before-sync",
    breaks: "acknowledged is durable: a write is answered when its block is written, not when it is synced",
    file: "wal/journal.ts",
    edits: [
      {
        find: 'const synced = this.#durability === "sync" ?',
        replace: 'const synced = this.#durability === "os" ?',
      },
    ],
    caughtBy: crashesOf("one append"),
  },
  {
    name: "landed-before-commit",
    breaks: "a prefix, always: a session's file is written to before the journal has the record",
    file: "engine/writing/commit-pipeline.ts",
    edits: [
      {
        find: "        const committing = this.#commitBlock(",
        replace:
          "        for (const { log, batches } of block) if (log !== undefined) this.#acknowledge(log, batches);\n        this.applier.begin();\n" +
          "        const committing = this.#commitBlock(",
      },
      {
        find: "        for (const { log, batches } of block) if (log !== undefined) this.#acknowledge(log, batches);\n        if (committing",
        replace: "        if (committing",
      },
    ],
    caughtBy: danger("refused blocks"),
  },
  {
    name: "journal-reused-before-file-sync",
    breaks: "acknowledged is durable: the journal's space is used again while the files are only landed",
    file: "engine/writing/record-applier.ts",
    edits: [
      {
        find: "logs.map(async (log) => await this.trySettle(log)));\n",
        replace:
          "logs.map(async (log) => {\n        await log.apply();\n        this.#covered.delete(log);\n        return true;\n      }));\n",
      },
    ],
    caughtBy: crashesOf("a journal used again"),
  },
  {
    name: "journal-without-durable-name",
    breaks:
      "acknowledged is durable: the name of a new journal is not synced, and a power cut takes all of it",
    file: "engine/instance/begin-instance.ts",
    edits: [{ find: "    await host.files.syncDirectory(layout.journals);\n", replace: "" }],
    caughtBy: crashesOf("one append"),
  },
  {
    name: "block-number-counted-though-full",
    breaks:
      "no false alarm: after a full disk the journal's numbers have a gap, and a block is called damaged that never was",
    file: "wal/journal.ts",
    edits: [
      {
        find: "      await this.#voidRefused(written);\n",
        replace: "      await this.#voidRefused(written);\n      this.#nextBlock++;\n",
      },
    ],
    caughtBy: danger("refused blocks"),
  },
  {
    name: "failed-journal-sync-tried-again",
    breaks: "acknowledged is durable: the second sync says yes to what the first has lost",
    file: "wal/journal.ts",
    edits: [
      {
        find: "      () => this.#file.sync(),\n",
        replace:
          "      async () => await Promise.resolve(this.#file.sync()).catch(async () => await this.#file.sync()),\n",
      },
    ],
    caughtBy: danger("a failed sync of the journal"),
  },
  {
    name: "failed-file-sync-tried-again",
    breaks: "acknowledged is durable: a session's file is synced again without its bytes being written again",
    file: "engine/writing/record-applier.ts",
    edits: [
      {
        find: "      await log.rewrite(own.filter(({ file }) => file === log.header.file));\n",
        replace: "      await log.rewrite(own.slice(0, 0));\n",
      },
    ],
    caughtBy: danger("a failed sync of a session's file"),
  },
  {
    name: "short-write-ignored",
    breaks: "acknowledged is durable: what did not fit is taken for written",
    file: "host/write-fully.ts",
    edits: [{ find: "    written += count;\n", replace: "    written = bytes.length;\n" }],
    caughtBy: faults("a short write"),
  },
  {
    name: "old-generation-replayed",
    breaks: "no wrong data: a block that was voided with its generation is written over what came since",
    file: "wal/block.ts",
    edits: [
      {
        find: "if (first?.generation !== head.generation || first.number !== number) return undefined;",
        replace: "if (first?.number !== number) return undefined;",
      },
      {
        find: "if (checksum(blockSalt(head, number, payload.length), payload) !== first.sum) return undefined;",
        replace:
          "if (checksum(blockSalt({ ...head, generation: first.generation }, number, payload.length), payload) !== first.sum) return undefined;",
      },
    ],
    caughtBy: danger("taken for dead, by one who is killed"),
  },
  {
    name: "blocks-behind-damage-not-read",
    breaks: "no silent loss: replay ends at a damaged block, and the seqs of those behind it are given again",
    file: "wal/read-journal.ts",
    edits: [
      {
        find: "    if (next === undefined) return {",
        replace: "    if (next === undefined || lost >= 0) return {",
      },
    ],
    caughtBy: danger("damaged blocks"),
  },
  {
    name: "lost-blocks-taken-for-an-older-file",
    breaks: "appends continue: records behind a damaged block are kept aside, and their seqs are given again",
    file: "session/fit-records.ts",
    edits: [
      {
        find: "  if (lostBefore === undefined) return after === undefined;\n",
        replace: "  if (lostBefore === undefined || after !== undefined) return after === undefined;\n",
      },
    ],
    caughtBy: danger("damaged blocks"),
  },
  {
    name: "record-glued-to-a-hole",
    breaks: "no loss: a record behind lost ones is one line with the hole before it",
    file: "session/fit-records.ts",
    edits: [{ find: "[endOfHole(record), record]", replace: "[endOfHole(record), record].slice(1)" }],
    caughtBy: danger("damaged blocks"),
  },
  {
    name: "replay-into-recreated-session",
    breaks: "no mixing: records of a deleted session are written into the new one of the same key",
    file: "engine/instance/replay-records.ts",
    edits: [
      {
        find: "    const path = (await findSessionFile(files, layout, session, name))?.path;\n",
        replace:
          "    const named = `${layout.directory}/${name}`;\n" +
          "    const isThere = (await files.stat(named)) !== undefined;\n" +
          "    const path = isThere ? named : (await findSessionFile(files, layout, session, name))?.path;\n",
      },
      {
        find: "  if (header === undefined || header.id !== first?.session || fileNameOf(header.key) !== first.name)\n    return undefined;\n",
        replace:
          "  if (header === undefined || first === undefined || fileNameOf(header.key) !== first.name) return undefined;\n",
      },
    ],
    caughtBy: crashesOf("generations of one key"),
  },
  {
    name: "replay-into-the-next-file",
    breaks: "no wrong data: records of a sealed file are written into the one that came after it",
    file: "engine/instance/replay-records.ts",
    edits: [
      {
        find: ".filter((record) => record.file === header.file)",
        replace: ".filter((record) => record.file <= header.file)",
      },
    ],
    caughtBy: crashesOf("sealed again and again"),
  },
  {
    name: "replay-skips-what-seems-there",
    breaks: "acknowledged is durable: replay passes over a hole, since something later is in the file",
    file: "engine/instance/replay-records.ts",
    edits: [
      {
        find: "  for (const { offset, bytes } of joined(fits)) await writeFully(file, bytes, offset);\n",
        replace:
          "  const { size } = await file.stat();\n" +
          "  for (const { offset, bytes } of fits) if (offset + bytes.length > size) await writeFully(file, bytes, offset);\n",
      },
      { find: "    if (!(await areIn(files, path, file, fits))) return undefined;\n", replace: "" },
    ],
    caughtBy: crashesOf("appends, batches and ids"),
  },
  {
    name: "adopted-files-not-synced",
    breaks: "acknowledged is durable: a dead one's journal is emptied while its records are only landed",
    file: "engine/instance/replay-records.ts",
    edits: [{ find: "    await file.sync();\n", replace: "" }],
    caughtBy: crashesOf("taken over"),
  },
  {
    name: "records-of-no-history",
    breaks: "no mixing: a record does not say after which line it was written, and goes behind another",
    file: "session/session-log.ts",
    edits: [
      {
        find: "      const placed = { session, file, name, state, offset, bytes, after, last, checkpointBytes };\n",
        replace:
          "      const placed = { session, file, name, state, offset, bytes, after: undefined, last, checkpointBytes };\n",
      },
    ],
    caughtBy: danger("a version put back"),
  },
  {
    name: "replay-over-another-record",
    breaks: "no silent loss: replay writes over a record of whoever has gone on from an older file",
    file: "session/lines-under.ts",
    edits: [
      {
        find: "      if (isHit && !isIn(patch, whole)) found.push(whole);\n",
        replace: "      if (isHit && !isIn(patch, whole) && whole.offset < 0) found.push(whole);\n",
      },
    ],
    caughtBy: danger("a version put back"),
  },
  {
    name: "replay-over-a-glued-record",
    breaks: "no silent loss: replay writes over a whole record that an editor has glued to another",
    file: "session/lines-under.ts",
    edits: [
      {
        find: "    piece.content === undefined || decodeLine",
        replace: "    piece.content === undefined || piece.bytes < bytes || decodeLine",
      },
    ],
    caughtBy: { part: "edits", slice: 6 },
  },
  {
    name: "glued-header-not-found",
    breaks: "no loss: a session whose header is glued behind another line is given up",
    file: "engine/verify/written-header.ts",
    edits: [
      {
        find: "    for (const piece of lines.flatMap(piecesOf)) {\n",
        replace: "    for (const piece of lines) {\n",
      },
    ],
    caughtBy: { part: "edits", slice: 27 },
  },
  {
    name: "kept-record-called-lost",
    breaks: "no loss: a repair calls a record lost that was kept aside",
    file: "session/copy-good-lines.ts",
    edits: [
      {
        find: "  for (const each of lines.kept ?? []) {\n",
        replace: "  for (const each of (lines.kept ?? []).slice(0, 0)) {\n",
      },
    ],
    caughtBy: { part: "edits", slice: 4 },
  },
  {
    name: "replay-believes-its-writes",
    breaks:
      "acknowledged is durable: an older file, put back before replay syncs, takes its records out again",
    file: "engine/instance/replay-records.ts",
    edits: [
      {
        find: "    if (!(await areIn(files, path, file, fits))) return undefined;\n",
        replace: "    await areIn(files, path, file, fits);\n",
      },
    ],
    caughtBy: danger("a version put back"),
  },
  {
    name: "changed-file-not-noticed",
    breaks: "acknowledged is durable: the journal forgets records that are in a file which has lost its name",
    file: "engine/writing/record-applier.ts",
    edits: [
      {
        find: "      if (this.#covered.has(log)) await this.#checkUnchanged(log);\n",
        replace: "      if (this.#covered.has(log)) void this.#checkUnchanged;\n",
      },
    ],
    caughtBy: danger("a version put back"),
  },
  {
    name: "late-records-of-a-changed-file-forgotten",
    breaks:
      "acknowledged is durable: what is acknowledged while the records before it are kept aside is dropped",
    file: "session/session-log.ts",
    edits: [
      { find: "    if (this.#end !== end) return false;\n", replace: "    if (end < 0) return false;\n" },
    ],
    caughtBy: danger("a version put back"),
  },
  {
    name: "adopted-journal-not-emptied",
    breaks: "no wrong data: the removal of an adopted journal may be undone, and its blocks count again",
    file: "engine/instance/recovery.ts",
    edits: [
      {
        find: '  if (found.kind === "journal") await emptyJournal(files, path, found.contents);\n',
        replace: "",
      },
    ],
    caughtBy: danger("taken for dead, by one who is killed"),
  },
  {
    name: "adopted-journal-emptied-by-its-next-generation",
    breaks: "no wrong data: an owner that lives after all begins that very generation, and its block counts",
    file: "engine/instance/recovery.ts",
    edits: [{ find: "[head.generation + 3, head.generation + 4]", replace: "[head.generation + 1]" }],
    caughtBy: danger("taken for dead, by one who is killed"),
  },
  {
    name: "purge-without-its-note",
    breaks: "no false alarm: a journal speaks of a purged session, and recovery calls that damage",
    file: "engine/writing/open-sessions.ts",
    edits: [{ find: "    await noteRemoved(this.#host, this.#layout, { key, id });\n", replace: "" }],
    caughtBy: crashesOf("deleted for good"),
  },
];
