import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Store } from "@longhand/store";
import type { Memory, MemoryEntry } from "@longhand/store/memory";
import { displayWidth } from "../../src/terminal/display-width.ts";
import { runIn, withTemporaryDirectory } from "../support/fake-world.ts";
import { jsonLines, say, withHome } from "../support/with-home.ts";
import { withRemembered } from "../support/with-remembered.ts";

const ANN = { user: "ann", channel: "web" };

/** A fact of Ann's that replaced another, an event, and something global. */
async function remember(memory: Memory, store: Store): Promise<void> {
  await say(store, "telegram:1", "I like tea", "I like coffee now");
  const { id } = (await store.session("telegram:1").state()) ?? { id: "" };
  const source = (seq: number): object => ({
    source: { by: "conversation", key: "telegram:1", id, from: seq, to: seq },
  });
  const tea = await memory.remember({ text: "Ann likes tea.", scope: ANN, ...source(1) });
  await memory.remember({
    text: "Ann likes coffee.",
    scope: ANN,
    confidence: 0.8,
    supersedes: [tea.id],
    ...source(2),
  });
  await memory.remember({ text: "Ann asked for a report.", kind: "daily", scope: ANN });
  await memory.remember({ text: "The office closes at six.", scope: {} });
}

async function entries(longhand: (line: string) => Promise<{ stdout: string }>): Promise<MemoryEntry[]> {
  return jsonLines((await longhand("memory list --all --json")).stdout) as MemoryEntry[];
}

async function idOf(longhand: (line: string) => Promise<{ stdout: string }>, text: string): Promise<string> {
  const entry = (await entries(longhand)).find((each) => each.text.includes(text));
  if (entry === undefined) throw new Error(`no entry has ${text}`);
  return entry.id;
}

/** Everything that is in the files of a directory. */
async function bytesIn(directory: string): Promise<string> {
  let bytes = "";
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += await readFile(join(entry.parentPath, entry.name), "latin1");
  }
  return bytes;
}

describe("memory list", () => {
  test("lists what holds, by scope and kind; with --all the rest too", async () => {
    await withRemembered(remember, async (longhand) => {
      const { exitCode, stdout, stderr } = await longhand("memory list");
      expect([exitCode, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(/^ID\tKIND\tSCOPE\tTEXT\tSINCE\n/);
      expect(stdout).toMatch(/\tcore\tuser=ann,channel=web\tAnn likes coffee\.\t/);
      expect(stdout).toMatch(/\tcore\tglobal\tThe office closes at six\.\t/);
      expect(stdout).not.toContain("tea");
      expect((await longhand("memory list --all")).stdout).toMatch(/Ann likes tea\.\t.*\tsuperseded\n/);
      const texts = async (options: string): Promise<unknown[]> =>
        (jsonLines((await longhand(`memory list ${options} --json`)).stdout) as MemoryEntry[]).map(
          ({ text }) => text,
        );
      expect(await texts("--scope channel=web,user=ann --kind daily")).toEqual(["Ann asked for a report."]);
      expect(await texts("--scope global")).toEqual(["The office closes at six."]);
      expect((await longhand("memory list --scope user=ann")).stdout).toMatch(/^Nothing of that/);
    });
  });

  test("stays within a narrow terminal, with whole ids", async () => {
    await withRemembered(remember, async (longhand) => {
      const ids = (await entries(longhand)).map(({ id }) => id);
      for (const width of [30, 40, 60]) {
        const { stdout } = await longhand("memory list --all", { width });
        for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        for (const id of ids) expect(stdout).toContain(id);
      }
    });
  });

  test("a hostile name is neither another scope nor an act on the terminal", async () => {
    await withRemembered(
      async (memory) => {
        await memory.remember({ text: "real", scope: ANN });
        await memory.remember({ text: "fake\u001b[2J", scope: { user: "ann,channel=web" } });
      },
      async (longhand) => {
        const { stdout } = await longhand("memory list");
        expect(stdout).toContain('\tuser="ann,channel=web"\tfake\\x1b[2J\t');
        expect((await longhand('memory list --scope user="ann,channel=web"')).stdout).not.toContain("real");
        expect((await longhand("memory list --scope user=ann,channel=web")).stdout).not.toContain("fake");
      },
    );
  });

  test("what is wrong with the memory's own store is mended there", async () => {
    await withRemembered(remember, async (longhand, home) => {
      const store = join(home, "memory", "store");
      await chmod(store, 0o777);
      const { exitCode, stderr } = await longhand("memory list");
      expect([exitCode, stderr]).toEqual([
        1,
        expect.stringContaining(`longhand doctor --sessions ${store}\n`),
      ]);
      const doctor = await longhand(`doctor --sessions ${store}`);
      expect([doctor.exitCode, doctor.stdout]).toEqual([1, expect.stringContaining("chmod")]);
    });
  });

  test.each(["memory list", "memory list --json", "search tea --in memory", "search tea --in all"])(
    "%s makes nothing where nothing is remembered",
    async (commandLine) => {
      await withTemporaryDirectory(async (home) => {
        const { exitCode, stdout, stderr } = await runIn(home, commandLine.split(" "));
        expect([exitCode, stderr]).toEqual([0, ""]);
        if (commandLine.endsWith("--json")) expect(stdout).toBe("");
        else expect(stdout).toContain("Nothing is remembered yet in ");
        expect(await readdir(home)).toEqual([]);
        for (const verb of ["show", "undo", "forget --yes"]) {
          const answer = await runIn(home, ["memory", ...verb.split(" "), "01"]);
          expect([answer.exitCode, answer.stderr]).toEqual([3, expect.stringContaining("no entry")]);
        }
        expect(await readdir(home)).toEqual([]);
      });
    },
  );
});

describe("memory show", () => {
  test("tells all of an entry, and the command that opens its source is true", async () => {
    await withRemembered(remember, async (longhand) => {
      const id = await idOf(longhand, "coffee");
      const { stdout } = await longhand(`memory show ${id.toLowerCase()}`);
      expect(stdout).toMatch(
        /^\w{26} {2}core · current\n {2}Ann likes coffee\.\n\nscope +user=ann,channel=web\nsince +\S+Z\nconfidence 0\.8\nsource +telegram:1, #2 to #2\n/,
      );
      expect(stdout).toContain(`replaces   ${await idOf(longhand, "tea")}\n`);
      const [, command = ""] = /to open it: longhand (.*)\n/.exec(stdout) ?? [];
      expect((await longhand(command)).stdout).toContain("  I like coffee now\n");
      expect(JSON.parse((await longhand(`memory show ${id} --json`)).stdout)).toMatchObject({
        id,
        kind: "core",
      });
    });
  });

  test("the beginning of an id is enough, if no other begins so", async () => {
    await withRemembered(remember, async (longhand) => {
      const ids = (await entries(longhand)).map((entry) => entry.id);
      const ambiguous = await longhand("memory show 0");
      expect(ambiguous.exitCode).toBe(3);
      for (const id of ids) expect(ambiguous.stderr).toContain(id);
      const first = ids[0] ?? "";
      const length = Array.from(first).findIndex(
        (_, index) => ids.filter((id) => id.startsWith(first.slice(0, index))).length === 1,
      );
      expect((await longhand(`memory show ${first.slice(0, length)}`)).stdout).toContain(first);
      const json = await longhand("memory show nothing --json");
      expect([json.exitCode, JSON.parse(json.stderr)]).toMatchObject([
        3,
        { error: { code: "ENTRY_UNKNOWN" } },
      ]);
    });
  });

  test("a source that is put away, or gone, is not taken for the key's new session", async () => {
    await withRemembered(remember, async (longhand) => {
      const id = await idOf(longhand, "coffee");
      await longhand("delete telegram:1");
      await longhand("append telegram:1 something_else");
      const trashed = (await longhand(`memory show ${id}`)).stdout;
      expect(trashed).toContain("that conversation is in the trash\n");
      expect(trashed).toMatch(/longhand restore --id \w{26} telegram:1\n/);
      await longhand("delete telegram:1 --forever --yes");
      await longhand("append telegram:1 something_else");
      const gone = (await longhand(`memory show ${id}`)).stdout;
      expect(gone).toContain("that conversation is not here any more\n");
      expect(gone).not.toContain("to open it");
    });
  });
});

describe("memory undo and forget", () => {
  test("undo brings back what was replaced; twice changes nothing", async () => {
    await withRemembered(remember, async (longhand) => {
      const id = await idOf(longhand, "coffee");
      const { stdout } = await longhand(`memory undo ${id}`);
      expect(stdout).toMatch(
        /^Taken back: \w{26} {2}Ann likes coffee\.\nHolds again: \w{26} {2}Ann likes tea\.\n/,
      );
      expect((await longhand("memory list")).stdout).toContain("tea");
      const again = await longhand(`memory undo ${id}`);
      expect([again.exitCode, again.stdout]).toEqual([0, expect.stringMatching(/^Was taken back before: /)]);
      expect(JSON.parse((await longhand(`memory undo ${id} --json`)).stdout)).toMatchObject({
        entry: { id, status: "undone" },
        currentAgain: [],
      });
    });
  });

  test("forget asks, or needs --yes; then the text is in no file, and where the words stay is said", async () => {
    await withRemembered(remember, async (longhand, home) => {
      const memory = join(home, "memory");
      const id = await idOf(longhand, "coffee");
      const nobody = await longhand(`memory forget ${id}`);
      expect([nobody.exitCode, nobody.stderr]).toEqual([
        1,
        expect.stringContaining(`longhand memory forget --yes ${id}\n`),
      ]);
      const no = await longhand(`memory forget ${id}`, { answers: ["n"] });
      expect([no.exitCode, no.stderr]).toEqual([
        1,
        expect.stringContaining("Forget “Ann likes coffee.” for good?"),
      ]);
      expect(await bytesIn(memory)).toContain("Ann likes coffee");
      const yes = await longhand(`memory forget ${id}`, { answers: ["y"] });
      expect(yes.exitCode).toBe(0);
      expect(yes.stdout).toMatch(
        /^Forgotten: \w{26}\. [^]*It came from telegram:1, #2 to #2\.\nThe words stay there\./,
      );
      expect(yes.stdout).toContain("longhand delete --forever telegram:1\n");
      expect(await bytesIn(memory)).not.toContain("Ann likes coffee");
      expect((await longhand("show telegram:1")).stdout).toContain("I like coffee now");
      expect((await longhand(`memory show ${id}`)).exitCode).toBe(3);
      const office = await idOf(longhand, "office");
      const json = await longhand(`memory forget ${office} --yes --json`);
      expect(JSON.parse(json.stdout)).toMatchObject({ id: office, source: { by: "request" } });
    });
  });
});

describe("search in the memory", () => {
  test("finds entries of every scope once, marked with id and scope", async () => {
    await withRemembered(remember, async (longhand) => {
      const { stdout } = await longhand("search office --in memory");
      expect(stdout).toMatch(/^memory \w{26} {2}core · global\n {2}The office closes at six\.\n\n$/);
      expect((await longhand("search coffee")).stdout).toBe("telegram:1  #2 · user\n  I like coffee now\n\n");
      const all = jsonLines((await longhand("search coffee --in all --json")).stdout);
      expect(all).toHaveLength(2);
      expect(all).toContainEqual(expect.objectContaining({ from: "session", key: "telegram:1", seq: 2 }));
      expect(all).toContainEqual(
        expect.objectContaining({ from: "memory", entry: expect.objectContaining({ scope: ANN }) as object }),
      );
      expect((await longhand("search tea --in memory")).stdout).toMatch(
        /^Nothing has “tea” in .*memory\.\n$/,
      );
    });
  });

  test("--memory is another memory", async () => {
    await withHome(
      () => Promise.resolve(),
      async (longhand, home) => {
        await withRemembered(remember, async (_other, elsewhere) => {
          const directory = join(elsewhere, "memory");
          const { stdout } = await runIn(home, ["memory", "list", "--memory", directory]);
          expect(stdout).toContain("Ann likes coffee.");
        });
        expect((await longhand("memory list")).stdout).toContain("Nothing is remembered yet");
      },
    );
  });
});

describe("damage in the memory's own store", () => {
  async function damageTea(home: string): Promise<string> {
    const store = join(home, "memory", "store");
    for (const name of await readdir(store)) {
      if (!name.endsWith(".jsonl")) continue;
      const bytes = await readFile(join(store, name));
      const offset = bytes.indexOf("likes tea");
      if (offset === -1) continue;
      await writeFile(join(store, name), bytes.fill("x", offset, offset + 1));
      return join(store, name);
    }
    throw new Error("no file has the tea");
  }

  test("fails every command that met it, and is a warning", async () => {
    await withRemembered(remember, async (longhand, home) => {
      const coffee = await idOf(longhand, "coffee");
      expect((await longhand("memory list")).exitCode).toBe(0);
      const file = await damageTea(home);
      for (const command of ["memory list", `memory show ${coffee}`, "search coffee --in memory"]) {
        const { exitCode, stdout, stderr } = await longhand(command);
        expect([command, exitCode]).toEqual([command, 1]);
        expect(stdout).toContain("coffee");
        expect(stderr).toContain(`longhand: warning: ${file}: corrupt`);
        const json = await longhand(`${command} --json`);
        expect(json.exitCode).toBe(1);
        expect(jsonLines(json.stderr)).toMatchObject([{ warning: { code: "DAMAGE", damage: { file } } }]);
      }
    });
  });

  test("forgets nothing until it is mended", async () => {
    await withRemembered(remember, async (longhand, home) => {
      const coffee = await idOf(longhand, "coffee");
      const file = await damageTea(home);
      const { exitCode, stdout, stderr } = await longhand(`memory forget --yes ${coffee}`);
      expect([exitCode, stdout]).toEqual([1, ""]);
      expect(stderr).toContain(file);
      expect(stderr).toMatch(/repair --sessions \S*memory\/store/);
      await longhand(`repair --yes --sessions ${join(home, "memory", "store")}`);
      const again = await longhand(`memory forget --yes ${coffee}`);
      expect([again.exitCode, again.stderr]).toEqual([0, ""]);
    });
  });
});
