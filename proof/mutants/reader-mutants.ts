/** Mistakes of those who read while others move sessions, or drop records. */

import { besideMover, danger } from "./caught-by.ts";
import type { Mutant } from "./mutant.ts";

export const READER_MUTANTS: readonly Mutant[] = [
  {
    name: "moves-not-counted",
    breaks: "no session is missed: an archived one that is restored and archived again passes a listing by",
    file: "engine/writing/open-sessions.ts",
    edits: [
      {
        find: "    await markMove(this.#host.files, this.#layout, heldSession.lease.name);\n",
        replace: "",
      },
    ],
    caughtBy: besideMover("list", "restore and archive"),
  },
  {
    name: "active-place-looked-at-once",
    breaks: "no session is missed: one that comes back after the active place was looked at is in none",
    file: "engine/files/every-session-file.ts",
    edits: [
      {
        find: "    if (!isAgain || !isSameFile(await files.stat(file.path), met.get(file.path))) yield { file, isAgain };\n",
        replace: "    if (isAgain && met.size < 0) yield { file, isAgain };\n",
      },
    ],
    caughtBy: besideMover("list", "restore and archive"),
  },
  {
    name: "passed-by-and-not-looked-again",
    breaks: "no session is missed: one that leaves again while its key is looked for is in no place that is",
    file: "engine/files/move-marks.ts",
    edits: [
      {
        find: "    if (moves === this.#moves) return false;\n",
        replace: "    if (moves === this.#moves || this.#looks > 0) return false;\n",
      },
    ],
    caughtBy: besideMover("state", "restore and archive"),
  },
  {
    name: "older-session-of-a-key-read",
    breaks: "no wrong data: while a session is restored, its key reads an older one that is archived",
    file: "engine/reading/read-key.ts",
    edits: [
      {
        find: "    // Also if there is an archived one: that may be older than one that has come back.\n    active = await readActive(place, file, key);\n",
        replace: "    if (archived === undefined) active = await readActive(place, file, key);\n",
      },
    ],
    caughtBy: besideMover("state", "newer of two"),
  },
  {
    name: "dropped-records-passed-over",
    breaks: "nothing disappears silently: a reader jumps over records that were dropped while it read",
    file: "session/read-entries.ts",
    edits: [{ find: "    if (!bounds.reverse && isDropped(from)) throw dropped(from);\n", replace: "" }],
    caughtBy: besideMover("records", "drop"),
  },
  {
    name: "unbegun-store-reads-files-alone",
    breaks:
      "acknowledged is durable: a store without an instance does not see what a dead one has acknowledged",
    file: "engine/reading/unheld-reading.ts",
    edits: [
      {
        find: "    const patchesOf = await readUnapplied(files, layout, await this.#deadInstances(), onDamage);\n",
        replace:
          "    const dead = await this.#deadInstances();\n    const patchesOf = await readUnapplied(files, layout, dead.slice(0, 0), onDamage);\n",
      },
    ],
    caughtBy: danger("a store that has not written yet"),
  },
];
