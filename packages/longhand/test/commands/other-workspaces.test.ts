/** A session that is looked for in the wrong workspace: what is said, and whether the commands that are printed lead to it. */

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { chatToPaste } from "../../src/commands/chat-to-paste.ts";
import { findPlaces } from "../../src/config/find-places.ts";
import { commandToPaste } from "../../src/terminal/command-to-paste.ts";
import { type Answer, runIn, type RunOptions, withTemporaryDirectory } from "../support/fake-world.ts";
import { jsonLines } from "../support/with-home.ts";

interface Project {
  readonly home: string;
  readonly root: string;
  readonly project: string;
  readonly longhand: (commandLine: string, options?: RunOptions) => Promise<Answer>;
}

async function withProject(use: (given: Project) => Promise<void>): Promise<void> {
  await withTemporaryDirectory(async (root) => {
    const [home, project] = [join(root, ".longhand"), join(root, "shop")];
    await mkdir(project);
    const longhand: Project["longhand"] = async (commandLine, options = {}) =>
      await runIn(home, commandLine.split(" "), {
        currentDirectory: project,
        ...options,
        environment: { LONGHAND_MODEL: "offline", HOME: root },
      });
    await use({ home, root, project, longhand });
  });
}

describe("the command that continues a conversation", () => {
  const pasteIn = (given: Project, answeredYes: boolean): string => {
    const deps = {
      environment: { HOME: given.root },
      currentDirectory: given.project,
      temporaryDirectory: "/tmp",
      accountHome: () => given.root,
    };
    const { choice, defaultChoice, places, placesWith } = findPlaces({}, deps);
    const settled = answeredYes
      ? placesWith({ by: "current", path: given.project, real: given.project })
      : places;
    const workspace = { choice, defaultChoice, use: placesWith };
    return chatToPaste({ workspace, toPaste: commandToPaste({}) }, settled)("chat", "talk");
  };

  test("names the default workspace after a no, since the directory is asked about again", async () => {
    await withProject((given) => {
      expect(pasteIn(given, false)).toBe(`longhand chat --workspace ${given.home}/workspace talk`);
      return Promise.resolve();
    });
  });

  test("names no workspace after a yes", async () => {
    await withProject((given) => {
      expect(pasteIn(given, true)).toBe("longhand chat talk");
      return Promise.resolve();
    });
  });

  test("leads to the conversation without a question", async () => {
    await withProject(async ({ home, longhand }) => {
      await longhand("chat talk -m hello", { answers: ["n"] });
      const { stderr } = await longhand(`chat --workspace ${home}/workspace talk -m again`, { answers: [] });
      expect(stderr).not.toContain("Work in");
      expect(stderr).not.toContain("New conversation");
      const shown = await longhand(`show talk --workspace ${home}/workspace`);
      expect(shown.stdout).toContain("hello");
      expect(shown.stdout).toContain("again");
    });
  });
});

describe("a conversation that is in another workspace", () => {
  test("chat KEY says that it begins a new one, and where the other is", async () => {
    await withProject(async ({ home, longhand }) => {
      const first = await longhand("chat talk -m hello", { answers: ["n"] });
      expect(first.stderr).toContain("New conversation: talk\n");
      expect(first.stderr).not.toContain("another workspace");
      const second = await longhand("chat talk -m hello", { answers: ["y"] });
      expect(second.stderr).toContain(
        `New conversation: talk\ntalk exists in another workspace. To open that one:\n  longhand chat --workspace ${home}/workspace talk\n`,
      );
      const third = await longhand("chat talk -m hello", { answers: [] });
      expect(third.stderr).not.toContain("New conversation");
    });
  });

  test("--continue says the same", async () => {
    await withProject(async ({ home, longhand }) => {
      await longhand("chat talk -m hello", { answers: ["n"] });
      const { stderr } = await longhand("--continue -m hello", { answers: ["y"] });
      expect(stderr).toContain("There is no conversation to continue here: this is a new conversation.\n");
      expect(stderr).toContain(
        `Other workspaces have conversations:\n  longhand chat --continue --workspace ${home}/workspace\n`,
      );
      expect((await longhand("--continue -m hello", { answers: [] })).stderr).not.toContain(
        "new conversation",
      );
    });
  });

  test("with --json it is a warning", async () => {
    await withProject(async ({ project, longhand }) => {
      await longhand("chat talk -m hello", { answers: ["n"] });
      const { stderr } = await longhand(`chat talk -m hello --json --workspace ${project}`);
      expect(jsonLines(stderr)).toContainEqual({
        warning: {
          code: "SESSION_ELSEWHERE",
          message: expect.stringContaining("another workspace") as string,
        },
      });
    });
  });
});

test("commands that find nothing point to workspaces that have sessions", async () => {
  await withProject(async ({ home, project, longhand }) => {
    await longhand("chat talk -m hello", { answers: ["n"] });
    await longhand("workspace approve .");
    const command = `list --workspace ${home}/workspace\n`;
    expect((await longhand("list")).stdout).toContain(
      `Other workspaces have sessions:\n  longhand ${command}`,
    );
    for (const words of ["show talk", "tail talk", "export talk", "undo talk", "show last"]) {
      const { exitCode, stderr } = await longhand(words);
      expect([words, exitCode]).toEqual([words, 3]);
      expect(stderr).toContain(`other workspaces have sessions:\n    longhand ${command}`);
    }
    expect((await longhand("search hello")).stdout).toContain(
      `To search other workspaces:\n  longhand search hello --workspace ${home}/workspace\n`,
    );
    // From the other side too; a workspace without sessions is not named.
    expect((await longhand("show nope", { currentDirectory: home })).stderr).not.toContain(
      "other workspaces",
    );
    await longhand("append talk hello");
    expect((await longhand("show nope", { currentDirectory: home })).stderr).toContain(
      `longhand list --workspace ${project}\n`,
    );
  });
});
