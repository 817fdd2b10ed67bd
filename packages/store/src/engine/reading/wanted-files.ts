/**
 * Leaves out session files in which certainly nothing is that a search looks for: each is read once, in one go. Only if it is
 * whole and in its place: what is wrong with a file is found and reported where it is read as a session.
 */

import { isAscii } from "node:buffer";
import type { WantedSessions } from "../../contract/backend.ts";
import { NEWLINE } from "../../format/format.ts";
import { decodeHeader } from "../../format/header.ts";
import { fileNameOf } from "../../format/key.ts";
import { putAwayName } from "../../format/layout.ts";
import { lineSum } from "../../format/line-checksum.ts";
import { recordsInOrder } from "../../format/records-in-order.ts";
import { LogScanner } from "../../format/scan.ts";
import { LineInChunk } from "../../format/scan-visitor.ts";
import type { OpenFile } from "../../host/host.ts";
import { promised } from "../../host/promised.ts";
import type { MetFile } from "../files/every-session-file.ts";
import type { SessionFile } from "../files/find-session-file.ts";
import type { ReadPlace } from "./read-session.ts";

/** Longer files are read as sessions, a block at a time. */
const MAX_BYTES = 1024 * 1024;

export async function* wantedFiles(
  place: ReadPlace,
  met: AsyncIterable<MetFile>,
  wanted: WantedSessions | undefined,
): AsyncIterable<MetFile> {
  /** One for all files. */
  const buffer = wanted === undefined ? undefined : Buffer.allocUnsafe(MAX_BYTES);
  for await (const each of met) {
    if (wanted === undefined || buffer === undefined) {
      yield each;
      continue;
    }
    const bytes = await readWhole(place, each.file, buffer);
    if (bytes === undefined || wanted.mayBeIn(bytes) || !isWhole(place, each.file, bytes)) yield each;
    else wanted.onLeftOut();
  }
}

/** `undefined`: it is too long, or cannot be read. */
async function readWhole(
  { files }: ReadPlace,
  { path }: SessionFile,
  into: Buffer,
): Promise<Buffer | undefined> {
  let file: OpenFile | undefined;
  try {
    const opening = files.open(path, "read");
    file = opening instanceof Promise ? await opening : opening;
    const reading = file.read(into, 0);
    const count = typeof reading === "number" ? reading : await reading;
    return count === into.length ? undefined : into.subarray(0, count);
  } catch {
    // Whoever reads it as a session says why.
    return undefined;
  } finally {
    const closing = file?.close();
    if (closing instanceof Promise) await promised(() => closing).catch(() => undefined);
  }
}

/** A session in one file, by its own name, that has nothing wrong and nothing to be laid over. */
function isWhole({ patchesOf }: ReadPlace, { name, status }: SessionFile, bytes: Buffer): boolean {
  const headerEnd = bytes.indexOf(NEWLINE);
  if (headerEnd === -1) return false;
  const headerLine = bytes.subarray(0, headerEnd);
  const decoded = decodeHeader(headerLine);
  if (decoded.kind !== "header") return false;
  const { header } = decoded;
  if (header.chain.length > 0 || patchesOf(header).length > 0) return false;
  const activeName = fileNameOf(header.key);
  if (name !== (status === "active" ? activeName : putAwayName(activeName, header.id))) return false;
  if (recordsInOrder(bytes.subarray(headerEnd + 1), header.id, 0) !== undefined) return true;
  const found = { isDamaged: false };
  const start = { offset: headerEnd + 1, seqBefore: 0, sumBefore: lineSum(headerLine) };
  const scanner = new LogScanner(header.id, start, {
    entry: () => undefined,
    checkpoint: () => undefined,
    damage: () => (found.isDamaged = true),
  });
  const isPlain = isAscii(bytes);
  let lineStart = headerEnd + 1;
  for (let end = bytes.indexOf(NEWLINE, lineStart); end !== -1; end = bytes.indexOf(NEWLINE, lineStart)) {
    scanner.line(new LineInChunk(lineStart, bytes, lineStart, end, isPlain));
    lineStart = end + 1;
  }
  const { torn } = scanner.finish();
  return lineStart === bytes.length && torn === undefined && !found.isDamaged && !scanner.isEdited;
}
