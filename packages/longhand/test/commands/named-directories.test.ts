/** Directories that a user names: a typo is an error, never an empty store that is well. */

import { mkdir, readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openStore } from "@longhand/store";
import { describe, expect, test } from "vitest";
import { runIn, withTemporaryDirectory } from "../support/fake-world.ts";
import { jsonLines, say } from "../support/with-home.ts";

const READING = [
  "verify",
  "repair",
  "doctor",
  "list",
  "search x",
  "migrate",
  "show k",
  "purge --yes",
  "reclaim",
];

describe.each(["--sessions", "--home"])("%s of a directory that does not exist", (option) => {
  test.each(READING)("%s", async (words) => {
    await withTemporaryDirectory(async (directory) => {
      const missing = join(directory, "nonexist");
      const answer = await runIn(join(directory, "home"), [...words.split(" "), option, missing]);
      expect([answer.exitCode, answer.stdout]).toEqual([3, ""]);
      expect(answer.stderr).toContain(`no such directory: ${missing}`);
      expect(await readdir(directory)).toEqual([]);
    });
  });

  test.each(READING)("%s, and of a file", async (words) => {
    await withTemporaryDirectory(async (directory) => {
      const file = join(directory, "x.txt");
      await writeFile(file, "");
      const answer = await runIn(join(directory, "home"), [...words.split(" "), option, file]);
      expect([answer.exitCode, answer.stdout]).toEqual([3, ""]);
      expect(answer.stderr).toContain(`${file} is not a directory`);
    });
  });
});

test.each([["-m", "hi"], ["list"]])("--home of a file is told once: %s", async (...words) => {
  await withTemporaryDirectory(async (directory) => {
    const file = join(directory, "x.txt");
    await writeFile(file, "");
    const { exitCode, stderr } = await runIn(directory, [...words, "--home", file]);
    expect([exitCode, stderr]).toEqual([3, `longhand: ${file} is not a directory\n`]);
  });
});

test("workspace approve of a directory that does not exist", async () => {
  await withTemporaryDirectory(async (directory) => {
    const { exitCode, stderr } = await runIn(join(directory, "home"), [
      ...["workspace", "approve", join(directory, "nonexist")],
    ]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("no such directory")]);
    expect(await readdir(directory)).toEqual([]);
  });
});

test.each(["nonexist", "x.txt"])("migrate %s", async (name) => {
  await withTemporaryDirectory(async (directory) => {
    await writeFile(join(directory, "x.txt"), "");
    const { exitCode, stderr } = await runIn(directory, ["migrate", name]);
    expect([exitCode, stderr]).toEqual([3, expect.stringMatching(/no such directory|is not a directory/)]);
  });
});

test.each(["verify", "repair"])("%s of a directory without a store", async (command) => {
  await withTemporaryDirectory(async (directory) => {
    for (const option of ["--sessions", "--home", "--workspace"]) {
      const { exitCode, stderr } = await runIn(join(directory, "home"), [command, option, directory]);
      expect([option, exitCode, stderr]).toEqual([option, 3, expect.stringContaining("holds no store")]);
    }
    // The default place was never used: that is no mistake.
    const { exitCode, stdout } = await runIn(directory, [command]);
    expect([exitCode, stdout]).toEqual([0, `No sessions yet in ${directory}/sessions.\n`]);
  });
});

describe("--workspace of a directory that does not exist", () => {
  test.each([[["-m", "hi"]], [["list"]], [["append", "k", "x"]]])("%j", async (words) => {
    await withTemporaryDirectory(async (directory) => {
      const [home, missing] = [join(directory, "home"), join(directory, "nonexist")];
      const given = [...words, "--workspace", missing];
      const { exitCode, stderr } = await runIn(home, given, { environment: { LONGHAND_MODEL: "offline" } });
      expect([exitCode, stderr]).toEqual([2, `longhand: no such directory: ${missing}; create it first\n`]);
      expect(await readdir(directory)).toEqual([]);
    });
  });

  test("the sessions of a workspace that was removed can be read, and no agent works in it", async () => {
    await withTemporaryDirectory(async (directory) => {
      const [home, project] = [join(directory, "home"), join(directory, "shop")];
      const environment = { LONGHAND_MODEL: "offline" };
      await mkdir(project);
      await runIn(home, ["chat", "k", "-m", "hello", "--workspace", project], { environment });
      await rmdir(project);
      expect((await runIn(home, ["show", "k", "--workspace", project])).stdout).toContain("hello");
      const again = await runIn(home, ["chat", "k", "-m", "hello", "--workspace", project], { environment });
      expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining("no such directory")]);
    });
  });
});

describe("verify --all", () => {
  test("reads the sessions and the memory of every workspace; damage in any of them fails", async () => {
    await withTemporaryDirectory(async (home) => {
      const stores = [
        "sessions",
        "memory/store",
        "workspaces/shop~1/sessions",
        "workspaces/shop~1/memory/store",
      ];
      for (const path of stores) {
        await using store = await openStore(join(home, path));
        await say(store, "k", "one", "two");
      }
      const well = await runIn(join(home, "other"), ["verify", "--all", "--home", home]);
      expect(well.exitCode).toBe(0);
      expect(well.stdout).toBe(
        stores.map((path) => `${join(home, path)}\nNo damage found. 2 records in 1 session read.\n`).join(""),
      );
      const file = join(home, "workspaces/shop~1/sessions/k.jsonl");
      await writeFile(file, (await readFile(file, "utf8")).replace("two", "TWO"));
      const damaged = await runIn(home, ["verify", "--all"]);
      expect(damaged.exitCode).toBe(1);
      expect(damaged.stdout).toContain(`longhand repair --sessions '${home}/workspaces/shop~1/sessions'\n`);
      const json = await runIn(home, ["verify", "--all", "--json"]);
      expect(jsonLines(json.stdout)).toMatchObject(
        stores.map((path) => ({ store: join(home, path), records: expect.any(Number) as number })),
      );
    });
  });

  test("takes no key and no --sessions; a home without a store is an error if it was named", async () => {
    await withTemporaryDirectory(async (home) => {
      expect((await runIn(home, ["verify", "k", "--all"])).exitCode).toBe(2);
      expect((await runIn(home, ["verify", "--all", "--sessions", home])).exitCode).toBe(2);
      expect((await runIn(home, ["verify", "--all", "--home", home])).exitCode).toBe(3);
      expect(await runIn(home, ["verify", "--all"])).toMatchObject({
        exitCode: 0,
        stdout: `No sessions yet in ${home}.\n`,
      });
    });
  });
});
