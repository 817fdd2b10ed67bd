/** Reads every session file of a directory again, whatever was read of it before. Changes and remembers nothing. */

import { join } from "node:path";
import { assertNever } from "../../errors.ts";
import type { FileSystem } from "../../host/host.ts";
import type { Damage } from "../../format/session-record.ts";
import type { BackendUpkeepOptions } from "../../contract/backend.ts";
import type { VerifyReport } from "../../contract/types.ts";
import { leftUnopened } from "../../engine/verify/left-as-it-is.ts";
import { readTextFile } from "./read-text-file.ts";
import { isFileOf, olderState, type SessionFiles } from "./session-files.ts";
import { decodeSessionJson, JSON_SUFFIX, MAX_FILE_BYTES } from "./session-json.ts";

const LEFT = "whole-file JSON cannot be mended; put the file back from a backup, or move it out of the store";

type Finding =
  | { readonly kind: "session"; readonly records: number }
  | { readonly kind: "damage"; readonly damage: Damage }
  /** No session file, gone meanwhile, or of a session that was not asked for. */
  | { readonly kind: "nothing" };

export async function verifyFiles(
  files: FileSystem,
  known: SessionFiles,
  { keys, onProgress }: BackendUpkeepOptions,
): Promise<VerifyReport> {
  const names = (await files.readDirectory(known.directory)).filter((name) => name.endsWith(JSON_SUFFIX));
  const damage: Damage[] = [];
  let sessions = 0;
  let records = 0;
  for (const [index, name] of names.sort().entries()) {
    const finding = await verifyFile(files, known, name, keys);
    if (finding.kind === "damage") damage.push(finding.damage);
    if (finding.kind === "session") {
      sessions++;
      records += finding.records;
    }
    onProgress(index + 1, names.length);
  }
  return { sessions, records, damage };
}

async function verifyFile(
  files: FileSystem,
  known: SessionFiles,
  name: string,
  keys: ReadonlySet<string> | undefined,
): Promise<Finding> {
  const path = join(known.directory, name);
  const file = await readTextFile(files, path, MAX_FILE_BYTES);
  if (file === undefined) return { kind: "nothing" };
  const damaged = (reason: string, key: string | undefined, isPermitted = true): Finding => {
    const isAskedFor = keys === undefined || [...keys].some((asked) => isFileOf({ name, key }, asked));
    if (!isAskedFor) return { kind: "nothing" };
    const bytes = file.stat?.size ?? 0;
    const whose = key === undefined ? {} : { key };
    const place = { file: path, offset: 0, bytes, kind: "corrupt", reason } as const;
    const damage: Damage = { ...place, ...whose, left: LEFT };
    if (isPermitted) return { kind: "damage", damage };
    const left = leftUnopened({ code: "not-permitted" }, path);
    return { kind: "damage", damage: { ...damage, left, notPermitted: true } };
  };
  if (file.kind === "unreadable") return damaged(file.reason, undefined, file.notPermitted === undefined);
  const decoded = decodeSessionJson(file.text, name);
  switch (decoded.kind) {
    case "sidecar":
    case "foreign":
      return { kind: "nothing" };
    case "unreadable":
    case "too-new":
      return damaged(decoded.reason, decoded.key);
    case "session": {
      const { key } = decoded.session.header;
      const used = known.nameOf(key) ?? name;
      if (used !== name) return damaged(olderState(used), key);
      if (keys?.has(key) === false) return { kind: "nothing" };
      return { kind: "session", records: decoded.session.records.length };
    }
    default:
      return assertNever(decoded);
  }
}
