/** Files of aliases that no longer say whose they are. Only a person can tell: they are named, and left. */

import type { FileSystem } from "../host/host.ts";
import { namesIn } from "../host/names-in.ts";
import { readWholeFile } from "../host/small-files.ts";
import { MAX_ALIAS_BYTES, readAlias } from "../migrate/aliases.ts";
import type { Damage } from "../format/session-record.ts";
import { DAMAGED_ALIAS } from "../engine/files/alias-table.ts";
import { aliasFileName, type Layout } from "../format/layout.ts";

/** `keys`: only those; `undefined`: all there are. */
export async function findDamagedAliases(
  files: FileSystem,
  { aliases }: Layout,
  keys: ReadonlySet<string> | undefined,
): Promise<Damage[]> {
  const wanted = keys && new Set([...keys].map(aliasFileName));
  const damage: Damage[] = [];
  for (const name of (await namesIn(files, aliases)).sort()) {
    if (!name.endsWith(".json") || name.startsWith(".") || wanted?.has(name) === false) continue;
    const file = `${aliases}/${name}`;
    const bytes = await readWholeFile(files, file, MAX_ALIAS_BYTES);
    if (bytes === undefined || readAlias(bytes.toString("utf8"), name) !== undefined) continue;
    damage.push({ file, offset: 0, bytes: bytes.length, kind: "corrupt", reason: DAMAGED_ALIAS });
  }
  return damage;
}
