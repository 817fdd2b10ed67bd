import { describe, expect, test } from "vitest";
import type { WorkspaceChoice } from "../../src/config/choose-workspace.ts";
import type { PlaceOptions, Places } from "../../src/config/places.ts";
import { resolvePlaces } from "../../src/config/resolve-places.ts";

const HOME = { path: "/h/.longhand", source: "default", why: "" } as const;
const DEFAULT: WorkspaceChoice = {
  by: "default",
  real: "/h/.longhand/workspace",
  older: [],
  current: { state: "not-asked" },
};
const PROJECT: WorkspaceChoice = { by: "current", path: "/link/shop", real: "/projects/shop" };

function resolved(choice: WorkspaceChoice, options: PlaceOptions = {}): Places {
  return resolvePlaces(options, HOME, choice, "/here");
}

describe("sessions and memory are in the home", () => {
  test("of the default workspace, beside it", () => {
    const { workspace, sessions, memory } = resolved(DEFAULT);
    expect([workspace.path, sessions.path, memory.path]).toEqual([
      "/h/.longhand/workspace",
      "/h/.longhand/sessions",
      "/h/.longhand/memory",
    ]);
    expect([workspace.why, sessions.why]).toEqual(["the default workspace", "sessions/ in the home"]);
  });

  test("of a directory, under its name and a hash of its real path", () => {
    const { workspace, sessions, memory } = resolved(PROJECT);
    expect(workspace).toMatchObject({ path: "/link/shop", real: "/projects/shop", source: "current" });
    expect(sessions.path).toMatch(/^\/h\/\.longhand\/workspaces\/shop~[0-9a-f]{16}\/sessions$/);
    expect(memory.path).toBe(sessions.path.replace(/sessions$/, "memory"));
    const other = resolved({ ...PROJECT, real: "/elsewhere/shop" });
    expect(other.sessions.path).not.toBe(sessions.path);
    const named = resolved({ ...PROJECT, by: "option", path: "/projects/shop" });
    expect(named.sessions.path).toBe(sessions.path);
  });

  test.each([
    ["/projects/Größe & Ziel", "Gr_e_Ziel"],
    ["/projects/...", "directory"],
    ["/", "directory"],
    [`/projects/${"x".repeat(300)}`, "x".repeat(40)],
  ])("the name of %s is a safe file name", (real, name) => {
    expect(resolved({ ...PROJECT, real }).sessions.path).toMatch(`/workspaces/${name}~`);
  });

  test("except what an older version left in the default workspace, until it is moved", () => {
    const { sessions, memory } = resolved({ ...DEFAULT, older: ["sessions", "memory"] });
    expect([sessions.path, memory.path]).toEqual([
      "/h/.longhand/workspace/sessions",
      "/h/.longhand/workspace/memory",
    ]);
    expect(sessions.source).toBe("older");
  });
});

test("--sessions and --memory name the directories themselves, relative to the current one", () => {
  const { sessions, memory } = resolved(PROJECT, { sessions: "../s", memory: "m" });
  expect([sessions.path, sessions.why]).toEqual(["/s", "--sessions"]);
  expect([memory.path, memory.why]).toEqual(["/here/m", "--memory"]);
});
