import { spawnSync } from "node:child_process";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runIn, withTemporaryDirectory } from "../support/fake-world.ts";
import { say, withHome } from "../support/with-home.ts";

describe("doctor", () => {
  test("tells the places and why, and counts", async () => {
    await withHome(
      async (store) => {
        await say(store, "a", "1", "2");
        await store.session("a").truncate({ keepLast: 1 });
        await say(store, "b", "3");
      },
      async (longhand, home, sessions) => {
        const { exitCode, stdout } = await longhand("doctor");
        expect(exitCode).toBe(0);
        expect(stdout).toContain(`home       ${home}  (LONGHAND_HOME)`);
        expect(stdout).toContain(`sessions   ${sessions}  (sessions/ in the workspace)`);
        expect(stdout).toContain("3 kept, 2 in the views");
        expect(stdout).toContain("no other process has it open");
        expect(stdout).toContain("No problems found.");
        expect(JSON.parse((await longhand("doctor --json")).stdout)).toMatchObject({
          places: { home: { path: home, source: "environment" } },
          sessions: 2,
          messages: 3,
          damage: [],
          writer: { state: "free" },
          problems: [],
          system: { node: process.version },
        });
      },
    );
  });

  test("finds damage and open permissions, each with a remedy; exit code 1", async () => {
    await withHome(
      async (store) => say(store, "k", "one", "two", "three"),
      async (longhand, _home, sessions) => {
        const file = join(sessions, "k.jsonl");
        const text = await readFile(file, "utf8");
        await writeFile(file, text.replace('"content":"two"', '"content":"TWO"'), { mode: 0o600 });
        const { exitCode, stdout } = await longhand("doctor");
        expect(exitCode).toBe(1);
        expect(stdout).toContain(`${file}: corrupt at byte ${text.indexOf('{"seq":2')}`);
        expect(stdout).toContain("remedy:");
        const listed = await longhand("list");
        expect(listed.stdout).toContain("[1 damaged place]");
        expect(listed.stderr).toContain("longhand: warning: ");
        const json = await longhand("list --json");
        expect(JSON.parse(json.stderr)).toMatchObject({ warning: { code: "DAMAGE", damage: { file } } });
      },
    );
  });

  test("tells what recovering a killed writer has found, since nobody will meet it again", async () => {
    await withHome(
      async (store) => say(store, "k", "one"),
      async (longhand, _home, sessions) => {
        const built = new URL("../../../store/dist/index.js", import.meta.url).href;
        const writer = `
          import { openStore } from ${JSON.stringify(built)};
          const store = await openStore(${JSON.stringify(sessions)});
          await store.session("gone").append({ role: "user", content: "hello" });
          process.kill(process.pid, "SIGKILL");`;
        expect(spawnSync(process.execPath, ["--input-type=module", "-e", writer]).signal).toBe("SIGKILL");
        await rm(join(sessions, "gone.jsonl"));
        const { exitCode, stdout } = await longhand("doctor");
        expect(exitCode).toBe(1);
        expect(stdout).toContain("no file for 1 record");
      },
    );
  });

  test("of a place that is not there yet is well, and creates nothing", async () => {
    await withTemporaryDirectory(async (home) => {
      const { exitCode, stdout } = await runIn(home, ["doctor"]);
      expect(exitCode).toBe(0);
      expect(stdout).toContain("not there yet");
      await expect(stat(join(home, "workspace"))).rejects.toThrow("ENOENT");
    });
  });

  test("makes no store out of a directory that is none", async () => {
    await withTemporaryDirectory(async (home) => {
      const other = join(home, "documents");
      await mkdir(other, { mode: 0o755 });
      const { exitCode, stdout } = await runIn(home, ["doctor", "--sessions", other]);
      expect([exitCode, stdout]).toEqual([1, expect.stringContaining(`chmod 700 ${other}`)]);
      await expect(stat(join(other, ".longhand"))).rejects.toThrow("ENOENT");
    });
  });
});
