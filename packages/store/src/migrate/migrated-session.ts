/** A session file that a migration made: what it came from, and whether it was written to since. Its note is untrusted input. */

import type { FileSystem } from "../host/host.ts";
import { useFile } from "../host/use-file.ts";
import { patchedSource } from "../session/byte-source.ts";
import { readHeaderLine } from "../session/header-line.ts";
import { readLines, readLinesBackwards } from "../session/read-lines.ts";
import { decodeLine } from "../format/decode.ts";
import type { Body } from "../format/entry.ts";
import { decodeHeader } from "../format/header.ts";
import { isJsonObject, tryParseJson } from "../format/json.ts";
import { aliasesOf } from "./aliases.ts";
import { isOriginalName } from "./decode-manifest.ts";

export const MIGRATED_FROM = "migrated-from";

export interface MigratedSession {
  readonly path: string;
  readonly key: string;
  readonly id: string;
  readonly originals: readonly MigratedOriginal[];
  readonly aliases: readonly string[];
  /** The note of its origin is its last record. */
  readonly isUnchanged: boolean;
}

export interface MigratedOriginal {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** `undefined`: no session, or none that a migration made, as far as its active file tells. */
export async function readMigrated(files: FileSystem, path: string): Promise<MigratedSession | undefined> {
  if ((await files.stat(path))?.kind !== "file") return undefined;
  return await useFile(await files.open(path, "read"), async (file) => {
    const source = patchedSource(file, (await file.stat()).size, []);
    const line = await readHeaderLine(source);
    const decoded = decodeHeader(line.content);
    if (decoded.kind !== "header") return undefined;
    const { id, key, chain } = decoded.header;
    const noteOf = (content: Buffer | undefined): Origin | undefined => {
      const found = content === undefined ? undefined : decodeLine(content, id);
      return found?.kind === "entry" ? originIn(found.entry.body, key) : undefined;
    };
    for await (const [last] of readLinesBackwards(source, line.bytes, source.size)) {
      const note = last?.terminated === true && chain.length === 0 ? noteOf(last.content) : undefined;
      if (note !== undefined) return { path, key, id, ...note, isUnchanged: true };
      break;
    }
    for await (const lines of readLines(source, line.bytes, source.size)) {
      for (const { content } of lines) {
        const note = noteOf(content);
        if (note !== undefined) return { path, key, id, ...note, isUnchanged: false };
      }
    }
    return undefined;
  });
}

type Origin = Pick<MigratedSession, "originals" | "aliases">;

function originIn(body: Body, key: string): Origin | undefined {
  if (body.op !== "note" || body.kind !== MIGRATED_FROM) return undefined;
  const value = tryParseJson(body.json);
  if (!isJsonObject(value) || !Array.isArray(value["files"])) return undefined;
  const originals: MigratedOriginal[] = [];
  for (const file of value["files"] as readonly unknown[]) {
    if (!isJsonObject(file)) return undefined;
    const { name, bytes, sha256 } = file;
    if (!isOriginalName(name) || typeof bytes !== "number" || typeof sha256 !== "string") return undefined;
    originals.push({ name, bytes, sha256 });
  }
  if (originals.length === 0) return undefined;
  const { given } = value;
  return { originals, aliases: isJsonObject(given) ? aliasesOf(given, key) : [] };
}
