/**
 * The control: a checkpoint is copied to the end and says, with the right checksum, that it was written there, as if nobody checked places. No store can see
 * that; the judge must.
 */

import { crc32 } from "node:zlib";
import { Violation } from "../part.ts";
import { editedStores } from "./edited-stores.ts";
import { judgeEdit, knowledgeOf } from "./judge-edit.ts";
import { lineFilesOf } from "./line-files.ts";

const CHECKSUM_FIELD_BYTES = ',"crc":"00000000"}\n'.length;

export async function judgeForgedPlace(): Promise<void> {
  const [store] = await editedStores();
  const [target] = store === undefined ? [] : lineFilesOf(store);
  const checkpoint = target?.lines.find((line) => line.includes('{"checkpoint":'));
  const [id = ""] = target?.file.owners ?? [];
  if (store === undefined || target === undefined || checkpoint === undefined)
    throw new Error("there is no checkpoint");
  const { path, bytes } = target.file;
  const before = bytes.toString("latin1", bytes.length - 11, bytes.length - 3);
  const covered = checkpoint
    .toString("utf8", 0, checkpoint.length - CHECKSUM_FIELD_BYTES)
    .replace(/"offset":\d+,"before":"[0-9a-f]{8}"$/, `"offset":${bytes.length},"before":"${before}"`);
  const sum = crc32(covered, crc32(id)).toString(16).padStart(8, "0");
  const changed = new Map([[path, Buffer.concat([bytes, Buffer.from(`${covered},"crc":"${sum}"}\n`)])]]);
  const wrong = await judgeEdit({ store, changed, isMany: false }, knowledgeOf(store), "append");
  if (wrong !== undefined) throw new Violation(wrong);
}
