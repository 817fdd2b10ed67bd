import { describe, expect, test } from "vitest";
import type { SessionInfo } from "@longhand/store";
import { matchKey } from "../../src/sessions/match-key.ts";

/** The first is the newest. */
function sessions(...keys: readonly string[]): SessionInfo[] {
  return keys.map((key) => ({
    key,
    id: key,
    status: "active",
    seq: 1,
    count: 1,
    summary: "",
    tags: [],
    created: "",
    updated: "",
    bytes: 0,
    damaged: 0,
  }));
}

function found(wanted: string, ...keys: readonly string[]): string {
  const match = matchKey(wanted, sessions(...keys));
  switch (match.kind) {
    case "found":
      return match.session.key;
    case "ambiguous":
      return `one of ${match.candidates.map(({ key }) => key).join(" ")}`;
    case "unknown":
      return `unknown, near ${match.nearest?.key ?? "nothing"}`;
  }
}

describe("which session is meant", () => {
  test("the one with a part that no other key has", () => {
    expect(found("23", "telegram:123", "discord:9")).toBe("telegram:123");
  });

  test("the exact key wins over keys that contain it", () => {
    expect(found("a", "ab", "a", "ba")).toBe("a");
  });

  test("“last” is the newest", () => {
    expect(found("last", "newest", "older")).toBe("newest");
  });

  test("unless a session is called so; one that only contains it is not meant", () => {
    expect(found("last", "newest", "last")).toBe("last");
    expect(found("last", "newest", "last-week")).toBe("newest");
    expect(found("last")).toBe("unknown, near nothing");
  });

  test("more than one is ambiguous, in the order given", () => {
    expect(found("tele", "telegram:2", "x", "telegram:1")).toBe("one of telegram:2 telegram:1");
  });

  test("upper and lower case matter only to choose between keys", () => {
    expect(found("notes", "Notes")).toBe("Notes");
    expect(found("notes", "my-Notes", "my-notes")).toBe("my-notes");
  });

  test("an unknown key is told its nearest, if one is near", () => {
    expect(found("cli:defualt", "telegram:1", "cli:default")).toBe("unknown, near cli:default");
    expect(found("zzz", "telegram:1", "cli:default")).toBe("unknown, near nothing");
  });

  test("a key is text, not a pattern", () => {
    expect(found(".*", "abc")).toBe("unknown, near nothing");
    expect(found(".*", "a.*c", "abc")).toBe("a.*c");
  });
});
