import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { jsonLines, say, withHome } from "../support/with-home.ts";

describe("export", () => {
  test("as Markdown, JSON and JSONL", async () => {
    await withHome(
      async (store) => {
        await say(store, "k", "one", "two");
        await store.session("k").truncate({ keepLast: 1 });
      },
      async (longhand) => {
        expect((await longhand("export k")).stdout).toMatch(/^# k\n[^]*\ntwo\n/);
        const document = (await longhand("export k --json")).stdout;
        expect(JSON.parse(document)).toMatchObject({ info: { key: "k" }, messages: [{ content: "two" }] });
        expect((await longhand("export k --format json")).stdout).toBe(document);
        const records = jsonLines((await longhand("export k --format jsonl")).stdout);
        expect(records).toMatchObject([
          { type: "session", key: "k", seq: 3, count: 1 },
          { seq: 1, live: false },
          { seq: 2 },
          { seq: 3, op: "truncate" },
        ]);
        expect(records[2]).not.toHaveProperty("live");
      },
    );
  });

  test("a file whose name says no format needs --format", async () => {
    await withHome(
      async (store) => say(store, "k", "one"),
      async (longhand, home) => {
        const file = join(home, "out.txt");
        const refused = await longhand(`export k -o ${file}`);
        expect([refused.exitCode, refused.stderr]).toEqual([
          2,
          expect.stringContaining(".md, .json or .jsonl"),
        ]);
        await expect(stat(file)).rejects.toThrow();
        expect((await longhand(`export k -o ${file} --format md`)).exitCode).toBe(0);
        const nowhere = await longhand(`export k -o ${home}/none/out.md`);
        expect(nowhere.stderr).toBe(
          `longhand: ${home}/none/out.md could not be written: no such file or directory\n`,
        );
      },
    );
  });

  test("into a private file by its name; another is replaced only with --force", async () => {
    await withHome(
      async (store) => say(store, "k", "one"),
      async (longhand, home) => {
        const file = join(home, "out.jsonl");
        expect((await longhand(`export k --output ${file}`)).stdout).toContain(`to ${file} (jsonl`);
        expect((await stat(file)).mode & 0o777).toBe(0o600);
        expect(jsonLines(await readFile(file, "utf8"))).toMatchObject([{ type: "session" }, { seq: 1 }]);
        await writeFile(file, "precious");
        const refused = await longhand(`export k --output ${file} --json`);
        expect(refused.exitCode).toBe(1);
        expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: "FILE_EXISTS" } });
        expect(await readFile(file, "utf8")).toBe("precious");
        const directory = await longhand(`export k --output ${home} --format md --force`);
        expect([directory.exitCode, directory.stderr]).toEqual([
          1,
          expect.stringContaining(`${home} is a directory`),
        ]);
        const forced = await longhand(`export k --output ${file} --force --json`);
        expect(JSON.parse(forced.stdout)).toMatchObject({ key: "k", format: "jsonl", file });
      },
    );
  });
});
