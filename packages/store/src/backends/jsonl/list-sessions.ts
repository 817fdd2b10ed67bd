/** The sessions in a directory, read from their files. One that cannot be read is reported, the others are listed. */

import { isLonghandError } from "../../errors.ts";
import type { FileSystem } from "../../host/host.ts";
import type { Patch } from "../../log/byte-source.ts";
import { fileNameOf } from "../../record/key.ts";
import type { Damage, SessionInfo } from "../../record/session-record.ts";
import type { Layout } from "./layout.ts";
import { readSession } from "./read-session.ts";

export interface ListPlace {
  readonly files: FileSystem;
  readonly layout: Layout;
  readonly names: readonly string[];
  readonly patchesOf: (sessionId: string) => readonly Patch[];
  readonly onDamage: (damage: Damage) => void;
}

export async function* listReadableSessions(place: ListPlace): AsyncIterable<SessionInfo> {
  for (const name of place.names) {
    const info = await readInfo(place, name);
    if (info !== undefined) yield info;
  }
}

async function readInfo(place: ListPlace, name: string): Promise<SessionInfo | undefined> {
  const path = `${place.layout.directory}/${name}`;
  let reason: string | undefined;
  try {
    const info = (await readSession({ ...place, path, key: undefined }))?.info;
    reason = info === undefined ? undefined : misplaced(info, name);
    if (reason === undefined) return info;
  } catch (error) {
    if (!isLonghandError(error)) throw error;
    reason = error.message;
  }
  place.onDamage({ file: path, offset: 0, bytes: 0, kind: "corrupt", reason });
  return undefined;
}

/** A copy made by hand, say. Listing it would show one key twice; the file by its own name holds the session. */
function misplaced({ key }: SessionInfo, name: string): string | undefined {
  const expected = fileNameOf(key);
  return expected === name ? undefined : `it holds the key ${JSON.stringify(key)}, whose file is ${expected}`;
}
