import { link, lstat, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isContainedIn } from "../../src/sessions/is-contained-in.ts";
import { DISK, type MoveDeps, moveDirectory } from "../../src/sessions/move-directory.ts";
import { withTemporaryDirectory } from "../support/fake-world.ts";

const refuseIfOpen = (): Promise<void> => Promise.resolve();

const otherFileSystem: MoveDeps = {
  ...DISK,
  rename: async (from, to) => {
    if (from.endsWith("/from") && to.endsWith("/to"))
      throw Object.assign(new Error("cross-device link"), { code: "EXDEV" });
    await DISK.rename(from, to);
  },
};

async function withTree(use: (from: string, to: string) => Promise<void>): Promise<void> {
  await withTemporaryDirectory(async (root) => {
    const from = join(root, "from");
    await mkdir(join(from, "a/b"), { recursive: true });
    await writeFile(join(from, "one"), "1", { mode: 0o600 });
    await writeFile(join(from, "a/b/two"), "2", { mode: 0o600 });
    await link(join(from, "one"), join(from, "a/again"));
    await use(from, join(root, "state/to"));
  });
}

describe("a directory is moved", () => {
  test.each([
    ["by a rename", undefined],
    ["by a copy, to another file system", otherFileSystem],
  ])("%s", async (_how, deps) => {
    await withTree(async (from, to) => {
      await moveDirectory({ from, to, refuseIfOpen }, deps);
      await expect(lstat(from)).rejects.toThrow("ENOENT");
      expect((await readdir(to, { recursive: true })).sort()).toEqual([
        "a",
        "a/again",
        "a/b",
        "a/b/two",
        "one",
      ]);
      expect(await readFile(join(to, "a/b/two"), "utf8")).toBe("2");
      const [one, again] = [await lstat(join(to, "one")), await lstat(join(to, "a/again"))];
      expect([one.mode & 0o777, one.ino]).toEqual([0o600, again.ino]);
      expect(await readdir(join(to, ".."))).toEqual(["to"]);
    });
  });

  test("again, after a copy that was interrupted", async () => {
    await withTree(async (from, to) => {
      await mkdir(`${to}.moving/rest`, { recursive: true });
      await moveDirectory({ from, to, refuseIfOpen }, otherFileSystem);
      expect(await readdir(to)).toEqual(["a", "one"]);
    });
  });

  test("never with a link in it, which may lead anywhere", async () => {
    await withTree(async (from, to) => {
      await symlink("/etc", join(from, "etc"));
      await expect(moveDirectory({ from, to, refuseIfOpen }, otherFileSystem)).rejects.toMatchObject({
        code: "MOVE_REFUSED",
      });
      expect(await readdir(from)).toEqual(["a", "etc", "one"]);
    });
  });
});

test("what is contained is told by the bytes", async () => {
  await withTree(async (from) => {
    const other = join(from, "..", "other");
    await mkdir(other);
    expect(await isContainedIn(other, from)).toBe(true);
    await writeFile(join(other, "one"), "1");
    expect(await isContainedIn(other, from)).toBe(true);
    await writeFile(join(other, "one"), "2");
    expect(await isContainedIn(other, from)).toBe(false);
    expect(await isContainedIn(from, other)).toBe(false);
  });
});
