import { describe, expect, test } from "vitest";
import { resolvePlaces, type PlaceSurroundings } from "../../src/config/resolve-places.ts";

const surroundings = (environment: Record<string, string>): PlaceSurroundings => ({
  environment,
  currentDirectory: "/here",
  temporaryDirectory: "/temporary",
  accountHome: () => "/account",
});

describe("where things are, and why", () => {
  test("by default everything is in the home of the user", () => {
    const places = resolvePlaces({}, surroundings({ HOME: "/users/ana" }));
    expect(places.home).toMatchObject({ path: "/users/ana/.longhand", source: "default" });
    expect(places.workspace).toMatchObject({ path: "/users/ana/.longhand/workspace", source: "default" });
    expect(places.sessions).toMatchObject({
      path: "/users/ana/.longhand/workspace/sessions",
      source: "default",
    });
    expect(places.sessions.why).toContain("in the workspace");
  });

  test("LONGHAND_HOME comes before HOME, --home before both", () => {
    const environment = { HOME: "/users/ana", LONGHAND_HOME: "/elsewhere" };
    expect(resolvePlaces({}, surroundings(environment)).home).toEqual({
      path: "/elsewhere",
      source: "environment",
      why: "LONGHAND_HOME",
    });
    expect(resolvePlaces({ home: "/given" }, surroundings(environment)).home).toEqual({
      path: "/given",
      source: "option",
      why: "--home",
    });
  });

  test("each option moves what lies under it and nothing else", () => {
    const given = surroundings({ HOME: "/h" });
    const moved = resolvePlaces({ workspace: "/w" }, given);
    expect([moved.home.path, moved.sessions.path]).toEqual(["/h/.longhand", "/w/sessions"]);
    const sessions = resolvePlaces({ sessions: "/s", workspace: "/w" }, given);
    expect([sessions.workspace.path, sessions.sessions.path]).toEqual(["/w", "/s"]);
    expect(sessions.sessions.why).toBe("--sessions");
    expect([moved.memory.path, moved.memory.why]).toEqual(["/w/memory", "memory/ in the workspace"]);
    const memory = resolvePlaces({ memory: "m", workspace: "/w" }, given);
    expect([memory.memory.path, memory.memory.why]).toEqual(["/here/m", "--memory"]);
    expect(memory.sessions.path).toBe("/w/sessions");
  });

  test("a relative path is one of the current directory", () => {
    expect(resolvePlaces({ sessions: "../s" }, surroundings({ HOME: "/h" })).sessions.path).toBe("/s");
    expect(resolvePlaces({}, surroundings({ LONGHAND_HOME: "mine" })).home.path).toBe("/here/mine");
  });

  test("an empty variable counts as not set", () => {
    const { home } = resolvePlaces({}, surroundings({ HOME: "", LONGHAND_HOME: "" }));
    expect(home).toMatchObject({ path: "/account/.longhand", source: "account" });
  });

  test("a home that is empty or relative counts as none: nothing goes into the current directory", () => {
    expect(resolvePlaces({}, surroundings({ HOME: "here" })).home.source).toBe("account");
    const none = { ...surroundings({ HOME: "" }), accountHome: () => "" };
    expect(resolvePlaces({}, none).home).toMatchObject({ path: "/temporary/longhand", source: "temporary" });
  });

  test("without any home there is still a place, and it says why", () => {
    const { home } = resolvePlaces(
      {},
      {
        ...surroundings({}),
        accountHome: () => {
          throw new Error("no such user");
        },
      },
    );
    expect(home).toMatchObject({ path: "/temporary/longhand", source: "temporary" });
    expect(home.why).toContain("LONGHAND_HOME");
  });
});
