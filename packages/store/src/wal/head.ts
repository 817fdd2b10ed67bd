/**
 * The head of a journal: whose it is and which generation of blocks counts. It changes atomically: two copies, a disk
 * page each, written in turn; the newer valid one counts. docs/durability.md explains why that is needed.
 */

import { isCount } from "../format/is-count.ts";
import { isJsonObject, tryParseJson } from "../format/json.ts";
import { checkLine, withChecksum } from "../format/line-checksum.ts";
import { isId, type Id } from "../format/session-id.ts";
import { parseInstanceDescription, type InstanceDescription } from "./instance-description.ts";

export interface JournalHead {
  readonly instance: Id;
  readonly generation: number;
  /** `undefined`: it does not say, or not in a form that we know. */
  readonly owner: InstanceDescription | undefined;
}

/** In the head, so that a version that writes otherwise is not taken for this one. */
const VERSION = 1;

/** The next ones can still be told apart. */
const MAX_GENERATION = 2 ** 52;

const COPY_BYTES = 4096;
const SALT = "journal";

/** Blocks begin behind both copies. */
export const HEAD_BYTES: number = 2 * COPY_BYTES;

/** Where the copy for this generation goes: never over the one that still counts. */
export function headPosition(generation: number): number {
  return (generation % 2) * COPY_BYTES;
}

export function encodeHead({ instance, generation, owner }: JournalHead): Buffer {
  const head = { journal: VERSION, instance, generation, ...owner };
  const line = withChecksum(JSON.stringify(head).slice(0, -1), SALT);
  const page = Buffer.alloc(COPY_BYTES, " ");
  page[COPY_BYTES - 1] = 0x0a;
  line.copy(page);
  return page;
}

/** A newer version's journal: it must be left alone. */
export function isNewerJournal(bytes: Buffer): boolean {
  return copiesIn(bytes).some((copy) => typeof copy?.["journal"] === "number" && copy["journal"] > VERSION);
}

/** `undefined`: neither copy is readable. */
export function decodeHead(bytes: Buffer): JournalHead | undefined {
  let newest: JournalHead | undefined;
  for (const copy of copiesIn(bytes)) {
    const { journal, instance, generation } = copy ?? {};
    if (journal !== VERSION || !isId(instance) || !isCount(generation) || generation > MAX_GENERATION)
      continue;
    if (newest !== undefined && generation <= newest.generation) continue;
    newest = { instance, generation, owner: parseInstanceDescription(copy ?? {}) };
  }
  return newest;
}

function copiesIn(bytes: Buffer): readonly (Readonly<Record<string, unknown>> | undefined)[] {
  return [0, COPY_BYTES].map((start) => readCopy(bytes.subarray(start, start + COPY_BYTES)));
}

function readCopy(page: Buffer): Readonly<Record<string, unknown>> | undefined {
  const newline = page.indexOf(0x0a);
  const text = newline === -1 ? undefined : checkLine(page.subarray(0, newline), SALT);
  const value = text === undefined ? undefined : tryParseJson(`${text}}`);
  return isJsonObject(value) ? value : undefined;
}
