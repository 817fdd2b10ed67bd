/** Other keys by which a migrated session can be reached: a file for each, named like a session's. */

import type { FileSystem } from "../host/host.ts";
import { errorCode } from "../host/io-error.ts";
import { makeDirectory } from "../host/make-directories.ts";
import { useFile } from "../host/use-file.ts";
import { writeFully } from "../host/write-fully.ts";
import { isJsonObject, tryParseJson } from "../format/json.ts";
import { isKey } from "../format/key.ts";
import { aliasFileName } from "../format/layout.ts";
import { checkLine, withChecksum } from "../format/line-checksum.ts";
import type { PlannedSession } from "./migration-plan.ts";
import type { MigrationPlaces } from "./migration-places.ts";

const SALT = "alias";
/** Two keys of 1,024 bytes, all of them escaped, fit. */
export const MAX_ALIAS_BYTES: number = 32 * 1024;

/** What the file says, with the key of the session; `undefined`: it is damaged, or by this name another's. */
export function readAlias(text: string, name: string): { alias: string; key: string } | undefined {
  const opened = checkLine(Buffer.from(text.trimEnd()), SALT);
  const value = opened === undefined ? undefined : tryParseJson(`${opened}}`);
  const { alias, key } = isJsonObject(value) ? value : {};
  if (!isKey(alias) || !isKey(key) || aliasFileName(alias) !== name) return undefined;
  return { alias, key };
}

/** Of a session's own account of itself: what is a key, and not its own. */
export function aliasesOf(given: Readonly<Record<string, unknown>>, key: string): string[] {
  const { aliases } = given;
  const texts = Array.isArray(aliases) ? aliases.filter((alias) => typeof alias === "string") : [];
  return [...new Set(texts)].filter((alias) => alias !== key && isKey(alias));
}

/** Durable when it resolves. One that is there already stays: whoever came first has it. */
export async function writeAliases(
  files: FileSystem,
  { aliases: directory }: MigrationPlaces,
  sessions: readonly Pick<PlannedSession, "key" | "given">[],
): Promise<void> {
  const wanted = sessions.flatMap(({ key, given }) => aliasesOf(given, key).map((alias) => ({ alias, key })));
  if (wanted.length === 0) return;
  await makeDirectory(files, directory);
  for (const { alias, key } of wanted) {
    const path = `${directory}/${aliasFileName(alias)}`;
    const line = withChecksum(JSON.stringify({ alias, key }).slice(0, -1), SALT);
    await writeOnce(files, path, line);
  }
  await files.syncDirectory(directory);
}

async function writeOnce(files: FileSystem, path: string, line: Buffer): Promise<void> {
  try {
    await useFile(await files.open(path, "create"), async (file) => {
      await writeFully(file, line, 0);
      await file.sync();
    });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    // It may have been cut short by a crash: what is right is written again, over it.
    await useFile(await files.open(path, "write"), async (file) => {
      const before = Buffer.alloc(line.length);
      const length = await file.read(before, 0);
      if (checkLine(before.subarray(0, length - 1), SALT) === undefined) await writeFully(file, line, 0);
      await file.sync();
    });
  }
}
