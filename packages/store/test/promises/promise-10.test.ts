/** Private by default: under a umask that would let everybody in. */

import { appendFile, lstat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { jsonlBackend, openStore } from "../../src/index.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { user } from "../support/conversation.ts";
import { observedHost } from "../support/observed-host.ts";
import { openCollecting } from "../support/open-collecting.ts";
import { namesIn, sessionFile } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

let parent: string;
let directory: string;
let umask: number;

beforeEach(async () => {
  parent = await makeTemporaryDirectory();
  directory = join(parent, "deep/er/s");
  umask = process.umask(0);
});

afterEach(async () => {
  process.umask(umask);
  await removeDirectory(parent);
});

async function modeOf(path: string): Promise<string> {
  return ((await lstat(path)).mode & 0o7777).toString(8);
}

/** What under the parent is not private; a directory must be 0700, everything else 0600. */
async function findOpen(): Promise<string[]> {
  const open: string[] = [];
  for (const name of await namesIn(parent)) {
    const path = join(parent, name);
    const mode = await modeOf(path);
    if (mode !== ((await lstat(path)).isDirectory() ? "700" : "600")) open.push(`${name} ${mode}`);
  }
  return open;
}

async function leaveTornTail(): Promise<void> {
  const store = await openStore(directory);
  await store.session("a").append(user("one"));
  await store.close();
  await appendFile(sessionFile(directory, "a"), "{torn");
}

describe("promise 10: private by default", () => {
  test("everything that is made, whatever it is, while the store is open and when it is closed", async () => {
    await leaveTornTail();
    const { store, damage } = await openCollecting(directory);
    await store.session("a").append(user("two"));
    await store.session("telegram:1").append(user("one"));
    expect(damage).toHaveLength(1);
    const names = (await namesIn(directory)).map((name) => name.replace(/[0-9A-Z]{26}/, "ID"));
    expect(names).toEqual(
      expect.arrayContaining([
        ".longhand/damaged",
        expect.stringMatching(/^\.longhand\/damaged\/a\.jsonl\.\d+$/),
        ".longhand/journal/ID.journal",
        ".longhand/journal/ID.sock",
        expect.stringMatching(/^\.longhand\/leases\/[0-9a-f]{2}\/a\.\d+$/),
        "a.jsonl",
        expect.stringMatching(/^telegram_1~.*\.jsonl$/),
      ]),
    );
    expect(await findOpen()).toEqual([]);
    await store.close();
    expect(await findOpen()).toEqual([]);
  });

  test("from the moment it exists: not made private afterwards", async () => {
    await leaveTornTail();
    await removeDirectory(join(directory, ".longhand"));
    const modes: string[] = [];
    const host = observedHost(nodeHost, async ({ operation, path }) => {
      if (operation === "create") modes.push(`file ${await modeOf(path)}`);
      if (operation === "makeDirectory") modes.push(`directory ${await modeOf(path)}`);
    });
    const store = await openStore(jsonlBackend(directory, { host }), { onDamage: () => undefined });
    await store.session("a").append(user("two"));
    await store.session("b").append(user("one"));
    await store.close();
    // The store's own directories, two for leases; two leases, a journal, a copy of what was damaged, a session.
    expect(modes.filter((mode) => mode === "directory 700").length).toBeGreaterThanOrEqual(4);
    expect(modes.filter((mode) => mode === "file 600").length).toBeGreaterThanOrEqual(5);
    expect(new Set(modes)).toEqual(new Set(["directory 700", "file 600"]));
  });

  test("control: a file made without a mode is open to everybody here, and is found", async () => {
    await leaveTornTail();
    await writeFile(join(directory, "other"), "");
    expect(await findOpen()).toEqual(["deep/er/s/other 666"]);
  });
});
