/** A migrated file is written as if its records had been appended: its checkpoints are no more than an eighth of it. */

import { expect, test } from "vitest";
import type { OpenFile } from "../../src/host/host.ts";
import { SessionFileWriter } from "../../src/migrate/session-file-writer.ts";
import { CHECKPOINT_START } from "../../src/format/checkpoint.ts";
import { toId } from "../../src/format/session-id.ts";

const AT = "2026-11-16T00:00:00.000Z";

test("a large state does not become most of the file", async () => {
  const written: Buffer[] = [];
  const file: Partial<OpenFile> = {
    write: async (bytes) => {
      written.push(Buffer.from(bytes));
      return await Promise.resolve(bytes.length);
    },
    sync: async () => await Promise.resolve(),
  };
  const writer = new SessionFileWriter(file as OpenFile, {
    key: "a",
    id: toId("01JCW0000000000000000000AB"),
    at: AT,
  });
  await writer.add({ op: "summary", summary: "s".repeat(200_000) }, AT);
  for (let number = 0; number < 500; number++)
    await writer.add({ op: "message", json: `{"role":"user","content":"${"m".repeat(9_000)}"}` }, AT);
  await writer.finish();
  const lines = Buffer.concat(written).toString("latin1").split("\n");
  const checkpoints = lines.filter((line) => line.startsWith(CHECKPOINT_START));
  const bytes = checkpoints.reduce((sum, line) => sum + line.length, 0);
  expect(checkpoints.length).toBeGreaterThan(1);
  expect(bytes / Buffer.concat(written).length).toBeLessThan(1 / 8);
});
