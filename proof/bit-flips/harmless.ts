/**
 * Where a flipped bit need not be reported, since nobody's words hang on it: a closed list. Even here everything must
 * read exactly as before; anywhere else a flip that is not reported is a broken promise.
 */

import { DIRECTORY, type SampleFile } from "../damage/sample-store.ts";

const OWN = `${DIRECTORY}/.longhand`;
const HEAD_COPY_BYTES = 4096;
const HEAD_BYTES = 2 * HEAD_COPY_BYTES;

interface HarmlessPlace {
  readonly name: string;
  readonly matches: (file: SampleFile, offset: number) => boolean;
}

export const HARMLESS: readonly HarmlessPlace[] = [
  {
    name: "a lease of a dead instance: free, whatever it says (who writes then is judged each time; of the living see living-lease.ts)",
    matches: isIn(`${OWN}/leases/`),
  },
  { name: "a cache: made again", matches: isIn(`${OWN}/cache/`) },
  { name: "the note of a removed session: its name says it all", matches: isIn(`${OWN}/removed/`) },
  { name: "bytes kept aside: never read", matches: isIn(`${OWN}/damaged/`) },
  {
    name: "an original that was migrated: never read again",
    matches: ({ path }) => path.endsWith(".migrated"),
  },
  { name: "a gzip member: bits that no decoder looks at", matches: ({ path }) => path.endsWith(".jsonl.gz") },
  {
    name: "the newline behind an alias: another space is as good",
    matches: ({ path, bytes }, offset) => path.includes("/aliases/") && offset === bytes.length - 1,
  },
  {
    name: "the head of a journal: its padding, and the copy that does not count",
    matches: ({ path }, offset) => path.endsWith(".journal") && offset < HEAD_BYTES,
  },
  {
    name: "a journal behind its last block: old blocks, which nobody reads",
    matches: (file, offset) => file.path.endsWith(".journal") && offset >= endOfBlocks(file.bytes),
  },
];

function isIn(directory: string): HarmlessPlace["matches"] {
  return ({ path }) => path.startsWith(directory);
}

export function harmlessPlace(file: SampleFile, offset: number): string | undefined {
  return HARMLESS.find(({ matches }) => matches(file, offset))?.name;
}

/** Of the blocks that count, in a journal that nobody has spoiled. */
export function endOfBlocks(journal: Buffer): number {
  const generations = [0, HEAD_COPY_BYTES].map((at) => generationAt(journal, at));
  const generation = Math.max(...generations);
  let end = HEAD_BYTES;
  for (let block = 1; ; block++) {
    const line = journal.toString("latin1", end, end + 128).split("\n", 1)[0] ?? "";
    const start = `{"generation":${generation},"block":${block},"bytes":`;
    if (!line.startsWith(start)) return end;
    end += line.length + 1 + Number.parseInt(line.slice(start.length), 10);
  }
}

function generationAt(journal: Buffer, at: number): number {
  const match = /"generation":(\d+)/.exec(journal.toString("latin1", at, at + HEAD_COPY_BYTES));
  return Number(match?.[1] ?? 0);
}
