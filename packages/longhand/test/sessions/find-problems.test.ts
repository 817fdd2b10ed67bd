import { describe, expect, test } from "vitest";
import type { ContentFacts, DirectoryFacts } from "../../src/sessions/examine-store.ts";
import { findProblems } from "../../src/sessions/find-problems.ts";

const directory: DirectoryFacts = {
  exists: true,
  isDirectory: true,
  mode: "0700",
  owner: 1000,
  isOwn: true,
  openFiles: [],
};
const content: ContentFacts = {
  sessions: 1,
  messages: 1,
  messagesInView: 1,
  bytes: 1,
  damage: [],
  failures: [],
};
const free = { state: "free" } as const;

describe("problems, each with a remedy", () => {
  test("none, where all is well, where nothing is there yet, or where somebody writes", () => {
    expect(findProblems("/s", directory, content, free)).toEqual([]);
    expect(
      findProblems("/s", { ...directory, exists: false, mode: "" }, content, { state: "untried" }),
    ).toEqual([]);
    expect(findProblems("/s", directory, content, { state: "held", owner: "process 7" })).toEqual([]);
  });

  test("others may look into the directory or the files", () => {
    const found = findProblems(
      "/my s",
      { ...directory, mode: "0755", openFiles: ["a.jsonl"] },
      content,
      free,
    );
    expect(found.map(({ remedy }) => remedy)).toEqual(["chmod 700 '/my s'", "chmod 600 '/my s'/*.jsonl"]);
  });

  test("it belongs to somebody else, or is no directory", () => {
    const [other] = findProblems("/s", { ...directory, isOwn: false }, content, free);
    expect(other?.problem).toContain("user 1000");
    const [file] = findProblems("/s", { ...directory, isDirectory: false }, content, free);
    expect(file?.problem).toContain("not a directory");
  });

  test("damage names file, byte and reason", () => {
    const damage = { file: "/s/a.jsonl", offset: 17, bytes: 5, kind: "corrupt", reason: "checksum" } as const;
    const [found] = findProblems("/s", directory, { ...content, damage: [damage] }, free);
    expect(found?.problem).toContain("/s/a.jsonl: corrupt at byte 17");
    expect(found?.remedy).not.toBe("");
  });

  test("what cannot be read or opened", () => {
    const failing = findProblems(
      "/s",
      directory,
      { ...content, failures: ["EIO: the device failed"] },
      {
        state: "failed",
        reason: "the disk is full",
      },
    );
    expect(failing.map(({ problem }) => problem).join("\n")).toMatch(/EIO.*\n.*the disk is full/);
  });
});
