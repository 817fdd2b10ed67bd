/** Seed fault 33: undoing a message that was never written removes the one before it. */

import { appendFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jsonlBackend, openStore, type Session, type Store } from "../../src/index.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { failingHost, type Fault } from "../../src/testing/index.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let directory: string;
let store: Store;
let session: Session;
/** How the next writes to the journal go wrong. */
let faults: Fault[];

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  faults = [];
  const host = failingHost(nodeHost, ({ operation, path }) =>
    operation === "write" && path.endsWith(".journal") ? faults.shift() : undefined,
  );
  store = await openStore(jsonlBackend(directory, { host }));
  session = store.session("a");
  await session.append(user("valid"));
});

afterEach(async () => {
  await store.close();
  await removeDirectory(directory);
});

const FULL: Fault = { kind: "error", code: "ENOSPC" };

describe("seed fault 33: after a failed append, rollback removes the previous, valid message", () => {
  test.each<readonly [string, readonly Fault[]]>([
    // First there is no room to extend the journal, then none for the block itself.
    ["the disk is full", [FULL, FULL]],
    ["the disk fills up in the middle of the write", [FULL, { kind: "short", bytes: 40 }, FULL]],
  ])("%s: the append rejects, and an undo of it finds nothing to undo", async (_, planned) => {
    const before = await session.state();
    faults = [...planned];
    await expect(session.append(user("never written"))).rejects.toMatchObject({ code: "DISK_FULL" });
    expect(faults).toEqual([]);
    expect(await session.state()).toEqual(before);
    // Whoever undoes what it believes to have written is told that it is not there.
    await expect(session.rewind({ messages: 1 }, { expectedSeq: 2 })).rejects.toMatchObject({
      code: "SEQ_CONFLICT",
    });
    expect(await contentsOf(session)).toEqual(["valid"]);
    // And a rewind to where the turn began is right whether the append was written or not.
    await session.rewind({ to: before?.seq ?? 0 });
    expect(await contentsOf(session)).toEqual(["valid"]);
    await session.append(user("next"));
    await store.close();
    const again = await openStore(directory);
    expect(await contentsOf(again.session("a"))).toEqual(["valid", "next"]);
    await again.close();
  });

  test("a torn last line does not make undo take the wrong message", async () => {
    await session.append(user("to be undone"));
    await store.close();
    await appendFile(sessionFile(directory, "a"), '{"role":"assistant","cont');
    const again = await openCollecting(directory);
    await again.store.session("a").rewind({ messages: 1 });
    expect(await contentsOf(again.store.session("a"))).toEqual(["valid"]);
    expect(again.damage).toMatchObject([{ kind: "torn", bytes: 25 }]);
    await again.store.close();
  });
});
