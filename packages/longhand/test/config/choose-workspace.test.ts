import { chmod, mkdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { chooseWorkspace, type WorkspaceChoice } from "../../src/config/choose-workspace.ts";
import { unsafeWorkspace } from "../../src/config/unsafe-workspace.ts";
import { readRecord, writeRecord } from "../../src/config/workspace-record.ts";
import { workspaceState } from "../../src/config/workspace-state.ts";
import { approve, keepRecord, usesOf } from "../../src/config/workspace-uses.ts";
import { NOW, withTemporaryDirectory } from "../support/fake-world.ts";

interface User {
  readonly userHome: string;
  readonly home: string;
  readonly project: string;
  /** The workspace for a command that is run there. */
  readonly in: (currentDirectory: string, option?: string) => WorkspaceChoice;
}

async function withUser(use: (user: User) => Promise<void> | void): Promise<void> {
  await withTemporaryDirectory(async (root) => {
    const userHome = join(root, "ana");
    const project = join(userHome, "shop");
    const home = join(userHome, ".longhand");
    await mkdir(project, { recursive: true });
    const inDirectory: User["in"] = (currentDirectory, option) =>
      chooseWorkspace(option, { home, userHomes: [userHome], currentDirectory });
    await use({ userHome, home, project, in: inDirectory });
  });
}

describe("the workspace", () => {
  test("is the current directory only after it was approved", async () => {
    await withUser(async ({ home, project, in: choiceIn }) => {
      const current = { state: "unapproved", path: project, real: project };
      expect(choiceIn(project)).toMatchObject({ by: "default", current });
      await approve(workspaceState(home, project), project, NOW);
      expect(choiceIn(project)).toEqual({ by: "current", path: project, real: project });
    });
  });

  test("is the same by any path that leads to it", async () => {
    await withUser(async ({ userHome, home, project, in: choiceIn }) => {
      await symlink(project, join(userHome, "link"));
      await approve(workspaceState(home, project), project, NOW);
      expect(choiceIn(join(userHome, "link"))).toMatchObject({ by: "current", real: project });
      expect(choiceIn("/", join(userHome, "link"))).toMatchObject({ by: "option", real: project });
    });
  });

  test("of the home directory, or around it, is the default one", async () => {
    await withUser(({ userHome, in: choiceIn }) => {
      expect(choiceIn(userHome)).toMatchObject({ by: "default", current: { state: "unsafe" } });
      expect(choiceIn(join(userHome, ".."))).toMatchObject({ by: "default", current: { state: "unsafe" } });
      expect(choiceIn("/")).toMatchObject({ by: "default", current: { state: "unsafe" } });
    });
  });

  test("in Longhand's own directory is the default one, without a word", async () => {
    await withUser(async ({ home, in: choiceIn }) => {
      await mkdir(join(home, "workspace", "notes"), { recursive: true });
      for (const path of [home, join(home, "workspace"), join(home, "workspace", "notes")])
        expect(choiceIn(path)).toMatchObject({ by: "default", current: { state: "not-asked" } });
      expect(choiceIn("/", join(home, "workspace"))).toMatchObject({ by: "default" });
    });
  });

  test("A7: a directory with the user's keys cannot be named", async () => {
    await withUser(async ({ userHome, home, in: choiceIn }) => {
      await symlink(userHome, join(userHome, "shop", "link"));
      const named = [userHome, join(userHome, ".."), "/", "/etc", "/usr", home, join(home, "sessions")];
      for (const path of [...named, join(userHome, "shop", "link")])
        expect(() => choiceIn("/", path), path).toThrow(/cannot be a workspace/);
    });
  });

  test("is not approved by a record that cannot be understood, and not by one of another directory", async () => {
    await withUser(async ({ home, project, in: choiceIn }) => {
      const state = workspaceState(home, project);
      await approve(state, project, NOW);
      for (const text of ["", "{", "[]", '{"longhand":1,"path":"shop","approved":"x","uses":[],"left":[]}']) {
        await writeFile(join(state, "workspace.json"), text);
        expect(choiceIn(project)).toMatchObject({ by: "default", current: { state: "unapproved" } });
      }
      await writeRecord(state, { path: "/other", approved: NOW.toISOString(), uses: [], left: [] });
      expect(() => choiceIn(project)).toThrow("is of /other");
    });
  });
});

test.each([
  ["/home/ana", "home directory"],
  ["/home", "contains your home"],
  ["/etc/ssh", "of the system"],
  ["/usr", "of the system"],
  ["/tmp", "of the system"],
  ["/usr/lib64", "of the system"],
  ["/usr/local/bin", "of the system"],
  ["/var/lib", "of the system"],
  ["/var/lib/ci/project", undefined],
  ["/run/lock", "of the system"],
  ["/home/ana/.ssh", "holds your keys"],
  ["/home/ana/.gnupg/private", "holds your keys"],
  ["/home/ana/.config", "settings of your programs"],
  ["/home/ana/.config/editor", undefined],
  ["/home/ana/.longhand/workspaces", "Longhand's own"],
  ["/home/ana/.longhand/workspace/a", undefined],
  ["/home/ana/.longhand/workspace-ops", undefined],
  ["/home/ana/.longhand-project", undefined],
  ["/usr/local/src/project", undefined],
  ["/etcetera", undefined],
  ["/root/project", undefined],
])("%s: %s", (path, reason) => {
  const found = unsafeWorkspace(path, { userHomes: ["/home/ana"], home: "/home/ana/.longhand" });
  if (reason === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(reason);
});

const DAMAGED = [
  "",
  "{",
  "[]",
  '{"longhand":2,"path":"/shop","approved":null,"uses":["skills"],"left":[]}',
  '{"longhand":1,"path":"shop","approved":"x","uses":[],"left":[]}',
];

describe("a damaged or newer record", () => {
  test.each(DAMAGED)("approves nothing, and only an approval replaces it: %j", async (text) => {
    await withUser(async ({ home, project }) => {
      const state = workspaceState(home, project);
      await writeFile(join(project, "longhand.json"), "{}");
      await mkdir(join(project, "skills"));
      await mkdir(join(project, "sessions", ".longhand"), { recursive: true, mode: 0o700 });
      await mkdir(state, { recursive: true });
      const file = join(state, "workspace.json");
      await writeFile(file, text);
      expect(readRecord(state)).toBe("damaged");
      expect(usesOf(state, project)).toEqual([]);
      expect(await keepRecord(state, project)).toMatchObject({ approved: null, uses: [], left: [] });
      expect(await readFile(file, "utf8")).toBe(text);
      await approve(state, project, NOW);
      expect(usesOf(state, project)).toEqual(["longhand.json", "skills"]);
    });
  });

  test.skipIf(process.getuid?.() === 0)("is one that may not be read, too", async () => {
    await withUser(async ({ home, project }) => {
      const state = workspaceState(home, project);
      await approve(state, project, NOW);
      await chmod(join(state, "workspace.json"), 0);
      expect(readRecord(state)).toBe("damaged");
    });
  });

  test("is not one that is missing: that is the first use", async () => {
    await withUser(async ({ home, project }) => {
      const state = workspaceState(home, project);
      expect(readRecord(state)).toBeUndefined();
      expect(usesOf(state, project)).toEqual(["longhand.json", "skills"]);
      await writeFile(join(project, "longhand.json"), "{}");
      expect((await keepRecord(state, project)).uses).toEqual(["longhand.json"]);
    });
  });
});

test("what an older version left and is gone is not offered when it comes back", async () => {
  await withUser(async ({ home, project }) => {
    const state = workspaceState(home, project);
    const older = join(project, "sessions");
    await mkdir(join(older, ".longhand"), { recursive: true, mode: 0o700 });
    expect((await keepRecord(state, project)).left).toEqual(["sessions"]);
    await rename(older, join(project, "elsewhere"));
    expect((await keepRecord(state, project)).left).toEqual([]);
    await rename(join(project, "elsewhere"), older);
    expect((await keepRecord(state, project)).left).toEqual([]);
  });
});

describe("configuration and skills of a workspace", () => {
  test("are used if they were there when it was approved; what appears later is not", async () => {
    await withUser(async ({ home, project }) => {
      const state = workspaceState(home, project);
      await writeFile(join(project, "longhand.json"), "{}");
      await approve(state, project, NOW);
      expect(usesOf(state, project)).toEqual(["longhand.json"]);
      await mkdir(join(project, "skills"));
      expect((await keepRecord(state, project)).uses).toEqual(["longhand.json"]);
      await approve(state, project, NOW);
      expect(usesOf(state, project)).toEqual(["longhand.json", "skills"]);
    });
  });

  test("need a new yes when they were gone for a while", async () => {
    await withUser(async ({ home, project }) => {
      const state = workspaceState(home, project);
      await writeRecord(state, {
        path: project,
        approved: NOW.toISOString(),
        uses: ["longhand.json"],
        left: [],
      });
      expect((await keepRecord(state, project)).uses).toEqual([]);
      await writeFile(join(project, "longhand.json"), "{}");
      expect((await keepRecord(state, project)).uses).toEqual([]);
      expect(readRecord(state)).toMatchObject({ approved: NOW.toISOString() });
    });
  });
});
