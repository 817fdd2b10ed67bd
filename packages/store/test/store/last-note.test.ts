/** What it costs to read the newest note of a kind. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { jsonlBackend, openStore } from "../../src/index.ts";
import { countingHost } from "../support/counting-host.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let directory: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});

afterEach(async () => {
  await removeDirectory(directory);
});

test("what lies behind it is not read to the end", async () => {
  const { host, counts } = countingHost();
  await using store = await openStore(jsonlBackend(directory, { host }));
  const session = store.session("a");
  const message = { role: "user" as const, content: "x".repeat(1000) };
  const costOf = async (messages: number): Promise<number> => {
    await session.note("app/mark", { messages });
    await session.append(Array.from({ length: messages }, () => message));
    const before = counts.bytesRead;
    expect((await session.lastNote("app/mark"))?.data).toEqual({ messages });
    return counts.bytesRead - before;
  };
  await costOf(1);
  // Of 2 MB behind it: the chunk with the note in it, and where the checkpoint before it is looked for. Backwards it were three times that.
  expect(await costOf(2000)).toBeLessThan(300_000);
});
