import { describe, expect, test } from "vitest";
import { resolveHome, type HomeDeps } from "../../src/config/resolve-home.ts";

const deps = (environment: Record<string, string>): HomeDeps => ({
  environment,
  currentDirectory: "/here",
  temporaryDirectory: "/temporary",
  accountHome: () => "/account",
});

describe("where the home is, and why", () => {
  test("~/.longhand; LONGHAND_HOME comes before HOME, --home before both", () => {
    const environment = { HOME: "/users/ana", LONGHAND_HOME: "/elsewhere" };
    expect(resolveHome(undefined, deps({ HOME: "/users/ana" }))).toMatchObject({
      path: "/users/ana/.longhand",
      source: "default",
    });
    expect(resolveHome(undefined, deps(environment))).toEqual({
      path: "/elsewhere",
      source: "environment",
      why: "LONGHAND_HOME",
    });
    expect(resolveHome("/given", deps(environment))).toEqual({
      path: "/given",
      source: "option",
      why: "--home",
    });
  });

  test("a relative path is one of the current directory", () => {
    expect(resolveHome(undefined, deps({ LONGHAND_HOME: "mine" })).path).toBe("/here/mine");
    expect(resolveHome("../s", deps({ HOME: "/h" })).path).toBe("/s");
  });

  test("an empty variable counts as not set", () => {
    expect(resolveHome(undefined, deps({ HOME: "", LONGHAND_HOME: "" }))).toMatchObject({
      path: "/account/.longhand",
      source: "account",
    });
  });

  test("a home that is empty or relative counts as none: nothing goes into the current directory", () => {
    expect(resolveHome(undefined, deps({ HOME: "here" })).source).toBe("account");
    const none = { ...deps({ HOME: "" }), accountHome: () => "" };
    expect(resolveHome(undefined, none)).toMatchObject({ path: "/temporary/longhand", source: "temporary" });
  });

  test("without any home there is still a place, and it says why", () => {
    const home = resolveHome(undefined, {
      ...deps({}),
      accountHome: () => {
        throw new Error("no such user");
      },
    });
    expect(home).toMatchObject({ path: "/temporary/longhand", source: "temporary" });
    expect(home.why).toContain("LONGHAND_HOME");
  });
});
