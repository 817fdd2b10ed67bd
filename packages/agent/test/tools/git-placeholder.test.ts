/** The empty `.git` that keeps commands from creating one: its identity, and releases that overlap. */

import { mkdir, mkdtemp, readdir, rm, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { holdPlaceholder } from "../../src/tools/git-placeholder.ts";

async function withWorkspace(use: (workspace: string, path: string) => Promise<void>): Promise<void> {
  const workspace = await mkdtemp(join(tmpdir(), "longhand-git-"));
  try {
    await use(workspace, join(workspace, ".git"));
  } finally {
    await rm(workspace, { recursive: true, force: true });
  }
}

async function createHooks(path: string): Promise<void> {
  await mkdir(join(path, "hooks"), { recursive: true });
  await writeFile(join(path, "hooks", "pre-commit"), "evil");
}

describe("a repository that takes the place of the placeholder", () => {
  test("is set aside, also where the file system uses the inode number again", async () => {
    for (let time = 0; time < 5; time++) {
      await withWorkspace(async (workspace, path) => {
        const placeholder = await holdPlaceholder(path);
        await rmdir(path);
        await createHooks(path);
        await expect(placeholder?.release()).rejects.toMatchObject({ code: "TOOL_FAILED" });
        expect(await readdir(workspace)).toEqual([expect.stringMatching(/^\.git-not-trusted-/)]);
      });
    }
  });

  test("is set aside once, for all commands that ran meanwhile", async () => {
    await withWorkspace(async (workspace, path) => {
      const placeholders = [await holdPlaceholder(path), await holdPlaceholder(path)];
      await rmdir(path);
      await createHooks(path);
      const released = await Promise.allSettled(placeholders.map(async (each) => await each?.release()));
      expect(released.map(({ status }) => status)).toContain("rejected");
      expect(await readdir(workspace)).toEqual([expect.stringMatching(/^\.git-not-trusted-/)]);
    });
  });

  test("control: one that the user makes in the placeholder stays", async () => {
    await withWorkspace(async (workspace, path) => {
      const placeholder = await holdPlaceholder(path);
      await createHooks(path);
      await placeholder?.release();
      expect(await readdir(workspace)).toEqual([".git"]);
    });
  });

  test("control: an empty one may be the placeholder of another process, and stays", async () => {
    await withWorkspace(async (workspace, path) => {
      const placeholder = await holdPlaceholder(path);
      await rmdir(path);
      await mkdir(path, { mode: 0o700 });
      await placeholder?.release();
      expect(await readdir(workspace)).toEqual([".git"]);
    });
  });
});

describe("the placeholder", () => {
  test("that a release is removing is not handed to the next command", async () => {
    await withWorkspace(async (workspace, path) => {
      const first = await holdPlaceholder(path);
      const releasing = first?.release();
      const second = await holdPlaceholder(path);
      await releasing;
      expect(await readdir(workspace)).toEqual([".git"]);
      await second?.release();
      expect(await readdir(workspace)).toEqual([]);
    });
  });

  test("stays until the last of several commands has ended", async () => {
    await withWorkspace(async (workspace, path) => {
      const [first, second] = [await holdPlaceholder(path), await holdPlaceholder(path)];
      await first?.release();
      expect(await readdir(workspace)).toEqual([".git"]);
      await second?.release();
      expect(await readdir(workspace)).toEqual([]);
    });
  });

  test("is not made where there is a repository", async () => {
    await withWorkspace(async (workspace, path) => {
      await createHooks(path);
      expect(await holdPlaceholder(path)).toBeUndefined();
      expect(await holdPlaceholder(path)).toBeUndefined();
      expect(await readdir(workspace)).toEqual([".git"]);
    });
  });
});
