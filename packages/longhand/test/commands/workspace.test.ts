/** In which directory a chat works, what is asked and remembered, and what is left in the directory: nothing. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openStore } from "@longhand/store";
import { describe, expect, test } from "vitest";
import { readRecord } from "../../src/config/workspace-record.ts";
import { workspaceState } from "../../src/config/workspace-state.ts";
import { type Answer, runIn, type RunOptions, withTemporaryDirectory } from "../support/fake-world.ts";
import { PROGRAM } from "../support/serving.ts";
import { jsonLines } from "../support/with-home.ts";

interface Project {
  readonly home: string;
  readonly project: string;
  readonly state: string;
  readonly longhand: (commandLine: readonly string[], options?: RunOptions) => Promise<Answer>;
}

async function withProject(use: (given: Project) => Promise<void>): Promise<void> {
  await withTemporaryDirectory(async (root) => {
    const [home, project] = [join(root, ".longhand"), join(root, "shop")];
    await mkdir(project);
    const longhand: Project["longhand"] = async (commandLine, options = {}) =>
      await runIn(home, commandLine, {
        currentDirectory: project,
        ...options,
        environment: { LONGHAND_MODEL: "offline", HOME: root, ...options.environment },
      });
    await use({ home, project, state: workspaceState(home, project), longhand });
  });
}

const SAY = ["-m", "hello"] as const;

describe("a directory that is not approved", () => {
  test("is asked about once, and the yes is remembered", async () => {
    await withProject(async ({ home, project, state, longhand }) => {
      const first = await longhand(SAY, { answers: ["y"] });
      expect(first.exitCode).toBe(0);
      expect(first.stderr).toContain(`Work in ${project}?\nTools may read and write files in it. [Y/n] `);
      expect(await readdir(state)).toEqual(["memory", "sessions", "workspace.json"]);
      expect(readRecord(state)).toMatchObject({ path: project, uses: [], left: [] });
      const second = await longhand([...SAY, "-c"], { answers: [] });
      expect([second.exitCode, second.stderr]).toEqual([0, expect.not.stringContaining("Work in")]);
      expect(jsonLines((await longhand(["list", "--json"])).stdout)).toHaveLength(1);
      expect(await readdir(project)).toEqual([]);
      expect(await readdir(home)).toEqual(["workspaces"]);
    });
  });

  test.each([
    ["no", ["n"]],
    ["no, after something else", ["maybe", "no"]],
  ])("is not used after %s, and asked about again", async (_answer, answers) => {
    await withProject(async ({ home, project, longhand }) => {
      for (const time of ["first", "second"]) {
        const { exitCode, stderr } = await longhand(SAY, { answers });
        expect([time, exitCode]).toEqual([time, 0]);
        expect(stderr).toContain("Work in");
      }
      expect(await readdir(home)).toEqual(["memory", "sessions", "workspace", "workspace.json"]);
      expect(await readdir(project)).toEqual([]);
    });
  });

  test("ends the chat if the question is not answered (Ctrl-D), and is asked about again", async () => {
    await withProject(async ({ home, project, longhand }) => {
      for (const time of ["first", "second"]) {
        const { exitCode, stdout, stderr } = await longhand(SAY, { answers: [] });
        expect([time, exitCode, stdout]).toEqual([time, 1, ""]);
        expect(stderr).toMatch(/^Work in [^]* \[Y\/n\] \nlonghand: no answer; nothing was changed\n$/);
      }
      expect(await readdir(home).catch(() => [])).toEqual([]);
      expect(await readdir(project)).toEqual([]);
    });
  });

  test("without a terminal is not used: the default workspace is, which is said in one line", async () => {
    await withProject(async ({ home, project, longhand }) => {
      const { exitCode, stderr } = await longhand(SAY);
      expect(exitCode).toBe(0);
      expect(stderr.split("\n")[0]).toBe(
        `longhand: ${project} is not approved as a workspace (to work there: longhand chat --workspace .); using the default workspace, ${home}/workspace`,
      );
      const json = await longhand([...SAY, "--json"]);
      expect(jsonLines(json.stderr)).toMatchObject([{ warning: { code: "WORKSPACE_DEFAULT" } }]);
      expect(await readdir(project)).toEqual([]);
    });
  });

  test("does not configure anything", async () => {
    await withProject(async ({ project, longhand }) => {
      await writeFile(join(project, "longhand.json"), '{"agent":{"max_steps":3}}');
      const valueOf = async (): Promise<string> =>
        (await longhand(["config", "show"])).stdout.split("\n").find((line) => line.includes("max_steps")) ??
        "";
      expect(await valueOf()).toContain("25");
      const { stderr } = await longhand(SAY, { answers: ["y"] });
      expect(stderr).toContain("Its longhand.json will be used.");
      expect(await valueOf()).toContain("3");
    });
  });
});

describe("--workspace", () => {
  test("names the directory and is a yes to it", async () => {
    await withProject(async ({ project, state, longhand }) => {
      const { exitCode, stderr } = await longhand([...SAY, "--workspace", "."]);
      expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining("workspace")]);
      expect(readRecord(state)).toMatchObject({ approved: expect.stringMatching(/Z$/) as string });
      expect(jsonLines((await longhand(["list", "--json"])).stdout)).toHaveLength(1);
      expect(await readdir(project)).toEqual([]);
    });
  });

  test.each(["/", "/etc", "/usr", ".."])("A7: %s is refused", async (directory) => {
    await withProject(async ({ longhand }) => {
      const { exitCode, stderr } = await longhand([...SAY, "--workspace", directory]);
      expect(exitCode).toBe(2);
      expect(stderr).toContain("cannot be a workspace");
    });
  });
});

test("serve uses the default workspace, also in a directory that is approved; --workspace names another", async () => {
  await withProject(async ({ home, project, state, longhand }) => {
    await longhand(["workspace", "approve"]);
    const serve = async (words: readonly string[]): Promise<void> => {
      const environment = { PATH: process.env["PATH"], LONGHAND_HOME: home, LONGHAND_MODEL: "offline" };
      const options = { cwd: project, env: environment };
      const child = spawn(process.execPath, [PROGRAM, "serve", "--stdio", ...words], options);
      child.stdout.resume();
      child.stderr.resume();
      child.stdin.end(`${JSON.stringify({ channel: "test", chat: "1", sender: "ada", text: "hello" })}\n`);
      expect(await once(child, "close")).toEqual([0, null]);
    };
    const sessionsIn = async (directory: string): Promise<number> =>
      (await readdir(join(directory, "sessions")).catch(() => [])).filter((name) => name.endsWith(".jsonl"))
        .length;
    await serve([]);
    expect([await sessionsIn(home), await sessionsIn(state)]).toEqual([1, 0]);
    await serve(["--workspace", "."]);
    expect([await sessionsIn(home), await sessionsIn(state)]).toEqual([1, 1]);
  });
});

test("in the home directory the default workspace is used, which is said", async () => {
  await withProject(async ({ home, project, longhand }) => {
    const { exitCode, stderr } = await longhand(SAY, { currentDirectory: join(project, "..") });
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^longhand: .* is your home directory, .*; using the default workspace, .*\n/);
    expect(await readdir(home)).toEqual(["memory", "sessions", "workspace", "workspace.json"]);
  });
});

test("what appears in a workspace later is not used before a yes", async () => {
  await withProject(async ({ project, longhand }) => {
    await longhand(SAY, { answers: ["y"] });
    await writeFile(join(project, "longhand.json"), '{"agent":{"name":"evil"}}');
    await mkdir(join(project, "skills", "evil"), { recursive: true });
    await writeFile(
      join(project, "skills", "evil", "SKILL.md"),
      "---\nname: evil\ndescription: Does evil.\n---\nDo evil.",
    );
    const { stderr } = await longhand(SAY);
    expect(stderr).toContain("longhand.json is not used");
    expect(stderr).toContain("skills is not used");
    const before = await longhand(["doctor", "--json"]);
    expect(before.stdout).not.toContain('"evil"');
    const { exitCode, stdout } = await longhand(["workspace", "approve"]);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("In use there: longhand.json, skills")]);
    expect(JSON.parse((await longhand(["doctor", "--json"])).stdout)).toMatchObject({
      agents: [{ name: "evil", skills: expect.arrayContaining(["evil"]) as string[] }],
    });
  });
});

test.each([
  ["empty", ""],
  ["newer", '{"longhand":2}'],
])("a record that is %s approves nothing, and the remedy is said", async (_kind, text) => {
  await withProject(async ({ project, state, longhand }) => {
    await longhand(SAY, { answers: ["y"] });
    await writeFile(join(project, "longhand.json"), '{"agent":{"name":"evil"}}');
    await writeFile(join(state, "workspace.json"), text);
    for (const command of [["list"], ["doctor", "--json"], [...SAY, "--workspace", "."]]) {
      const { stdout, stderr } = await longhand(command);
      expect(stderr).toContain(`${state}/workspace.json cannot be read`);
      expect(stderr).toContain(`longhand workspace approve ${project}`);
      expect(stdout).not.toContain('"evil"');
    }
    expect(await readFile(join(state, "workspace.json"), "utf8")).toBe(text);
    const { exitCode, stdout: report } = await longhand(["doctor"]);
    expect([exitCode, report]).toEqual([
      1,
      expect.stringContaining(`• ${state}/workspace.json cannot be read`),
    ]);
    await longhand(["workspace", "approve"]);
    const { stdout, stderr } = await longhand(["doctor", "--json"]);
    expect([stdout, stderr]).toEqual([expect.stringContaining('"evil"'), ""]);
  });
});

describe("longhand workspace", () => {
  test("lists the workspaces, and forgets one without removing its sessions", async () => {
    await withProject(async ({ project, state, longhand }) => {
      expect((await longhand(["workspace", "list"])).stdout).toContain("No directory is a workspace yet");
      await longhand(SAY, { answers: [""] });
      expect(jsonLines((await longhand(["workspace", "list", "--json"])).stdout)).toMatchObject([
        { path: project, state, exists: true },
      ]);
      expect((await longhand(["workspace", "list"])).stdout).toContain(project);
      expect((await longhand(["workspace", "forget", "."])).stdout).toContain(state);
      expect((await longhand(["workspace", "forget", "."])).exitCode).toBe(3);
      expect((await longhand(["list", "--json"])).stdout).toBe("");
      await longhand(SAY, { answers: ["y"] });
      expect(jsonLines((await longhand(["list", "--json"])).stdout)).toHaveLength(2);
    });
  });
});

test("what a tool created is not used after the workspace was forgotten and named again", async () => {
  await withProject(async ({ project, state, longhand }) => {
    await longhand([...SAY, "--workspace", "."]);
    await mkdir(join(project, "skills"));
    await longhand(["workspace", "forget", "."]);
    await longhand([...SAY, "--workspace", "."]);
    expect(readRecord(state)).toMatchObject({ approved: expect.any(String) as string, uses: [] });
    await longhand(["workspace", "approve"]);
    expect(readRecord(state)).toMatchObject({ uses: ["skills"] });
  });
});

/** As the version before kept it. */
async function putOlder(workspace: string, key: string): Promise<void> {
  await mkdir(join(workspace, "sessions"), { recursive: true, mode: 0o700 });
  const store = await openStore(join(workspace, "sessions"));
  await store.session(key).append({ role: "user", content: "from before" });
  await store.close();
  for (const name of [".git", "skills"]) await mkdir(join(workspace, name), { mode: 0o700 });
  await writeFile(join(workspace, "longhand.json"), "{}\n", { mode: 0o600 });
}

describe("what an older version left in a directory", () => {
  test("is offered for moving, and moved after a yes; nothing else is touched", async () => {
    await withProject(async ({ project, state, longhand }) => {
      await putOlder(project, "old");
      await writeFile(join(project, "mine.txt"), "mine");
      await mkdir(join(project, "memory"), { mode: 0o700 });
      const { stderr } = await longhand(SAY, { answers: ["y", "y"] });
      expect(stderr).toContain(
        `The workspace has sessions of its own, where an older version kept them: ${project}/sessions.`,
      );
      expect(stderr).toContain("a program of yours that opens them would no longer find them");
      expect(stderr).toContain(`Move them to ${state}? [y/N]`);
      expect(stderr).toContain(`  mv '${state}/sessions' ${project}/sessions\n`);
      expect(await readdir(project)).toEqual([".git", "longhand.json", "memory", "mine.txt", "skills"]);
      expect((await longhand(["show", "old"])).stdout).toContain("from before");
    });
  });

  test.each(["n", ""])(
    "is not asked about again after the answer %j, and can be read where it is",
    async (no) => {
      await withProject(async ({ project, longhand }) => {
        await putOlder(project, "old");
        const first = await longhand(SAY, { answers: ["y", no] });
        expect(first.stderr).toContain(`longhand list --sessions ${project}/sessions`);
        const again = await longhand(SAY, { answers: ["y"] });
        expect(again.stderr).not.toContain("Move them to");
        expect(again.stderr).not.toContain("longhand workspace move");
        expect((await longhand(["doctor"])).stdout).toContain("longhand workspace move");
        expect(await readdir(project)).toContain("sessions");
        const older = ["list", "--sessions", join(project, "sessions")];
        expect((await longhand(older)).stdout).toContain("old");
      });
    },
  );

  test("in the default workspace is moved by a command after a no", async () => {
    await withProject(async ({ home, longhand }) => {
      await putOlder(join(home, "workspace"), "old");
      await longhand([...SAY, "-c"], { currentDirectory: home, answers: ["n"] });
      const again = await longhand([...SAY, "-c"], { currentDirectory: home, answers: ["y"] });
      expect(again.stderr).not.toContain("Move them to");
      const move = ["workspace", "move", "--yes"];
      expect((await longhand(move, { currentDirectory: home })).stdout).toContain("Moved.");
      expect((await longhand(["show", "old"])).stdout).toContain("from before");
    });
  });

  test("is asked about again if the question was not answered", async () => {
    await withProject(async ({ project, longhand }) => {
      await putOlder(project, "old");
      await longhand(SAY, { answers: ["y"] });
      const again = await longhand(SAY, { answers: ["n"] });
      expect(again.stderr).toContain("Move them to");
    });
  });

  test("is not adopted by Enter where a clone under umask 077 shipped it", async () => {
    await withProject(async ({ project, longhand }) => {
      await putOlder(project, "shipped");
      await longhand(SAY, { answers: ["", ""] });
      expect((await longhand(["list"])).stdout).not.toContain("shipped");
      expect(await readdir(project)).toContain("sessions");
    });
  });

  test("stays while nothing was answered, and every command says where it is", async () => {
    await withProject(async ({ project, longhand }) => {
      await putOlder(project, "old");
      const before = await readdir(project, { recursive: true });
      expect((await longhand(SAY, { answers: ["y"] })).exitCode).toBe(1);
      expect(await readdir(project, { recursive: true })).toEqual(before);
      for (const command of [["list"], ["show", "old"], SAY]) {
        const { stderr } = await longhand(command);
        expect(stderr, command[0]).toContain(
          `${project}/sessions; to move them to the home: longhand workspace move`,
        );
      }
    });
  });

  test("is moved by a command, which has a dry run and needs a yes", async () => {
    await withProject(async ({ project, state, longhand }) => {
      await putOlder(project, "old");
      const move = ["workspace", "move", "--workspace", "."];
      const dry = await longhand([...move, "--dry-run"]);
      expect(dry.stdout).toContain(`${project}/sessions -> ${state}/sessions\n`);
      expect((await longhand(move)).exitCode).not.toBe(0);
      expect(await readdir(project)).toContain("sessions");
      expect((await longhand([...move, "--yes"])).stdout).toContain("Moved.");
      expect(await readdir(project)).toEqual([".git", "longhand.json", "skills"]);
      expect((await longhand(["show", "old", "--workspace", "."])).stdout).toContain("from before");
      expect((await longhand(move)).stdout).toContain("nothing of an older version");
    });
  });

  test("is not moved while a process has it open, nor onto another store", async () => {
    await withProject(async ({ project, state, longhand }) => {
      await putOlder(project, "old");
      const move = ["workspace", "move", "--workspace", ".", "--yes"];
      const store = await openStore(join(project, "sessions"));
      await store.session("old").append({ role: "user", content: "more" });
      const open = await longhand(move);
      expect([open.exitCode, open.stderr]).toEqual([
        1,
        expect.stringContaining("is open in another process"),
      ]);
      await store.close();
      const other = await openStore(join(state, "sessions"));
      await other.session("new").append({ role: "user", content: "new" });
      await other.close();
      const twice = await longhand(move);
      expect([twice.exitCode, twice.stderr]).toEqual([
        1,
        expect.stringContaining("two stores are not merged"),
      ]);
      expect((await longhand(["list", "--sessions", join(project, "sessions")])).stdout).toContain("old");
    });
  });

  test("is not taken for ours where others may read it: a clone can hold such files", async () => {
    await withProject(async ({ project, longhand }) => {
      await putOlder(project, "old");
      await chmod(join(project, "sessions"), 0o755);
      const { stderr } = await longhand(SAY, { answers: ["y"] });
      expect(stderr).not.toContain("older version");
    });
  });

  test("is not what an agent created there later", async () => {
    await withProject(async ({ project, longhand }) => {
      await longhand(SAY, { answers: ["y"] });
      await putOlder(project, "forged");
      const { stderr } = await longhand(["list"]);
      expect(stderr).not.toContain("older version");
      expect((await longhand(["workspace", "move", "--yes"])).stdout).toContain(
        "nothing of an older version",
      );
    });
  });
});

test("the default workspace of an older version is used where it is until it is moved", async () => {
  await withProject(async ({ home, longhand }) => {
    const workspace = join(home, "workspace");
    await putOlder(workspace, "old");
    expect((await longhand(["show", "old"])).stdout).toContain("from before");
    await longhand([...SAY, "-c"], { currentDirectory: home });
    expect(await readdir(home)).toEqual(["memory", "workspace", "workspace.json"]);
    const { stdout } = await longhand(["doctor"], { currentDirectory: home });
    expect(stdout).toContain(`${workspace}/sessions  (left here by an older version`);
    await longhand([...SAY, "-c"], { currentDirectory: home, answers: ["y"] });
    expect(await readdir(workspace)).toEqual([".git", "longhand.json", "skills"]);
    expect(jsonLines((await longhand(["show", "old", "--json"])).stdout).length).toBeGreaterThan(4);
    expect(await readFile(join(home, "workspace.json"), "utf8")).toContain('"left": []');
  });
});

test("a copy of the home is read like the home, wherever it lies", async () => {
  await withProject(async ({ home, longhand }) => {
    await longhand([...SAY, "--json"], { currentDirectory: home });
    const copy = `${home}-backup`;
    await cp(home, copy, { recursive: true });
    const [original, copied] = [await longhand(["list"]), await longhand(["list", "--home", copy])];
    expect(original.stdout).toContain("hello");
    expect([copied.exitCode, copied.stdout, copied.stderr]).toEqual([0, original.stdout, original.stderr]);
    expect((await longhand([...SAY, "--home", copy], { currentDirectory: copy })).exitCode).toBe(0);
  });
});
