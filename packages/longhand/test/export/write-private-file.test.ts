import { readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writePrivateFile } from "../../src/export/write-private-file.ts";
import { withTemporaryDirectory } from "../support/fake-world.ts";

async function* pieces(...texts: readonly string[]): AsyncIterable<string> {
  for (const text of texts) yield await Promise.resolve(text);
}

async function* failing(): AsyncIterable<string> {
  yield await Promise.resolve("half");
  throw new Error("the source failed");
}

describe("a file that only its owner can read", () => {
  test("is written with mode 0600", async () => {
    await withTemporaryDirectory(async (directory) => {
      const path = join(directory, "out.md");
      expect(await writePrivateFile(path, pieces("é", "b"), { replace: false })).toEqual({ bytes: 3 });
      expect(await readFile(path, "utf8")).toBe("éb");
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    });
  });

  test("never replaces another without being asked", async () => {
    await withTemporaryDirectory(async (directory) => {
      const path = join(directory, "out.md");
      await writeFile(path, "precious");
      await expect(writePrivateFile(path, pieces("x"), { replace: false })).rejects.toMatchObject({
        code: "FILE_EXISTS",
      });
      expect(await readFile(path, "utf8")).toBe("precious");
    });
  });

  test("replaces it when asked, and is private then too", async () => {
    await withTemporaryDirectory(async (directory) => {
      const path = join(directory, "out.md");
      await writeFile(path, "old", { mode: 0o644 });
      await writePrivateFile(path, pieces("new"), { replace: true });
      expect(await readFile(path, "utf8")).toBe("new");
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect(await readdir(directory)).toEqual(["out.md"]);
    });
  });

  test("leaves what was there, and nothing half written, when it fails", async () => {
    await withTemporaryDirectory(async (directory) => {
      await writeFile(join(directory, "old.md"), "old");
      await expect(
        writePrivateFile(join(directory, "new.md"), failing(), { replace: false }),
      ).rejects.toThrow();
      await expect(
        writePrivateFile(join(directory, "old.md"), failing(), { replace: true }),
      ).rejects.toThrow();
      expect(await readdir(directory)).toEqual(["old.md"]);
      expect(await readFile(join(directory, "old.md"), "utf8")).toBe("old");
    });
  });

  test("is never put in the place of a link or a device", async () => {
    await withTemporaryDirectory(async (directory) => {
      const link = join(directory, "link");
      await symlink(join(directory, "target"), link);
      await expect(writePrivateFile(link, pieces("x"), { replace: true })).rejects.toMatchObject({
        code: "FILE_FAILED",
      });
      await expect(writePrivateFile("/dev/null", pieces("x"), { replace: true })).rejects.toMatchObject({
        code: "FILE_FAILED",
      });
    });
  });

  test("says which file and why where it cannot be", async () => {
    await expect(writePrivateFile("/nowhere/at/all.md", pieces("x"), { replace: false })).rejects.toThrow(
      /nowhere\/at\/all\.md could not be written: no such file or directory$/,
    );
  });
});
