/** Store directories that somebody else wrote: every checksum fits, and the names in them lead elsewhere. */

import { lstat, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { checksum } from "../../src/format/checksum.ts";
import { fileNameOf } from "../../src/format/key.ts";
import { withChecksum } from "../../src/format/line-checksum.ts";

export const INSTANCE = "01JCW0000000000000000000DD";
export const OUTSIDE_ID = "01JCW0000000000000000000AA";
const AT = "2026-11-15T19:24:12.123Z";

export async function put(path: string, bytes: string | Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, bytes, { mode: 0o600 });
}

const sealed = (value: object, salt: string): Buffer =>
  withChecksum(JSON.stringify(value).slice(0, -1), salt);

/** A session file; `header` replaces fields of its header. Its lines are salted with the id that the header names. */
export function sessionBytes(key: string, header: object): Buffer {
  const fields = { longhand: 1, key, id: OUTSIDE_ID, at: AT, ...header };
  return Buffer.concat([sealed(fields, ""), recordLine(1, "mine", fields.id)]);
}

export function recordLine(seq: number, content: string, salt: string): Buffer {
  return sealed({ seq, at: AT, message: { role: "user", content } }, salt);
}

/** A journal of a dead writer, with one record; `head` and `place` replace fields. */
export function journalBytes(head: object, place: object, line: Buffer): Buffer {
  const fields = { journal: 1, instance: INSTANCE, generation: 1, ...head };
  const copies = Buffer.alloc(8192, " ");
  copies[4095] = copies[8191] = 0x0a;
  const owner = { since: AT, listens: false, pid: 1, host: "elsewhere" };
  sealed({ ...fields, ...owner, ...head }, "journal").copy(copies, 4096);
  const position = { session: OUTSIDE_ID, file: 0, name: "k.jsonl", offset: 0, bytes: line.length, ...place };
  const payload = Buffer.concat([Buffer.from(`${JSON.stringify(position)}\n`), line]);
  const salt = `${fields.instance}/${fields.generation}/1/${payload.length}`;
  const first = `{"generation":${fields.generation},"block":1,"bytes":${payload.length},"crc":"${checksum(salt, payload)}"}\n`;
  return Buffer.concat([copies, Buffer.from(first), payload]);
}

/** The fence says that its owner is dead. */
export async function putDeadJournal(directory: string, bytes: Buffer): Promise<void> {
  await put(join(directory, `.longhand/journal/${INSTANCE}.journal`), bytes);
  await put(join(directory, `.longhand/journal/${INSTANCE}.fence`), "");
}

/** Another person's files, one of them a whole session. */
export async function putOutside(outside: string): Promise<void> {
  await put(join(outside, "victim.jsonl"), "a file of another program\n");
  await put(join(outside, "notes.txt"), "mine\n");
  await put(join(outside, "0.jsonl"), "mine too\n");
  await put(join(outside, fileNameOf("other")), sessionBytes("other", {}));
}

/** Names, bytes and times of everything below a directory, and of itself. */
export async function fingerprintOf(directory: string): Promise<Map<string, string>> {
  const seen = new Map<string, string>();
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  for (const path of [directory, ...entries.map((entry) => join(entry.parentPath, entry.name))]) {
    const stat = await lstat(path);
    const bytes = stat.isFile() ? await readFile(path, "latin1") : "";
    seen.set(relative(directory, path), `${stat.mtimeMs} ${stat.ino} ${stat.nlink} ${bytes}`);
  }
  return seen;
}
