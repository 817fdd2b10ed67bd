/** Mistakes with files and their names: sealing, forking, putting away, compressing, migrating. */

import { crashesOf, danger } from "./caught-by.ts";
import type { Mutant } from "./mutant.ts";

export const FILE_MUTANTS: readonly Mutant[] = [
  {
    name: "session-without-durable-name",
    breaks: "acknowledged is durable: a record is journaled for a file whose name a power cut can take",
    file: "engine/writing/open-sessions.ts",
    edits: [{ find: "    return await this.#withDurableName(log);\n", replace: "    return log;\n" }],
    caughtBy: crashesOf("one append"),
  },
  {
    name: "deletion-not-synced",
    breaks: "an acknowledged deletion stays: a power cut brings the session back",
    file: "engine/writing/open-sessions.ts",
    edits: [
      {
        find: "    await this.#names.change(from.status, to.status, rename);\n    await this.syncNames();\n",
        replace: "    await this.#names.change(from.status, to.status, rename);\n",
      },
    ],
    caughtBy: crashesOf("generations of one key"),
  },
  {
    name: "second-file-not-seen",
    breaks: "nothing disappears by itself: emptying the trash removes the sealed files of an active session",
    file: "engine/files/only-file.ts",
    edits: [
      { find: "  throw secondFile(own, other.path);\n", replace: "  void secondFile(own, other.path);\n" },
    ],
    caughtBy: danger("two files with one id"),
  },
  {
    name: "second-file-hidden-by-damage",
    breaks: "damage is reported: verify passes over a file with a damaged header whose id another file has",
    file: "upkeep/verify-store.ts",
    edits: [
      {
        find: "    return header === undefined || header.id === id;\n",
        replace: "    return header?.id === id;\n",
      },
    ],
    caughtBy: danger("two files with one id"),
  },
  {
    name: "seal-over-a-compressed-file",
    breaks:
      "nothing disappears by itself: sealing and compressing write over a sealed file that no chain names",
    file: "engine/writing/seal-session.ts",
    edits: [{ find: "  await checkNumberFree(files, path, sealed);\n", replace: "" }],
    caughtBy: danger("a version put back before a seal"),
  },
  {
    name: "seal-with-a-gap",
    breaks:
      "no gaps: a file is sealed before its last records are in it, and replay passes over what is sealed",
    file: "engine/writing/seal-session.ts",
    edits: [
      { find: "  await deps.settle(log);\n", replace: "" },
      {
        find: "  try {\n    await deps.syncNames(layout.directory);\n    await deps.syncNames(layout.temporary);\n",
        replace:
          "  await deps.settle(log);\n  try {\n    await deps.syncNames(layout.directory);\n    await deps.syncNames(layout.temporary);\n",
      },
    ],
    caughtBy: crashesOf("sealed again and again"),
  },
  {
    name: "sealed-name-not-synced",
    breaks: "acknowledged is durable: the new active file is there, the sealed one has no name",
    file: "engine/writing/seal-session.ts",
    edits: [
      {
        find: "  await deps.syncNames(segmentDirectory(layout.segments, header.id));\n",
        replace: "",
      },
    ],
    caughtBy: crashesOf("sealed again and again"),
  },
  {
    name: "next-file-not-synced",
    breaks: "acknowledged is durable: a record is journaled for a file that a power cut can take back",
    file: "engine/writing/seal-session.ts",
    edits: [
      {
        find: "    await deps.syncNames(layout.directory);\n    await deps.syncNames(layout.temporary);\n",
        replace: "",
      },
    ],
    caughtBy: crashesOf("sealed again and again"),
  },
  {
    name: "orphan-read",
    breaks: "no mixing: a file that the chain does not name is read as a part of the session",
    file: "engine/reading/read-session.ts",
    edits: [
      {
        find: "      const log = logOf(place, tail.header, tail.end, tail.state.seq, patches);\n",
        replace:
          "      const own = logOf(place, tail.header, tail.end, tail.state.seq, patches);\n" +
          "      const directory = `${place.layout.segments}/${tail.header.id}`;\n" +
          "      const names = (await files.stat(directory)) === undefined ? [] : await files.readDirectory(directory);\n" +
          "      const strays = names.map(Number.parseInt).filter((file) => own.parts.every((part) => part.sum === undefined || part.file !== file));\n" +
          '      const bounds = { writtenBy: tail.header.id, first: 1, last: tail.state.seq, bytes: Infinity, sum: "", isDropped: false };\n' +
          "      const log = { ...own, parts: [...strays.map((file) => ({ ...bounds, file })), ...own.parts] };\n",
      },
    ],
    caughtBy: crashesOf("sealed again and again"),
  },
  {
    name: "fork-not-synced",
    breaks: "acknowledged is durable: a fork is answered before its name is durable",
    file: "engine/writing/fork-session.ts",
    edits: [{ find: "  await deps.syncNames(layout.directory);\n", replace: "" }],
    caughtBy: crashesOf("forked from a sealed and an active file"),
  },
  {
    name: "plain-segment-removed-too-early",
    breaks: "acknowledged is durable: a segment goes before the name of its compressed copy is durable",
    file: "session/compress-segment.ts",
    edits: [
      {
        find: "    await options.syncNames();\n    await files.unlink(path);\n",
        replace: "    await files.unlink(path);\n",
      },
    ],
    caughtBy: crashesOf("compressed"),
  },
  {
    name: "migration-before-its-manifest",
    breaks: "all or nothing: originals are renamed before the manifest that could complete it is durable",
    file: "migrate/manifest.ts",
    edits: [
      {
        find: "  await files.rename(temporary, manifestPath(places));\n  await files.syncDirectory(staging);\n",
        replace: "  await files.rename(temporary, manifestPath(places));\n",
      },
    ],
    caughtBy: crashesOf("moved in from another program"),
  },
  {
    name: "alias-not-durable",
    breaks:
      "acknowledged is durable: what was said by another name of a session is not found by it after a power loss",
    file: "migrate/aliases.ts",
    edits: [
      { find: "  await files.syncDirectory(directory);\n", replace: "" },
      {
        find: "      await writeFully(file, line, 0);\n      await file.sync();\n",
        replace: "      await writeFully(file, line, 0);\n",
      },
    ],
    caughtBy: crashesOf("moved in from another program"),
  },
];
