import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileNameOf } from "../../src/format/key.ts";
import { withChecksum } from "../../src/format/line-checksum.ts";

/** Sessions of one message each, written as files: through a store a hundred thousand would take minutes. */
export function writeManySessions(directory: string, keys: readonly string[]): void {
  mkdirSync(directory, { mode: 0o700, recursive: true });
  for (const [index, key] of keys.entries()) {
    const id = `01JCW${String(index).padStart(21, "0")}`;
    const at = new Date(Date.UTC(2026, 0, 1) + index).toISOString();
    const header = JSON.stringify({ longhand: 1, key, id, at });
    const record = JSON.stringify({ seq: 1, at, message: { role: "user", content: `in ${key}` } });
    const bytes = Buffer.concat([
      withChecksum(header.slice(0, -1), ""),
      withChecksum(record.slice(0, -1), id),
    ]);
    writeFileSync(join(directory, fileNameOf(key)), bytes, { mode: 0o600 });
  }
}
