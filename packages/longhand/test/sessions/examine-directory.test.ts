import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { examineDirectory } from "../../src/sessions/examine-directory.ts";
import { withTemporaryDirectory } from "../support/fake-world.ts";

/** To root nothing is closed; the same is looked at, and found open. */
const isRoot = process.getuid?.() === 0;

describe("a directory", () => {
  test("that is well has nothing to tell", async () => {
    await withTemporaryDirectory(async (home) => {
      await writeFile(join(home, "a.jsonl"), "", { mode: 0o600 });
      await symlink("nowhere", join(home, "b.jsonl"));
      expect(await examineDirectory(home)).toMatchObject({
        exists: true,
        isDirectory: true,
        mode: "0700",
        isOwn: true,
        openFiles: [],
        notWritable: [],
      });
    });
  });

  test("is not there, is a file, or lies under a file", async () => {
    await withTemporaryDirectory(async (home) => {
      expect(await examineDirectory(join(home, "a", "b"))).toMatchObject({ exists: false, notWritable: [] });
      const file = join(home, "file");
      await writeFile(file, "");
      expect(await examineDirectory(file)).toMatchObject({ exists: true, isDirectory: false });
      expect(await examineDirectory(join(file, "x"))).toMatchObject({ failure: { errno: "ENOTDIR" } });
    });
  });

  test("has files that others may read", async () => {
    await withTemporaryDirectory(async (home) => {
      await writeFile(join(home, "a.jsonl"), '{"longhand":1,');
      await chmod(join(home, "a.jsonl"), 0o640);
      // Another program's file.
      await writeFile(join(home, "data.jsonl"), '{"role":"user","content":"hi"}\n', { mode: 0o644 });
      expect((await examineDirectory(home)).openFiles).toEqual(["a.jsonl"]);
    });
  });

  test("is closed, wholly or to writing", async () => {
    await withTemporaryDirectory(async (home) => {
      const closed = join(home, "closed");
      await mkdir(closed, { mode: 0o000 });
      expect((await examineDirectory(closed)).failure?.errno).toBe(isRoot ? undefined : "EACCES");
      await chmod(closed, 0o500);
      const notWritable = isRoot ? [] : [closed];
      expect(await examineDirectory(closed)).toMatchObject({ exists: true, notWritable });
      expect(await examineDirectory(join(closed, "x", "y"))).toMatchObject({ exists: false, notWritable });
    });
  });
});
