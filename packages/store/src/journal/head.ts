/**
 * The head of a journal: whose it is and which generation of blocks counts. It changes atomically: two copies, a disk
 * page each, written in turn; the newer valid one counts. docs/durability.md explains why that is needed.
 */

import { isJsonObject, tryParseJson } from "../record/json.ts";
import { openSealedLine, sealLine } from "../record/seal.ts";

export interface JournalHead {
  readonly instance: string;
  readonly generation: number;
}

const COPY_BYTES = 4096;
const SALT = "journal";

/** Blocks begin behind both copies. */
export const HEAD_BYTES: number = 2 * COPY_BYTES;

/** Where the copy for this generation goes: never over the one that still counts. */
export function headPosition(generation: number): number {
  return (generation % 2) * COPY_BYTES;
}

export function encodeHead({ instance, generation }: JournalHead): Buffer {
  const line = sealLine(JSON.stringify({ journal: 1, instance, generation }).slice(0, -1), SALT);
  const page = Buffer.alloc(COPY_BYTES, " ");
  page[COPY_BYTES - 1] = 0x0a;
  line.copy(page);
  return page;
}

/** `undefined`: neither copy is readable. */
export function decodeHead(bytes: Buffer): JournalHead | undefined {
  const copies = [0, COPY_BYTES].map((start) => decodeCopy(bytes.subarray(start, start + COPY_BYTES)));
  return copies.reduce(
    (best, copy) => ((copy?.generation ?? 0) > (best?.generation ?? 0) ? copy : best),
    undefined,
  );
}

function decodeCopy(page: Buffer): JournalHead | undefined {
  const newline = page.indexOf(0x0a);
  const text = newline === -1 ? undefined : openSealedLine(page.subarray(0, newline), SALT);
  const value = text === undefined ? undefined : tryParseJson(`${text}}`);
  if (!isJsonObject(value)) return undefined;
  const { instance, generation } = value;
  return typeof instance === "string" && typeof generation === "number"
    ? { instance, generation }
    : undefined;
}
