import { describe, expect, test } from "vitest";
import type { DirectoryFacts } from "../../src/sessions/examine-directory.ts";
import type { ContentFacts } from "../../src/sessions/examine-store.ts";
import { type Examined, findProblems, type Problem } from "../../src/sessions/find-problems.ts";
import { commandToPaste } from "../../src/terminal/command-to-paste.ts";

const directory: DirectoryFacts = {
  exists: true,
  isDirectory: true,
  mode: "0700",
  owner: 1000,
  isOwn: true,
  openFiles: [],
  notWritable: [],
};
const content: ContentFacts = {
  sessions: 1,
  archived: 0,
  trashed: 0,
  records: 1,
  messagesInView: 1,
  damage: [],
  unreadable: [],
  failures: [],
};

/** Everything is well but for what is given. */
function problems(given: {
  path?: string;
  directory?: Partial<DirectoryFacts>;
  content?: Partial<ContentFacts>;
  option?: Examined["option"];
}): Problem[] {
  const examined: Examined = {
    path: given.path ?? "/s",
    directory: { ...directory, ...given.directory },
    content: { ...content, ...given.content },
    option: given.option ?? "--sessions",
  };
  return findProblems(examined, commandToPaste({ sessions: "/s" }));
}

describe("problems, each with a remedy", () => {
  test("none, where all is well or nothing is there yet", () => {
    expect(problems({})).toEqual([]);
    const absent = { exists: false, isDirectory: false, mode: "" };
    expect(problems({ directory: absent })).toEqual([]);
  });

  test("others may look into the directory or the files", () => {
    const found = problems({ path: "/my s", directory: { mode: "0755", openFiles: ["a.jsonl"] } });
    expect(found.map(({ remedy }) => remedy)).toEqual(["chmod 700 '/my s'", "chmod 600 '/my s'/*.jsonl"]);
  });

  test("anyone may write; not where the sticky bit keeps what is others'", () => {
    const [open, ...more] = problems({ directory: { mode: "0777" } });
    expect(open?.problem).toContain("anyone may WRITE to it, so the store refuses");
    expect(open?.remedy).toContain("chmod o-w /s");
    expect(more).toEqual([]);
    expect(problems({ directory: { mode: "1777" } })[0]?.problem).toContain("others may look into it");
  });

  test("it belongs to somebody else, or is no directory", () => {
    expect(problems({ directory: { isOwn: false } })[0]?.problem).toContain("user 1000");
    const [file] = problems({ directory: { isDirectory: false } });
    expect(file?.problem).toContain("not a directory");
  });

  test("the directory cannot be read", () => {
    const failure = { reason: "EACCES: permission denied", errno: "EACCES" };
    const [own] = problems({ directory: { failure } });
    expect(own).toEqual({
      problem: "/s cannot be read: EACCES: permission denied",
      remedy: expect.stringContaining("ls -ld /") as string,
    });
    const [above] = problems({ directory: { failure, isDirectory: false } });
    expect(above?.remedy).toContain("a directory above it");
  });

  test("this user may not write to the files, or make the directory", () => {
    const [file] = problems({ directory: { notWritable: ["/s/a.jsonl", "/s/b.jsonl"] } });
    expect(file?.problem).toBe("you may not write to /s/a.jsonl and 1 more");
    const absent = { exists: false, isDirectory: false, isOwn: false, notWritable: ["/"] };
    const [parent] = problems({ directory: absent });
    expect(parent?.problem).toBe("/s cannot be made: you may not write to /");
    expect(parent?.remedy).not.toContain("chown");
  });

  test("damage names file, byte and reason", () => {
    const damage = { file: "/s/a.jsonl", offset: 17, bytes: 5, kind: "corrupt", reason: "checksum" } as const;
    const [found] = problems({ content: { damage: [damage] } });
    expect(found?.problem).toContain("/s/a.jsonl: corrupt at byte 17");
    expect(found?.remedy).toContain("appends go on");
    expect(found?.remedy).toMatch(/longhand repair --sessions \/s$/);
    const [named] = problems({ content: { damage: [{ ...damage, key: "k" }] } });
    expect(named?.remedy).toMatch(/longhand repair --sessions \/s k$/);
  });

  test("a session that cannot be read is told once, with its own remedy", () => {
    const session = { file: "/s/a.jsonl", reason: "has format 9", remedy: "update Longhand" };
    const found = problems({
      directory: { notWritable: [session.file] },
      content: { unreadable: [session] },
    });
    expect(found).toEqual([
      { problem: "a session cannot be read: /s/a.jsonl: has format 9", remedy: "update Longhand" },
    ]);
  });

  test("what cannot be read", () => {
    const [failure] = problems({ content: { failures: ["EIO: the device failed"] } });
    expect(failure?.problem).toContain("EIO");
    expect(failure?.remedy).toContain("longhand doctor --sessions /s");
  });
});
