/** What the tools of an agent may not touch where its workspace is around Longhand's own directory. */

import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findSandbox } from "@longhand/agent";
import { describe, expect, test } from "vitest";
import { withAgents } from "../../src/assembly/with-agents.ts";
import { findPlaces } from "../../src/config/find-places.ts";
import { readConfig } from "../../src/config/read-config.ts";
import type { HomeDeps } from "../../src/config/resolve-home.ts";
import { commandToPaste } from "../../src/terminal/command-to-paste.ts";
import { withTemporaryDirectory } from "../support/fake-world.ts";

const sandbox = await findSandbox();

interface Around {
  readonly home: string;
  readonly workspace: string;
  readonly environment?: Readonly<Record<string, string>>;
}

const deps = (currentDirectory: string): HomeDeps => ({
  environment: {},
  currentDirectory,
  temporaryDirectory: "/tmp",
  accountHome: () => "/nowhere",
});

/** What the tools answered to each of these, asked of the offline assistant. Nobody is there to say yes. */
async function ask({ home, workspace, environment = {} }: Around, ...texts: string[]): Promise<string[]> {
  const { places } = findPlaces({ home, workspace }, deps(workspace));
  const results: string[] = [];
  const wanted = {
    places,
    environment: { LONGHAND_MODEL: "offline", ...environment },
    toPaste: commandToPaste({ home, workspace }),
    events: (event: { type: string }) => {
      if ("content" in event && typeof event.content === "string") results.push(event.content);
    },
    onProblem: ({ message }: { message: string }) => expect.unreachable(message),
  };
  await withAgents(wanted, async ({ agent }) => {
    for (const text of texts) await agent.conversation("test").say({ text });
  });
  expect(results).toHaveLength(texts.length);
  return results;
}

describe("a home in the workspace", () => {
  test.each(["cfg", "deep/down/cfg"])("%s is neither written nor read by the file tools", async (name) => {
    await withTemporaryDirectory(async (workspace) => {
      const home = join(workspace, name);
      await mkdir(home, { recursive: true });
      await writeFile(join(home, "longhand.json"), "{}");
      const results = await ask(
        { home, workspace },
        `write {"x":1} to ${name}/longhand.json`,
        `write evil to ${name}/skills/evil/SKILL.md`,
        `read ${name}/longhand.json`,
        "write fine to other/longhand.json",
      );
      for (const result of results.slice(0, 3)) expect(result).toMatch(/refused: .* neither read nor write/);
      expect(await readFile(join(home, "longhand.json"), "utf8")).toBe("{}");
      expect(await readdir(home)).toEqual(["longhand.json", "workspaces"]);
      // Control: the words do what they say wherever it is allowed.
      expect(results[3]).toMatch(/^wrote other/);
    });
  });

  test("is not reached by commands, and stays where it is", async ({ skip }) => {
    if ("unavailable" in sandbox) return skip(sandbox.unavailable);
    await withTemporaryDirectory(async (workspace) => {
      const home = join(workspace, "deep/cfg");
      await mkdir(home, { recursive: true });
      await writeFile(join(home, "longhand.json"), "{}");
      await ask(
        { home, workspace },
        "run `echo evil >deep/cfg/longhand.json`",
        "run `mkdir -p deep/cfg/skills/evil`",
        "run `mv deep away`",
        "run `mv deep/cfg away`",
        "run `echo fine >deep/file`",
      );
      expect(await readFile(join(home, "longhand.json"), "utf8")).toBe("{}");
      expect(await readdir(home)).toEqual(["longhand.json", "workspaces"]);
      expect(await readFile(join(workspace, "deep/file"), "utf8")).toBe("fine\n");
    });
  });

  test("that does not exist yet is made, so that no tool can make it", async () => {
    await withTemporaryDirectory(async (workspace) => {
      const home = join(workspace, "cfg");
      const [refused] = await ask({ home, workspace }, "write evil to cfg/longhand.json");
      expect(refused).toContain("refused");
      expect((await stat(home)).mode & 0o777).toBe(0o700);
      expect(await readdir(home)).toEqual(["workspaces"]);
    });
  });

  test("is found through links, too", async () => {
    await withTemporaryDirectory(async (directory) => {
      const workspace = join(directory, "workspace");
      await mkdir(join(workspace, "cfg"), { recursive: true });
      await symlink(workspace, join(directory, "link"));
      for (const around of [
        { home: join(directory, "link/cfg"), workspace },
        { home: join(workspace, "cfg"), workspace: join(directory, "link") },
      ]) {
        const [refused] = await ask(around, "write evil to cfg/longhand.json");
        expect(refused).toContain("refused");
      }
      // The link itself must not be replaced either.
      await mkdir(join(directory, "home"));
      await rm(join(workspace, "cfg"), { recursive: true });
      await symlink(join(directory, "home"), join(workspace, "cfg"));
      const [replaced] = await ask({ home: join(workspace, "cfg"), workspace }, "write evil to ./cfg");
      expect(replaced).toContain("refused");
    });
  });
});

test("nothing is left in the workspace, and what commands create there is not trusted", async ({ skip }) => {
  if ("unavailable" in sandbox) return skip(sandbox.unavailable);
  await withTemporaryDirectory(async (root) => {
    const [home, workspace] = [join(root, "home"), join(root, "project")];
    await mkdir(workspace);
    await ask({ home, workspace }, "run ls");
    expect(await readdir(workspace)).toEqual([]);
    await ask(
      { home, workspace },
      "run `mkdir -p .git/hooks`",
      'run `echo {"agent":{"name":"evil"}} >longhand.json`',
    );
    expect(await readdir(workspace)).toEqual(["longhand.json"]);
    const { places } = findPlaces({ home, workspace }, deps(workspace));
    const config = await readConfig(places, {});
    expect(config.agents[0].name).toBe("longhand");
    expect(config.files[0]).toMatchObject({ from: "workspace", isUnapproved: true });
  });
});

test("a home around the workspace hides nothing of it", async () => {
  await withTemporaryDirectory(async (home) => {
    await mkdir(join(home, "workspace"));
    await symlink(home, join(home, "link"));
    for (const workspace of [join(home, "workspace"), join(home, "link/workspace")]) {
      const results = await ask({ home, workspace }, "write hello to a/b.txt", "write evil to longhand.json");
      expect(results[0]).toMatch(/^wrote a\/b.txt/);
      expect(results[1]).toContain("refused");
    }
  });
});

test("keys are hidden before the output of a command or a line of a file is cut", async ({ skip }) => {
  if ("unavailable" in sandbox) return skip(sandbox.unavailable);
  await withTemporaryDirectory(async (workspace) => {
    const key = "sk-0123456789abcdefghijklmnopqrstuvwxyz";
    const showsKey = (text: string): boolean => text.includes("0123456");
    const line = (place: number): string => `${"X".repeat(place - 20)}${key}${"Y".repeat(100_000)}`;
    await writeFile(join(workspace, "read.txt"), line(48_000 - 8192));
    await writeFile(join(workspace, "run.txt"), line(20_000));
    await withTemporaryDirectory(async (home) => {
      const environment = { OPENAI_API_KEY: key };
      const results = await ask({ home, workspace, environment }, "read read.txt", "run `cat run.txt`");
      expect(results.map(showsKey)).toEqual([false, false]);
      const unhidden = await ask({ home, workspace }, "read read.txt", "run `cat run.txt`");
      // Control: without the key in the environment nobody knows that it is one.
      expect(unhidden.map(showsKey)).toEqual([true, true]);
    });
  });
});
