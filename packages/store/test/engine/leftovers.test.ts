/** What lies about in a store's directory: the dead's is tidied away, the living's and strangers' is left alone. */

import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FileSystem } from "../../src/host/host.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { jsonlBackend, openStore, type Store } from "../../src/index.ts";
import { leaseNameOf, leaseShard, layoutOf } from "../../src/format/layout.ts";
import { user } from "../support/conversation.ts";
import { namesIn } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const NOBODY = "01HZZZZZZZZZZZZZZZZZZZZZZZ";
let directory: string;
let store: Store;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  store = await openStore(directory);
  await store.session("a").append(user("1"));
});

afterEach(async () => {
  await store.close();
  await removeDirectory(directory);
});

/** The instance that is open. */
async function livingInstance(): Promise<string> {
  const names = await readdir(join(directory, ".longhand/journal"));
  return names.find((name) => name.endsWith(".journal"))?.slice(0, 26) ?? "";
}

async function openAgain(): Promise<void> {
  const other = await openStore(directory);
  await other.session("b").append(user("1"));
  await other.close();
}

describe("when a store is opened", () => {
  test("what those have left who have no journal goes; what belongs to the living stays", async () => {
    const living = await livingInstance();
    const leftBy = (instance: string): string[] => [
      // As earlier versions have left it.
      `.new-${instance}-3`,
      `.longhand/new/.new-${instance}-3`,
      `.longhand/journal/.new-${instance}`,
      `.longhand/leases/.new-${instance}-8`,
    ];
    const dead = [...leftBy(NOBODY), `.longhand/journal/${NOBODY}.fence`, `.longhand/journal/${NOBODY}.sock`];
    for (const name of [...leftBy(living), ...dead]) await writeFile(join(directory, name), "");
    await openAgain();
    const names = await namesIn(directory);
    expect(names).toEqual(expect.arrayContaining(leftBy(living)));
    expect(names.filter((name) => name.includes(NOBODY))).toEqual([]);
    expect(await store.session("a").append(user("2"))).toEqual({ seq: 2 });
  });

  test("strangers' files and directories are in nobody's way, and stay", async () => {
    const strange = [
      ".new-thing",
      ".longhand/journal/notes.journal",
      ".longhand/journal/x.fence",
      ".longhand/leases/writer.7",
      ".longhand/leases/zz",
      ".longhand/stray",
    ];
    const directories = [".longhand/journal/x.journal", `.longhand/journal/${NOBODY}.journal`];
    for (const name of strange) await writeFile(join(directory, name), "mine");
    for (const name of directories) await mkdir(join(directory, name));
    await openAgain();
    expect(await store.session("a").messages()).toHaveLength(1);
    expect(await namesIn(directory)).toEqual(expect.arrayContaining([...strange, ...directories]));
  });

  test("the session directory is not listed, however old its last scan is", async () => {
    const past = new Date(Date.now() - 60_000);
    await openAgain();
    await utimes(directory, past, past);
    const listed: string[] = [];
    const opening = async (): Promise<void> => {
      listed.length = 0;
      const files = new Proxy(nodeHost.files, {
        get: (target, name: keyof FileSystem): unknown =>
          name === "readDirectory"
            ? (path: string) => {
                listed.push(path);
                return target.readDirectory(path);
              }
            : target[name].bind(target),
      });
      const other = await openStore(jsonlBackend(directory, { host: { ...nodeHost, files } }));
      const atOnce = [...listed];
      await other.close();
      expect(atOnce).toContain(join(directory, ".longhand", "journal"));
      expect(atOnce).not.toContain(directory);
    };
    // Its names have changed: it is listed after the opening.
    await opening();
    expect(listed).toContain(directory);
    await opening();
    expect(listed).not.toContain(directory);
  });

  test.each(["archive", "trash"] as const)(
    "a file called %s is in the way only of what needs it",
    async (name) => {
      await writeFile(join(directory, name), "mine");
      await openAgain();
      expect(await store.session("a").messages()).toHaveLength(1);
      const session = store.session("a");
      const moving = name === "archive" ? session.archive() : session.delete();
      await expect(moving).rejects.toMatchObject({
        code: "DIRECTORY_UNSAFE",
        message: expect.stringContaining(join(directory, name)) as string,
      });
      expect(await session.append(user("2"))).toEqual({ seq: 2 });
    },
  );
});

test("a file in the place of a directory for leases is named to whoever needs that one", async () => {
  const shard = leaseShard(layoutOf(directory), leaseNameOf("c"));
  await writeFile(shard, "mine");
  await expect(store.session("c").append(user("1"))).rejects.toMatchObject({
    code: "IO_FAILED",
    message: expect.stringContaining(shard) as string,
  });
  await openAgain();
});

test.each(["journal", "leases"])("a file in the place of .longhand/%s is named", async (name) => {
  const other = await makeTemporaryDirectory();
  await mkdir(join(other, ".longhand"), { mode: 0o700 });
  await writeFile(join(other, ".longhand", name), "mine");
  await expect(openStore(other)).rejects.toMatchObject({
    code: "DIRECTORY_UNSAFE",
    message: expect.stringContaining(join(".longhand", name)) as string,
  });
  await removeDirectory(other);
});
