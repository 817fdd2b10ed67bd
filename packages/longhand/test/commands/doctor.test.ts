import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runIn, withTemporaryDirectory } from "../support/fake-world.ts";
import { say, withHome } from "../support/with-home.ts";
import { withRemembered } from "../support/with-remembered.ts";

/** Of every file; a socket has none. */
async function contentOf(directory: string): Promise<Record<string, string>> {
  const content: Record<string, string> = {};
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    content[path] = entry.isFile() ? await readFile(path, "latin1") : "";
  }
  return content;
}

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
        expect(stdout).toContain(`sessions   ${sessions}  (sessions/ in the home)`);
        expect(stdout).toContain(`memory     ${join(home, "memory")}  (memory/ in the home)`);
        expect(stdout).toContain("4 kept; 2 messages in the views");
        expect(stdout).toMatch(/disk +[\d.]+ K?B: active [\d.]+ K?B/);
        expect(stdout).toContain("Open for writing\n  by nobody\n");
        expect(stdout).toContain("No problems found.");
        expect(JSON.parse((await longhand("doctor --json")).stdout)).toMatchObject({
          places: { home: { path: home, source: "environment" } },
          sessions: 2,
          records: 4,
          damage: [],
          owners: [],
          disk: { archive: 0, trash: 0, damaged: 0 },
          problems: [],
          system: { node: process.version },
        });
      },
    );
  });

  test("breaks between words in a narrow terminal, and leaves paths whole", async () => {
    await withHome(
      async (store) => await say(store, "a", "1"),
      async (_longhand, home) => {
        const { stdout } = await runIn(home, ["doctor"], { width: 40 });
        expect(stdout).toContain(home);
        expect(stdout).toContain("  disk       ");
        const broken = stdout
          .split("\n")
          .filter((row) => row.length > 40 && row.split(/\s+/u).every((word) => word.length <= 27));
        expect(broken).toEqual([]);
      },
    );
  });

  test("tells which model would answer, the sandbox, the skills and whether the configuration is right", async () => {
    await withTemporaryDirectory(async (home) => {
      const environment = { OLLAMA_HOST: "127.0.0.1:9" };
      const well = await runIn(home, ["doctor"], { environment });
      expect(well.exitCode).toBe(0);
      expect(well.stdout).toContain("config     no longhand.json; the defaults hold\n");
      expect(well.stdout).toContain(
        "model      offline, no model: Ollama does not run at http://127.0.0.1:9\n",
      );
      expect(well.stdout).toMatch(/skills {5}.*write-a-skill/);
      expect(well.stdout).toMatch(/sandbox {4}(?:bubblewrap works|none: .+; .+)/);
      const skill = join(home, "skills", "bad");
      await mkdir(skill, { recursive: true });
      await writeFile(join(skill, "SKILL.md"), "no frontmatter");
      await writeFile(join(home, "longhand.json"), '{"agent":{"model":"anthropic:x"}}');
      const { exitCode, stdout } = await runIn(home, ["doctor", "--json"]);
      expect(exitCode).toBe(1);
      expect(JSON.parse(stdout)).toMatchObject({
        agents: [{ name: "longhand", model: null, invalidSkills: [{ directory: skill }] }],
        sandbox: { works: expect.any(Boolean) as boolean },
        problems: [
          { problem: expect.stringContaining("ANTHROPIC_API_KEY") as string },
          { problem: expect.stringContaining(`the skill in ${skill} is left out`) as string },
        ],
      });
      await writeFile(join(home, "longhand.json"), '{"tools":{"deny":["exce"]}}');
      const wrong = await runIn(home, ["doctor"]);
      expect(wrong.exitCode).toBe(1);
      expect(wrong.stdout).toContain("tools.deny[0]: there is no such tool; did you mean exec?");
      expect(wrong.stdout).toContain("longhand.json: cannot be used, see below");
      expect(await readdir(home)).toEqual(["longhand.json", "skills"]);
    });
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
        expect(stdout).toMatch(/remedy: .*longhand repair/);
        const listed = await longhand("list");
        expect(listed.stdout).toContain("[damaged]");
        expect(listed.stderr).toContain("longhand: warning: ");
        const json = await longhand("list --json");
        expect(JSON.parse(json.stderr)).toMatchObject({ warning: { code: "DAMAGE", damage: { file } } });
      },
    );
  });

  test("looks at the memory's own store too, and its remedy mends it", async () => {
    await withRemembered(
      async (memory) => {
        for (const text of ["Ana leads the team.", "Ben is on leave."])
          await memory.remember({ text, scope: {} });
      },
      async (longhand, home) => {
        const well = await longhand("doctor");
        expect([well.exitCode, well.stdout]).toEqual([
          0,
          expect.stringMatching(/memory +3 records kept; damage: none found\n/),
        ]);
        const store = join(home, "memory", "store");
        const [name = ""] = (await readdir(store)).filter((each) => each.endsWith(".jsonl"));
        const file = join(store, name);
        const text = await readFile(file, "utf8");
        await writeFile(file, text.replace("Ana leads", "Ana LEADS"), { mode: 0o600 });
        const before = await contentOf(home);
        const { exitCode, stdout } = await longhand("doctor");
        expect(await contentOf(home)).toEqual(before);
        expect([exitCode, stdout]).toEqual([1, expect.stringContaining(`${file}: corrupt at byte`)]);
        expect(stdout).toMatch(/damage +none found\n/);
        expect(stdout).toContain(`longhand repair --sessions ${store} `);
        expect(JSON.parse((await longhand("doctor --json")).stdout)).toMatchObject({
          damage: [],
          memory: { damage: [{ file }] },
          problems: [{ remedy: expect.stringContaining(store) as string }],
        });
        await longhand(`repair --yes --sessions ${store}`);
        expect((await longhand("doctor")).stdout).toContain("No problems found.");
      },
    );
  });

  test("says that the memory is no directory; where there is none yet all is well", async () => {
    await withHome(
      async (store) => say(store, "k", "one"),
      async (longhand, home) => {
        const file = join(home, "plain");
        await writeFile(file, "text");
        const { exitCode, stdout } = await longhand(`doctor --memory ${file}`);
        expect([exitCode, stdout]).toEqual([1, expect.stringContaining(`${file} is not a directory`)]);
        expect(stdout).toContain("give another one with --memory DIR");
        expect((await longhand(`doctor --memory ${join(file, "below")}`)).exitCode).toBe(1);
        expect((await longhand(`doctor --memory ${join(home, "none")}`)).stdout).toContain(
          "No problems found.",
        );
        await mkdir(join(home, "odd"), { mode: 0o700 });
        await writeFile(join(home, "odd", "store"), "text");
        expect((await longhand(`doctor --memory ${join(home, "odd")}`)).stdout).toContain(
          "store is not a directory",
        );
      },
    );
  });

  test("names the files of other programs, and leaves them", async () => {
    await withHome(
      async (store) => say(store, "k", "one"),
      async (longhand, _home, sessions) => {
        const at = "2026-01-02T03:04:05Z";
        const messages = [{ role: "user", content: "where is it", created_at: at }];
        const document = { key: "telegram:42", messages, summary: "", created: at, updated: at };
        await writeFile(join(sessions, "telegram_42.json"), JSON.stringify(document), { mode: 0o600 });
        const { exitCode, stdout } = await longhand("doctor");
        expect(exitCode).toBe(0);
        expect(stdout).toMatch(
          /foreign +1 file like another program's sessions: telegram_42\.json +\(left alone\)\n/,
        );
        expect(stdout).toMatch(/damage +none found\n/);
        expect(JSON.parse((await longhand("doctor --json")).stdout)).toMatchObject({
          foreign: [join(sessions, "telegram_42.json")],
        });
        expect(await readdir(sessions)).toContain("telegram_42.json");
      },
    );
  });

  test("of a killed writer says that nothing is lost, and changes nothing", async () => {
    await withHome(
      async (store) => say(store, "k", "one"),
      async (longhand, _home, sessions) => {
        const built = new URL("../../../store/dist/index.js", import.meta.url).href;
        const writer = `
          import { openStore } from ${JSON.stringify(built)};
          const store = await openStore(${JSON.stringify(sessions)});
          await store.session("k").append({ role: "user", content: "two" });
          process.kill(process.pid, "SIGKILL");`;
        const killed = spawnSync(process.execPath, ["--input-type=module", "-e", writer]);
        expect(killed.signal, killed.stderr.toString()).toBe("SIGKILL");
        const before = await contentOf(sessions);
        const { exitCode, stdout } = await longhand("doctor");
        expect([exitCode, stdout]).toEqual([0, expect.stringContaining("ended without closing")]);
        expect(stdout).toContain(`process ${killed.pid} on `);
        expect(stdout).toContain("nothing is lost");
        expect(await contentOf(sessions)).toEqual(before);
        await longhand("append k three");
        expect((await longhand("show k --json")).stdout).toMatch(/one[^]*two[^]*three/);
        expect((await longhand("doctor")).stdout).toContain("by nobody");
      },
    );
  });

  test("of a place that is not there yet is well, and creates nothing", async () => {
    await withTemporaryDirectory(async (home) => {
      const { exitCode, stdout } = await runIn(home, ["doctor"]);
      expect(exitCode).toBe(0);
      expect(stdout).toContain("not there yet");
      expect(await readdir(home)).toEqual([]);
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
