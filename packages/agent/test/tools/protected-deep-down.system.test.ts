/** What is protected further down in the workspace stays where it is: no directory on the way to it can be moved. */

import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtInTools } from "../../src/tools/built-in-tools.ts";
import type { NoSandbox, Sandbox } from "../../src/tools/sandbox.ts";
import type { ToolOutput } from "../../src/tools/tool.ts";
import { needSandbox, NO_SANDBOX, runCommand } from "./support/commands.ts";
import { makePlace, SECRET, toolContext } from "./support/workspace.ts";

const KEY = "conf/deep/key.txt";
/** Each ends with the secret where nothing protects it. */
const MOVES = [
  ["mv conf/deep conf/x; mkdir -p conf/deep; echo fake >conf/deep/key.txt", "conf/x/key.txt"],
  ["mv conf x; mkdir -p conf/deep; echo fake >conf/deep/key.txt", "x/deep/key.txt"],
  ["mkdir in; mv conf in/conf; mkdir -p conf/deep; echo fake >conf/deep/key.txt", "in/conf/deep/key.txt"],
] as const;

type Call = (name: string, input: unknown) => Promise<ToolOutput>;

async function withKey(sandbox: Sandbox | NoSandbox): Promise<{ workspace: string; call: Call }> {
  const { workspace } = await makePlace();
  await mkdir(join(workspace, "conf/deep"), { recursive: true });
  await writeFile(join(workspace, KEY), SECRET);
  const tools = builtInTools({ workspace, sandbox, protectedPaths: [KEY] });
  const call: Call = async (name, input) => {
    const result = await tools.find((tool) => tool.name === name)?.run(input, toolContext());
    if (result === undefined) throw new Error(`no tool ${name}`);
    return typeof result === "string" ? { content: result } : result;
  };
  return { workspace, call };
}

describe("a protected file in a directory of a directory", () => {
  test.each(MOVES)("control, without the sandbox: %s", async (move, found) => {
    const { call } = await withKey(NO_SANDBOX);
    await call("exec", { command: move });
    expect((await call("exec", { command: `cat ${found}` })).content).toBe(SECRET);
    expect((await call("read_file", { path: found })).content).toBe(SECRET);
  });

  test.for(MOVES)("in the sandbox: %s", async ([move, found], { skip }) => {
    const { workspace, call } = await withKey(needSandbox(skip));
    expect((await call("exec", { command: move })).content).toContain("busy");
    expect(await readFile(join(workspace, KEY), "utf8")).toBe(SECRET);
    const search = await call("exec", { command: `cat ${found} ${KEY}; grep -r secret .; true` });
    expect(search.content).not.toContain(SECRET);
    await expect(call("read_file", { path: found })).rejects.toMatchObject({ code: "TOOL_FAILED" });
    await expect(call("read_file", { path: KEY })).rejects.toMatchObject({ code: "TOOL_REFUSED" });
  });

  test("its directories can be written as ever, and files moved in and out of them", async ({ skip }) => {
    const { workspace, call } = await withKey(needSandbox(skip));
    const command = "echo 1 >conf/deep/one; echo 2 >two; mv conf/deep/one .; mv two conf; mv conf/two conf/2";
    expect(await call("exec", { command })).toEqual({ content: "[no output]" });
    expect(await readFile(join(workspace, "one"), "utf8")).toBe("1\n");
    expect(await readFile(join(workspace, "conf/2"), "utf8")).toBe("2\n");
    await call("write_file", { path: "conf/deep/three", content: "3" });
    expect((await call("exec", { command: "cat conf/deep/three" })).content).toBe("3");
  });

  test("several of them, one around the other, are all protected", async ({ skip }) => {
    const sandbox = needSandbox(skip);
    const { workspace } = await makePlace();
    const hiddenPaths = ["a/b/c/key", "a/b", "a/d/key", "skills/s/key"];
    for (const path of ["a/b/c", "a/d", "skills/s"]) await mkdir(join(workspace, path), { recursive: true });
    for (const path of ["a/b/c/key", "a/b/note", "a/d/key", "skills/s/key"])
      await writeFile(join(workspace, path), SECRET);
    const attack = "mv a/b a/x; mv a/d a/y; mv a z; mv skills/s skills/t; echo evil >skills/s/new; true";
    const place = { workspace, hiddenPaths };
    expect((await runCommand(sandbox, place, `${attack}; grep -r secret .; true`)).content).not.toContain(
      SECRET,
    );
    expect(await readdir(join(workspace, "a"))).toEqual(["b", "d"]);
    expect(await readdir(join(workspace, "skills"))).toEqual(["s"]);
    expect(await readdir(join(workspace, "skills/s"))).toEqual(["key"]);
  });

  test("behind a link, which a command could replace, no command runs", async ({ skip }) => {
    const sandbox = needSandbox(skip);
    const { workspace } = await makePlace();
    await mkdir(join(workspace, "real/deep"), { recursive: true });
    await writeFile(join(workspace, "real/deep/key"), SECRET);
    await symlink("real", join(workspace, "link"));
    const refused = runCommand(sandbox, { workspace, hiddenPaths: ["link/deep/key"] }, "true");
    await expect(refused).rejects.toMatchObject({
      code: "TOOL_REFUSED",
      message: expect.stringMatching(/link is protected, but it is a link/) as string,
    });
    const direct = { workspace, hiddenPaths: ["real/deep/key"] };
    const shown = await runCommand(sandbox, direct, "echo ran; cat link/deep/key");
    expect(shown.content).toContain("ran");
    expect(shown.content).not.toContain(SECRET);
  });
});

test("the store of a running agent cannot be moved away", async ({ skip }) => {
  const sandbox = needSandbox(skip);
  for (const [one, isMoved] of [
    [sandbox, false],
    [NO_SANDBOX, true],
  ] as const) {
    const { workspace } = await makePlace();
    await mkdir(join(workspace, "data/sessions"), { recursive: true });
    await runCommand(one, { workspace, hiddenPaths: [join(workspace, "data/sessions")] }, "mv data old");
    expect((await readdir(workspace)).includes("old")).toBe(isMoved);
  }
});
