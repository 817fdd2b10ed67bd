/** A session file as its lines, to be edited and put together again; compressed ones are unpacked and packed. */

import { crc32, deflateRawSync, gunzipSync } from "node:zlib";
import type { SampleFile, SampleStore } from "../damage/sample-store.ts";

export interface LineFile {
  readonly store: SampleStore;
  readonly file: SampleFile;
  /** Each with its newline. */
  readonly lines: readonly Buffer[];
}

/** Of everything that holds lines of a session. */
export function lineFilesOf(store: SampleStore): LineFile[] {
  return store.files
    .filter(({ path, owners }) => owners.size > 0 && /\.jsonl(\.gz)?$/.test(path))
    .map((file) => ({ store, file, lines: linesOf(contentOf(file.bytes)) }));
}

/** The bytes of the file with these lines in it. */
export function bytesOf({ file }: LineFile, lines: readonly Buffer[]): Buffer {
  const content = Buffer.concat(lines);
  return file.path.endsWith(".gz") ? member(content) : content;
}

/** Unpacked, if it is compressed. */
export function contentOf(bytes: Buffer): Buffer {
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
}

export function linesOf(content: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < content.length;) {
    const newline = content.indexOf("\n", start);
    const end = newline === -1 ? content.length : newline + 1;
    lines.push(content.subarray(start, end));
    start = end;
  }
  return lines;
}

/** Files of two sessions of one key: the header of one makes the other's file its own. */
export function isOfOneKey(one: SampleFile, other: SampleFile): boolean {
  const [[key, id], [otherKey, otherId]] = [identityOf(one), identityOf(other)];
  return key === otherKey && id !== otherId;
}

function identityOf({ bytes }: SampleFile): readonly [key: unknown, id: unknown] {
  const [header] = linesOf(contentOf(bytes));
  const { key, id } = JSON.parse(header?.toString() ?? "{}") as {
    readonly key?: string;
    readonly id?: string;
  };
  return [key, id];
}

const SIGNATURE = Buffer.from("1f8b08040000000000ff0c004c480800", "hex");

/** One gzip member, by docs/format.md. */
function member(content: Buffer): Buffer {
  const data = deflateRawSync(content);
  const numbers = (...values: readonly number[]): Buffer => {
    const bytes = Buffer.alloc(4 * values.length);
    values.forEach((value, index) => bytes.writeUInt32LE(value, 4 * index));
    return bytes;
  };
  const length = SIGNATURE.length + 8 + data.length + 8;
  return Buffer.concat([
    SIGNATURE,
    numbers(length, content.length),
    data,
    numbers(crc32(content), content.length),
  ]);
}
