/** Ways out of the workspace, T1 to T8. Each is first shown to work on a guard as one would write it at first. */

import { execFileSync } from "node:child_process";
import { link, mkdir, readdir, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { PathGuard } from "../../src/tools/path-guard.ts";
import { writeAtomically } from "../../src/tools/write-atomically.ts";
import { makePlace, SECRET, type TestPlace } from "./support/workspace.ts";

const refusal = expect.objectContaining({
  code: "TOOL_REFUSED",
  message: expect.stringContaining("Allowed are files in the workspace") as string,
}) as Error;

async function guardedRead(workspace: string, path: string, hidden: readonly string[] = []): Promise<string> {
  const { handle } = await new PathGuard(workspace, hidden).openFile(path);
  try {
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

async function guardedWrite(workspace: string, path: string, text: string): Promise<void> {
  const place = await new PathGuard(workspace).openPlace(path, "write", { makeDirectories: true });
  try {
    await writeAtomically(place, Buffer.from(text));
  } finally {
    await place.directory.close();
  }
}

/** The control: compares the path as it is written, without the separator, and follows links. */
async function naiveRead({ workspace }: TestPlace, path: string): Promise<string> {
  const full = resolve(workspace, path);
  if (!full.startsWith(workspace)) throw new Error("outside");
  return await readFile(full, "utf8");
}

describe("reading", () => {
  test("a file in the workspace, by a relative and by the absolute path", async () => {
    const { workspace } = await makePlace();
    await mkdir(join(workspace, "a"));
    await writeFile(join(workspace, "a/file"), "inside");
    for (const path of ["a/file", "./a/../a/file", join(workspace, "a/file")])
      expect(await guardedRead(workspace, path)).toBe("inside");
  });

  test("through a workspace and a directory that are links within", async () => {
    const { workspace, outside } = await makePlace();
    const named = join(dirname(outside), "named");
    await symlink(workspace, named);
    await mkdir(join(workspace, "real"));
    await writeFile(join(workspace, "real/file"), "inside");
    await symlink("real", join(workspace, "alias"));
    expect(await guardedRead(named, "alias/file")).toBe("inside");
    expect(await guardedRead(named, join(named, "real/file"))).toBe("inside");
  });

  test("what does not exist is no refusal", async () => {
    const { workspace } = await makePlace();
    await expect(guardedRead(workspace, "none")).rejects.toMatchObject({ code: "TOOL_FAILED" });
    await expect(guardedRead(workspace, "no/ne")).rejects.toMatchObject({ code: "TOOL_FAILED" });
  });

  test("T1: .., absolute paths, an empty one and a NUL are refused", async () => {
    const place = await makePlace();
    for (const path of [
      "../outside/secret",
      join(place.outside, "secret"),
      "a/../../outside/secret",
      "/etc/passwd",
      "",
      "a\0b",
      "..",
    ]) {
      await expect(guardedRead(place.workspace, path)).rejects.toEqual(refusal);
      await expect(guardedWrite(place.workspace, path, "x")).rejects.toEqual(refusal);
    }
    // Control: without a guard the path does lead there.
    expect(await readFile(resolve(place.workspace, "../outside/secret"), "utf8")).toBe(SECRET);
  });

  test("T2: a link as file is refused", async () => {
    const place = await makePlace();
    await symlink(join(place.outside, "secret"), join(place.workspace, "link"));
    expect(await naiveRead(place, "link")).toBe(SECRET);
    await expect(guardedRead(place.workspace, "link")).rejects.toEqual(refusal);
    await expect(guardedWrite(place.workspace, "link", "x")).rejects.toEqual(refusal);
    expect(await readFile(join(place.outside, "secret"), "utf8")).toBe(SECRET);
  });

  test("T3: a link as directory in the middle is refused", async () => {
    const place = await makePlace();
    await symlink(place.outside, join(place.workspace, "link"));
    expect(await naiveRead(place, "link/secret")).toBe(SECRET);
    await expect(guardedRead(place.workspace, "link/secret")).rejects.toEqual(refusal);
    await expect(guardedWrite(place.workspace, "link/new/file", "x")).rejects.toEqual(refusal);
    await expect(new PathGuard(place.workspace).openDirectory("link")).rejects.toEqual(refusal);
    // A link to what does not exist yet is no way to create it.
    await symlink(join(place.outside, "later"), join(place.workspace, "dangling"));
    await expect(guardedWrite(place.workspace, "dangling/file", "x")).rejects.toMatchObject({
      name: "AgentError",
    });
    expect(await readdir(place.outside)).toEqual(["secret"]);
  });

  test("T4: /proc/self/root, /proc/self/fd and /dev/fd are refused", async ({ skip }) => {
    if (process.platform !== "linux") skip("there is no /proc");
    const place = await makePlace();
    await symlink("/proc/self/root", join(place.workspace, "root"));
    await symlink("/dev/fd", join(place.workspace, "fd"));
    const through = `root${place.outside}/secret`;
    expect(await naiveRead(place, through)).toBe(SECRET);
    for (const path of [
      through,
      `/proc/self/root${place.outside}/secret`,
      "/dev/fd/0",
      "fd/0",
      "/proc/self/environ",
    ])
      await expect(guardedRead(place.workspace, path)).rejects.toEqual(refusal);
  });

  test("T5: a neighbour whose name begins alike is refused", async () => {
    const place = await makePlace();
    await mkdir(`${place.workspace}-evil`);
    await writeFile(`${place.workspace}-evil/secret`, SECRET);
    expect(await naiveRead(place, "../ws-evil/secret")).toBe(SECRET);
    await expect(guardedRead(place.workspace, "../ws-evil/secret")).rejects.toEqual(refusal);
    await expect(guardedRead(place.workspace, `${place.workspace}-evil/secret`)).rejects.toEqual(refusal);
  });

  test("T7: a hard link to a file outside is refused, for reading and for writing", async () => {
    const place = await makePlace();
    await link(join(place.outside, "secret"), join(place.workspace, "link"));
    expect(await naiveRead(place, "link")).toBe(SECRET);
    await expect(guardedRead(place.workspace, "link")).rejects.toEqual(refusal);
    await expect(guardedWrite(place.workspace, "link", "x")).rejects.toEqual(refusal);
    expect(await readFile(join(place.outside, "secret"), "utf8")).toBe(SECRET);
    expect(await readdir(place.workspace)).toEqual(["link"]);
  });

  test("what is no regular file is refused, and nothing hangs", async () => {
    const { workspace } = await makePlace();
    execFileSync("mkfifo", [join(workspace, "fifo")]);
    const server = createServer().listen(join(workspace, "socket"));
    onTestFinished(() => void server.close());
    await new Promise((done) => server.once("listening", done));
    for (const path of ["fifo", "socket"]) {
      await expect(guardedRead(workspace, path)).rejects.toEqual(refusal);
      await expect(guardedWrite(workspace, path, "x")).rejects.toEqual(refusal);
    }
    await expect(guardedRead(workspace, ".")).rejects.toMatchObject({ code: "TOOL_FAILED" });
  });
});

/** By which conversations and memory are told from a project's own directories. */
const MARKS = ["sessions/.longhand", "memory/store/.longhand"];

describe("T8: what is protected", () => {
  const places = [
    ".git/hooks/pre-commit",
    ".git/config",
    ".git",
    "sub/.git/hooks/post-checkout",
    "longhand.json",
    "skills/new/SKILL.md",
    ".longhand/secrets",
    "Skills/a.md",
    "LONGHAND.json",
    "a/../skills/x",
  ];

  test.each(places)("%s is not written, and nothing is made on the way", async (path) => {
    const { workspace } = await makePlace();
    await expect(guardedWrite(workspace, path, "x")).rejects.toEqual(refusal);
    expect(await readdir(workspace)).toEqual([]);
  });

  test("nor through a link to it, nor by a link in a directory beside it", async () => {
    const { workspace } = await makePlace();
    await mkdir(join(workspace, ".git/hooks"), { recursive: true });
    await mkdir(join(workspace, "sessions/.longhand"), { recursive: true });
    await writeFile(join(workspace, "sessions/one"), SECRET);
    await symlink(".git/hooks", join(workspace, "hooks"));
    await symlink("sessions", join(workspace, "talk"));
    await expect(guardedWrite(workspace, "hooks/pre-commit", "x")).rejects.toEqual(refusal);
    await expect(guardedRead(workspace, "talk/one")).rejects.toEqual(refusal);
    expect(await naiveRead({ workspace, outside: "" }, "talk/one")).toBe(SECRET);
  });

  test("conversations, memory and secrets are not even read; Git, skills and configuration are", async () => {
    const { workspace } = await makePlace();
    for (const mark of MARKS) await mkdir(join(workspace, mark), { recursive: true });
    for (const path of ["sessions/a", "memory/a", ".longhand/a", ".git/a", "skills/a", "keys/a"]) {
      await mkdir(dirname(join(workspace, path)), { recursive: true });
      await writeFile(join(workspace, path), "words");
    }
    const hidden = [join(workspace, "keys")];
    for (const path of ["sessions/a", "memory/a", ".longhand/a", "keys/a"])
      await expect(guardedRead(workspace, path, hidden)).rejects.toEqual(refusal);
    for (const path of [".git/a", "skills/a"])
      expect(await guardedRead(workspace, path, hidden)).toBe("words");
    expect(await guardedRead(workspace, "keys/a")).toBe("words");
    await expect(new PathGuard(workspace).openDirectory("sessions")).rejects.toEqual(refusal);
    for (const path of ["sessions/new", "memory/new", "Sessions/new"])
      await expect(guardedWrite(workspace, path, "x")).rejects.toEqual(refusal);
  });

  test("directories of a project that are called sessions and memory are free", async () => {
    const { workspace } = await makePlace();
    for (const path of ["sessions/login.ts", "memory/heap.c"]) {
      await guardedWrite(workspace, path, "fine");
      expect(await guardedRead(workspace, path)).toBe("fine");
    }
  });

  test("names that only begin alike are free", async () => {
    const { workspace } = await makePlace();
    for (const path of [
      "sessions.md",
      "memory-notes/x",
      ".gitignore",
      "src/sessions/x.ts",
      "src/longhand.json",
    ]) {
      await guardedWrite(workspace, path, "fine");
      expect(await guardedRead(workspace, path)).toBe("fine");
    }
  });

  test("a protected path around the workspace is a mistake", async () => {
    const { workspace } = await makePlace();
    expect(() => new PathGuard(workspace, [dirname(workspace)])).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID" }) as Error,
    );
    expect(await realpath(workspace)).toBe(workspace);
  });
});
