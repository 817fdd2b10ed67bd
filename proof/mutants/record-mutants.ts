/** Mistakes in what is believed: checksums, batches, ids, tails, headers. */

import { crashesOf, danger } from "./caught-by.ts";
import type { Mutant } from "./mutant.ts";

const FLIPS = { part: "bit-flips", slice: 0 } as const;
const EDITS = { part: "edits", slice: 0 } as const;

export const RECORD_MUTANTS: readonly Mutant[] = [
  {
    name: "checksum-ignored",
    breaks: "no wrong data: a line counts whatever its checksum says",
    file: "format/line-checksum.ts",
    edits: [
      {
        find: "  if (sum !== saltedSum(salt, bytes)) return undefined;\n",
        replace: "  if (sum !== saltedSum(salt, bytes) && sum < 0) return undefined;\n",
      },
    ],
    caughtBy: FLIPS,
  },
  {
    name: "salt-ignored",
    breaks: "no mixing: a good line of another session counts as one of this",
    file: "format/checksum.ts",
    edits: [{ find: "lastSaltSum = crc32(salt);", replace: "lastSaltSum = crc32(salt.slice(0, 0));" }],
    caughtBy: danger("exchanged files"),
  },
  {
    name: "checkpoint-believed-unchecked",
    breaks: "no wrong data: the state in a checkpoint counts whatever its checksum says",
    file: "session/find-checkpoint.ts",
    edits: [
      {
        find: "  const decoded = decodeLine(content, writtenBy);\n",
        replace:
          "  const line = content.subarray(0, content.length - CHECKSUM_FIELD_BYTES);\n" +
          "  const decoded = decodeLine(withChecksum(line.toString(), writtenBy).subarray(0, -1), writtenBy);\n",
      },
      {
        find: 'import { lineSum } from "../format/line-checksum.ts";\n',
        replace:
          'import { lineSum, CHECKSUM_FIELD_BYTES, withChecksum } from "../format/line-checksum.ts";\n',
      },
    ],
    caughtBy: danger("checkpoints"),
  },
  {
    name: "checkpoint-place-ignored",
    breaks: "no silent loss: a checkpoint that was copied or moved is believed where it stands",
    file: "format/checkpoint-position.ts",
    edits: [
      {
        find: "  return place.offset === offset && (sumBefore === undefined || sumBefore === place.before);\n",
        replace: '  return place.offset >= 0 && offset >= 0 && sumBefore !== "";\n',
      },
    ],
    caughtBy: EDITS,
  },
  {
    name: "refused-seq-given-again",
    breaks: "no seq is given twice: one of a line that was moved ahead is given to the next record",
    file: "format/line-order.ts",
    edits: [
      {
        find: "    this.#refusedSeq = Math.max(this.#refusedSeq, entry === undefined ? last : batchEnd(entry));\n",
        replace:
          "    this.#refusedSeq = Math.max(this.#refusedSeq, Math.min(0, entry === undefined ? last : batchEnd(entry)));\n",
      },
    ],
    caughtBy: EDITS,
  },
  {
    name: "half-a-batch-served",
    breaks: "a batch whole or not at all: one of which lines were removed is served by halves",
    file: "format/open-batch.ts",
    edits: [
      {
        find: "    return this.#isMissing;\n",
        replace: "    return this.#isMissing && this.last < this.first;\n",
      },
    ],
    caughtBy: EDITS,
  },
  {
    name: "moved-line-hides-others",
    breaks:
      "no silent loss: behind a line that was moved ahead, the good ones are not served, nor put back by a repair",
    file: "session/copy-good-lines.ts",
    edits: [
      {
        find: "      if (content === undefined || !isMissed(entry.seq) || late.has(entry.seq)) return;\n",
        replace: "      if (content === undefined || isMissed(entry.seq) || late.has(entry.seq)) return;\n",
      },
    ],
    caughtBy: EDITS,
  },
  {
    name: "checkpoint-forgets-notes",
    breaks: "acknowledged is durable: what was noted before the last checkpoint is not found again",
    file: "format/checkpoint.ts",
    edits: [
      { find: "    ids: remembered,\n    notes,\n", replace: "    ids: remembered,\n    notes: [],\n" },
    ],
    caughtBy: crashesOf("notes and cuts over sealed files"),
  },
  {
    name: "checkpoint-forgets-cuts",
    breaks: "no wrong data: what was hidden before the last checkpoint is seen again",
    file: "format/checkpoint.ts",
    edits: [
      { find: "    count,\n    keepFrom,\n", replace: "    count,\n    keepFrom: Math.min(keepFrom, 1),\n" },
    ],
    caughtBy: crashesOf("notes and cuts over sealed files"),
  },
  {
    name: "batch-marker-ignored",
    breaks: "a batch whole or not at all: the lines of an unfinished one are served",
    file: "format/line-order.ts",
    edits: [
      {
        find: "    if (entry?.batch !== undefined)\n",
        replace: "    if (entry?.batch !== undefined && entry.batch.size < 0)\n",
      },
    ],
    caughtBy: danger("half a landing"),
  },
  {
    name: "header-of-another-key-accepted",
    breaks: "no mixing: a file counts as the session of a key although its header names another",
    file: "session/open-session.ts",
    edits: [
      {
        find: "  if (key !== undefined && header.key !== key) {\n",
        replace: "  if (key !== undefined && header.key === undefined) {\n",
      },
    ],
    caughtBy: danger("exchanged files"),
  },
  {
    name: "reader-cuts-a-live-tail",
    breaks:
      "acknowledged is durable: a reader takes a record that is being landed for a torn one and cuts it",
    file: "engine/reading/read-session.ts",
    edits: [
      {
        find: "      const log = logOf(place, tail.header, tail.end, tail.state.seq, patches);\n",
        replace:
          '      if (tail.torn !== undefined) await useFile(await files.open(path, "write"), async (file) => await file.truncate(tail.end));\n' +
          "      const log = logOf(place, tail.header, tail.end, tail.state.seq, patches);\n",
      },
    ],
    caughtBy: danger("half a landing"),
  },
  {
    name: "torn-tail-not-kept",
    breaks: "no silent loss: the bytes of a torn tail are cut without being kept aside",
    file: "session/open-session.ts",
    edits: [
      {
        find: "  const kept = await keepAside(files, file, torn, path, place.damagedDirectory);\n",
        replace: "  const kept = place.damagedDirectory;\n",
      },
    ],
    caughtBy: danger("torn tails"),
  },
  {
    name: "damaged-line-passed-over-in-silence",
    breaks: "no silent loss: a line that fails its checksum is left out and not reported",
    file: "format/line-order.ts",
    edits: [
      {
        find: "      this.#visitor.damage(isKnown ? { ...damage, seq } : damage);\n",
        replace: "",
      },
    ],
    caughtBy: FLIPS,
  },
  {
    name: "id-remembered-after-rewind",
    breaks: "an append happens: its id was used by a message that was rewound, and it is answered as a retry",
    file: "format/fold.ts",
    edits: [
      {
        find: "      (known.isNote || isKept(state, known.firstSeq)),\n",
        replace: "      (known.isNote || known.firstSeq > 0),\n",
      },
    ],
    caughtBy: danger("conformance"),
  },
  {
    name: "stale-expected-seq-accepted",
    breaks: "SEQ_CONFLICT: a write that builds on an older state is written all the same",
    file: "contract/decide.ts",
    edits: [
      {
        find: "expectedSeq === undefined || expectedSeq === state.seq",
        replace: "expectedSeq === undefined || expectedSeq <= state.seq",
      },
    ],
    caughtBy: danger("conformance"),
  },
  {
    name: "reader-skips-a-file-sealed-meanwhile",
    breaks: "in order, once, across sealing: who reads while a file is sealed misses its records",
    file: "engine/reading/read-session.ts",
    edits: [
      {
        find: '  if (active === "sealed") {\n',
        replace:
          '  if (active === "sealed" && part.sum === undefined) return undefined;\n  if (active === "sealed") {\n',
      },
    ],
    caughtBy: danger("a file sealed while it is read"),
  },
  {
    name: "ids-unvalidated",
    breaks: "data on disk is untrusted: an id of a header that is a path leads out of the store",
    file: "format/session-id.ts",
    edits: [{ find: '"string" && PATTERN.test(value)', replace: '"string" && value !== ""' }],
    caughtBy: danger("names that are paths"),
  },
  {
    name: "file-names-unvalidated",
    breaks: "data on disk is untrusted: a name in a journal that is a path is written to",
    file: "format/key.ts",
    edits: [{ find: '"string" && FILE_NAME.test(value)', replace: '"string" && value !== ""' }],
    caughtBy: danger("names that are paths"),
  },
];
