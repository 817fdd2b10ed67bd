/** A journal taken apart into its head, blocks and records by docs/format.md, and put together again with right sums. */

import { saltedSum, sealAgain } from "./sealed-line.ts";

const COPY_BYTES = 4096;
export const HEAD_BYTES: number = 2 * COPY_BYTES;

export interface JournalParts {
  readonly head: Buffer;
  readonly instance: string;
  readonly blocks: readonly JournalBlock[];
}

export interface JournalBlock {
  /** Where it lies in the journal that was taken apart. */
  readonly start: number;
  readonly end: number;
  readonly generation: string;
  readonly number: string;
  readonly records: readonly { readonly place: string; readonly bytes: Buffer }[];
}

const FIRST_LINE = /^\{"generation":([0-9]+),"block":([0-9]+),"bytes":([0-9]+),"crc":"[0-9a-f]{8}"\}\n/;

/** Of a journal that nobody has spoiled. */
export function takeApart(journal: Buffer): JournalParts {
  const head = journal.subarray(0, HEAD_BYTES);
  const instance = /"instance":"([0-9A-Z]{26})"/.exec(head.toString("latin1"))?.[1] ?? "";
  const blocks: JournalBlock[] = [];
  for (let at = HEAD_BYTES; ;) {
    const first = FIRST_LINE.exec(journal.toString("latin1", at, at + 128));
    if (first === null) return { head, instance, blocks };
    const [line, generation = "", number = "", length = "0"] = first;
    const [start, payload] = [at, at + line.length];
    at = payload + Number(length);
    blocks.push({ start, end: at, generation, number, records: recordsIn(journal.subarray(payload, at)) });
  }
}

function recordsIn(payload: Buffer): JournalBlock["records"] {
  const records: { place: string; bytes: Buffer }[] = [];
  for (let at = 0; at < payload.length;) {
    const end = payload.indexOf("\n", at);
    const place = payload.toString("utf8", at, end);
    const length = Number(/"bytes":([0-9]+)[,}]/.exec(place)?.[1]);
    records.push({ place, bytes: payload.subarray(end + 1, end + 1 + length) });
    at = end + 1 + length;
  }
  return records;
}

export function putTogether({ head, instance, blocks }: JournalParts): Buffer {
  const pieces = [head];
  for (const { generation, number, records } of blocks) {
    const payload = Buffer.concat(records.flatMap(({ place, bytes }) => [Buffer.from(`${place}\n`), bytes]));
    const sum = saltedSum(`${instance}/${generation}/${number}/${payload.length}`, payload);
    const first = `{"generation":${generation},"block":${number},"bytes":${payload.length},"crc":"${sum}"}\n`;
    pieces.push(Buffer.from(first), payload);
  }
  return Buffer.concat(pieces);
}

/** The copy of the head that begins with this line. */
export function headCopy(line: Buffer): Buffer {
  const copy = Buffer.alloc(COPY_BYTES, " ");
  copy[COPY_BYTES - 1] = 0x0a;
  const sealed = Buffer.concat([sealAgain(line, "journal"), Buffer.from("\n")]);
  sealed.copy(copy, 0, 0, COPY_BYTES);
  return copy;
}
