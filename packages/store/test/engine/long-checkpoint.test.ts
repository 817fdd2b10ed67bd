/** A state that does not fit into a line is in no checkpoint: nothing of our own is called corrupt. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { jsonlBackend, openStore } from "../../src/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const MEBIBYTE = 1024 * 1024;
let directory: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
});

afterEach(async () => {
  await removeDirectory(directory);
});

test.each([1, 35])(
  "a summary and a title of %d MiB each are read back, and no damage is found",
  async (size) => {
    const store = await openStore(jsonlBackend(directory, { segmentBytes: (2 * size + 8) * MEBIBYTE }));
    const session = store.session("a");
    await session.append(user("first"));
    await session.setSummary("s".repeat(size * MEBIBYTE));
    await session.setTitle("t".repeat(size * MEBIBYTE));
    // Beyond the distance of checkpoints, and then of a segment.
    for (const text of ["x", "y"]) await session.append(user(text.repeat(10 * MEBIBYTE)));
    const { seq } = await session.append(user("last"));
    expect((await store.verify()).damage).toEqual([]);
    await store.close();
    const damage: unknown[] = [];
    const again = await openStore(directory, { onDamage: (found) => damage.push(found) });
    const state = await again.session("a").state();
    expect([state?.summary.length, state?.title?.length]).toEqual([size * MEBIBYTE, size * MEBIBYTE]);
    expect((await contentsOf(again.session("a"))).at(-1)).toBe("last");
    expect(await again.session("a").append(user("more"))).toEqual({ seq: seq + 1 });
    expect(damage).toEqual([]);
    await again.close();
  },
);
