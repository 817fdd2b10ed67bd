/** A very long session of tiny messages (M19). */

import { expect, test } from "vitest";
import { sized } from "../../../../test/support/sized.ts";
import { jsonlBackend } from "../../src/backends/jsonl/jsonl-backend.ts";
import { openStore } from "../../src/open-store.ts";
import { say, sayAll } from "../../src/testing/case-language.ts";
import { countingHost } from "../support/counting-host.ts";
import { settled } from "../support/settled.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const MEBIBYTE = 1024 * 1024;
const READ_BACK_BYTES = 256 * 1024;
const BATCH = 10_000;
const BATCHES = sized(20, 100);

test(`M19 ${BATCHES * BATCH} tiny messages, in batches: disk work grows with their number, not faster`, async () => {
  const directory = await makeTemporaryDirectory();
  try {
    const { host, counts } = countingHost();
    const store = await openStore(jsonlBackend(directory, { host }), { durability: "os" });
    const session = store.session("s");
    const batch = Array.from({ length: BATCH }, () => say("x"));
    for (let round = 0; round < BATCHES / 4; round++) await session.append(batch);
    await settled(counts);
    const quarter = { ...counts };
    for (let round = BATCHES / 4; round < BATCHES; round++) await session.append(batch);
    await settled(counts);
    const whole = { ...counts };
    // What was applied is read back once before the journal forgets it, which it does not do in the first quarter.
    const applied = whole.bytesWritten / 2;
    const readBack = { reads: applied / READ_BACK_BYTES, bytesRead: applied };
    for (const name of ["writes", "bytesWritten", "reads", "bytesRead", "syncs"] as const) {
      // Four times the messages, four times the work, and a little for what is not done with each append.
      const once = name === "reads" || name === "bytesRead" ? readBack[name] : 0;
      expect(whole[name], name).toBeLessThan(4.2 * quarter[name] + once + 50);
    }
    expect(whole.bytesWritten / (BATCHES * BATCH)).toBeLessThan(400);
    expect((await session.state())?.count).toBe(BATCHES * BATCH);
    expect(await session.messages({ last: 2 })).toEqual(sayAll("x", "x"));
    // The last two are read from the end: the last batch, and back to the checkpoint before it.
    expect(counts.bytesRead - whole.bytesRead).toBeLessThan(3 * MEBIBYTE);
    await store.close();
  } finally {
    await removeDirectory(directory);
  }
});
