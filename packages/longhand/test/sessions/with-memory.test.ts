/** How commands open the memory: edits by hand are taken in and that is said; where nothing may be written it is only read. */

import { chmod, chown, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Memory } from "@longhand/store/memory";
import { jsonLines } from "../support/with-home.ts";
import { withRemembered } from "../support/with-remembered.ts";

const ANN = { user: "ann" };
const NOBODY = 65_534;

async function remember(memory: Memory): Promise<void> {
  for (const text of ["Ann likes tea.", "Ann has a boat."]) await memory.remember({ text, scope: ANN });
}

describe("edits by hand", () => {
  async function edit(home: string): Promise<void> {
    const page = join(home, "memory", "MEMORY.md");
    const text = await readFile(page, "utf8");
    await writeFile(page, text.replace("likes tea", "likes coffee").replace(/^- Ann has a boat.*\n/mu, ""));
  }

  test.each(["memory list", "search coffee --in memory"])("are told on stderr, once: %s", async (command) => {
    await withRemembered(remember, async (longhand, home) => {
      await edit(home);
      const { exitCode, stdout, stderr } = await longhand(command);
      expect(exitCode).toBe(0);
      expect(stdout).toContain("Ann likes coffee.");
      expect(stderr).toBe(
        "longhand: warning: edits by hand in the memory's Markdown were taken in: 1 added or changed, 1 taken back\n",
      );
      expect((await longhand(command)).stderr).toBe("");
    });
  });

  test("and to programs as a line of JSON", async () => {
    await withRemembered(remember, async (longhand, home) => {
      await edit(home);
      const { stdout, stderr } = await longhand("memory list --json");
      const [{ id }] = jsonLines(stdout) as [{ id: string }];
      const undone = [expect.stringMatching(/^[0-9A-Z]{26}$/)];
      expect(jsonLines(stderr)).toMatchObject([{ warning: { code: "MEMORY_EDITED", added: [id], undone } }]);
    });
  });
});

describe("a directory in which nothing may be written", () => {
  /** Root is stopped by no permission, but keeps out of what belongs to another user. */
  async function forbid(directory: string): Promise<() => Promise<void>> {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    const inside = entries
      .filter((entry) => entry.isDirectory())
      .map(({ parentPath, name }) => join(parentPath, name));
    if (process.getuid?.() === 0) await chown(directory, NOBODY, NOBODY);
    else for (const each of [directory, ...inside]) await chmod(each, 0o500);
    return async () => {
      for (const each of [directory, ...inside]) await chmod(each, 0o700);
    };
  }

  async function times(directory: string): Promise<readonly number[]> {
    const names = await readdir(directory, { recursive: true });
    return await Promise.all(names.map(async (name) => (await stat(join(directory, name))).mtimeMs));
  }

  test("is read, and that is said; what would change it fails", async () => {
    await withRemembered(remember, async (longhand, home) => {
      const directory = join(home, "memory");
      const [{ id }] = jsonLines((await longhand("memory list --json")).stdout) as [{ id: string }];
      const before = await times(directory);
      const allow = await forbid(directory);
      try {
        for (const command of ["memory list", `memory show ${id}`, "search boat --in memory"]) {
          const { exitCode, stdout, stderr } = await longhand(command);
          expect([command, exitCode]).toEqual([command, 0]);
          expect(stdout).toContain("Ann has a boat.");
          expect(stderr).toMatch(/^longhand: warning: nothing may be written in .*only read.*\n$/);
        }
        const json = await longhand("memory list --json");
        expect(jsonLines(json.stderr)).toMatchObject([{ warning: { code: "MEMORY_READ_ONLY", directory } }]);
        const undo = await longhand(`memory undo ${id}`);
        expect(undo.exitCode).toBe(1);
        expect(undo.stderr).toContain("readOnly");
        expect(await times(directory)).toEqual(before);
      } finally {
        await allow();
      }
    });
  });
});
