/** A device by the name of a session file (F19). Only root can make one. */

import { execFile } from "node:child_process";
import { lstat, rm } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { openStore } from "../../src/index.ts";
import { keysOf } from "../../src/testing/case-language.ts";
import { contentsOf, user } from "../support/conversation.ts";
import { leaveOut } from "../support/leave-out.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { rejectsTyped } from "../support/rejects-typed.ts";
import { sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

test("F19 a device is not opened", async ({ skip }) => {
  const directory = await makeTemporaryDirectory();
  try {
    const path = sessionFile(directory, "a");
    const before = await openStore(directory);
    for (const key of ["a", "bystander"]) await before.session(key).append(user("hello"));
    await before.close();
    await rm(path);
    await promisify(execFile)("mknod", [path, "c", "1", "5"]).catch((error: unknown) =>
      leaveOut(skip, `it needs to make a device: ${String(error)}`),
    );
    const made = await lstat(path);
    for (const readOnly of [true, false]) {
      const { store, damage } = await openCollecting(directory, { readOnly });
      expect((await rejectsTyped(store.session("a").messages())).message).toContain(path);
      if (!readOnly) {
        expect((await rejectsTyped(store.session("a").append(user("more")))).message).toContain(path);
      }
      expect(await keysOf(store)).toEqual(["bystander"]);
      expect(damage.map(({ file }) => file)).toEqual([path]);
      expect((await store.verify()).damage.map(({ file }) => file)).toEqual([path]);
      if (!readOnly) await store.repair();
      expect(await contentsOf(store.session("bystander"))).toEqual(["hello"]);
      await store.close();
    }
    expect(await lstat(path)).toMatchObject({ ino: made.ino, mode: made.mode });
  } finally {
    await removeDirectory(directory);
  }
});
