import { chmod, mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { permissionRemedy } from "../../src/terminal/permission-remedy.ts";
import { withTemporaryDirectory } from "../support/fake-world.ts";

test("a file of this user needs no other user's help; one of another user does", async () => {
  await withTemporaryDirectory(async (directory) => {
    const file = join(directory, "my file");
    await writeFile(file, "x");
    await chmod(file, 0o000);
    const { uid } = await stat(file);
    expect(permissionRemedy(file)).toBe(`let yourself read and write it: chmod u+rw '${file}'`);
    expect(permissionRemedy(file, uid + 1)).toBe(
      `it belongs to user ${uid}: run longhand as that user, or make it yours: sudo chown "$(id -u)" '${file}' && chmod u+rw '${file}'`,
    );
    await chmod(file, 0o400);
    expect(permissionRemedy(file)).toContain(": chmod u+rw ");
  });
});

test("a directory must be entered too", async () => {
  await withTemporaryDirectory(async (directory) => {
    const inner = join(directory, "sessions");
    await mkdir(inner);
    await chmod(inner, 0o600);
    expect(permissionRemedy(inner)).toBe(`let yourself read and write it: chmod u+rwx ${inner}`);
    await chmod(inner, 0o700);
  });
});

test("what is not there could not be made: the directory above it is closed", async () => {
  await withTemporaryDirectory(async (directory) => {
    const inner = join(directory, "sessions");
    await mkdir(inner, { mode: 0o500 });
    expect(permissionRemedy(join(inner, ".longhand", "journal"))).toBe(
      `let yourself read and write it: chmod u+rwx ${inner}`,
    );
  });
});

test("no mode is changed that is no obstacle", async () => {
  await withTemporaryDirectory(async (directory) => {
    const file = join(directory, "file");
    await writeFile(file, "x", { mode: 0o600 });
    const remedy = permissionRemedy(file);
    expect(remedy).toContain("its mode lets you");
    expect(remedy).not.toMatch(/chmod|sudo/);
  });
});
