/** How far a command can go in the sandbox, T11 to T15 and T18, and what happens where there is none. */

import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { execTool } from "../../src/tools/exec.ts";
import { leaveOut, needSandbox, NO_SANDBOX, runCommand } from "./support/commands.ts";
import { makePlace, toolContext } from "./support/workspace.ts";

const HOST = fileURLToPath(new URL("support/run-in-sandbox.mjs", import.meta.url));
const MEBIBYTE = 1024 * 1024;

describe("a command", () => {
  test("answers with what it printed, in order, and its exit code", async ({ skip }) => {
    const sandbox = needSandbox(skip);
    const place = await makePlace();
    for (const one of [sandbox, NO_SANDBOX]) {
      expect(await runCommand(one, place, "echo out; echo err >&2; echo out")).toEqual({
        content: "out\nerr\nout\n",
      });
      expect(await runCommand(one, place, "printf half; exit 3")).toEqual({
        content: "half\n[exit code 3]",
        isError: true,
      });
      expect(await runCommand(one, place, "true")).toEqual({ content: "[no output]" });
      expect(await runCommand(one, place, "cat")).toEqual({ content: "[no output]" });
      expect(await runCommand(one, place, `echo "it's" '$HOME' \\\\`)).toEqual({
        content: "it's $HOME \\\n",
      });
    }
  });

  test("T18: has its control characters shown", async ({ skip }) => {
    const shown = await runCommand(needSandbox(skip), await makePlace(), "printf '\\033[31mred\\377\\000'");
    expect(shown).toEqual({ content: "␛[31mred\ufffd␀" });
  });

  test("that no system would take is refused in words, and the longest one runs", async ({ skip }) => {
    const sandbox = needSandbox(skip);
    const place = await makePlace();
    const echo = "echo ran # ";
    const longest = echo + "x".repeat(131_071 - echo.length);
    for (const one of [sandbox, NO_SANDBOX]) {
      expect(await runCommand(one, place, longest)).toEqual({ content: "ran\n" });
      for (const command of [`${longest}x`, `${longest.slice(0, -1)}é`, "x".repeat(1_000_000)])
        await expect(runCommand(one, place, command)).rejects.toMatchObject({
          code: "TOOL_REFUSED",
          message: expect.stringMatching(
            /bytes long, and at most 131071 are possible; write it to a file/,
          ) as string,
        });
      await expect(runCommand(one, place, "echo a\0b")).rejects.toMatchObject({
        code: "TOOL_REFUSED",
        message: expect.stringContaining("NUL") as string,
      });
    }
  });

  test("that is called off dies, and the call rejects with the reason", async ({ skip }) => {
    const sandbox = needSandbox(skip);
    const place = await makePlace();
    for (const one of [sandbox, NO_SANDBOX]) {
      const marker = uniqueSleep();
      const controller = new AbortController();
      const tool = execTool({ ...place, hiddenPaths: [], sandbox: one });
      const running = tool.run({ command: `sleep ${marker}` }, toolContext(controller.signal));
      while ((await findProcesses(marker, "sleep")).length === 0);
      controller.abort(new Error("called off"));
      await expect(running).rejects.toThrow("called off");
      await untilGone(marker);
    }
  });
});

test("a command dies with the process that runs it, kill -9 included", async ({ skip }) => {
  const sandbox = needSandbox(skip);
  const { workspace } = await makePlace();
  const marker = uniqueSleep();
  const child = spawn(process.execPath, [HOST, workspace, `setsid sleep ${marker} & sleep ${marker}`], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  while ((await findProcesses(marker, "sleep")).length < 2);
  child.kill("SIGKILL");
  await untilGone(marker);
  // What it could not clear away goes with a later command.
  while ((await findGroups(child.pid)).length > 0) await runCommand(sandbox, { workspace }, "true");
});

describe("the limits", () => {
  test("T11: of processes", async ({ skip }) => {
    const sandbox = needSandbox(skip);
    if (sandbox.processLimit === "none")
      leaveOut(skip, "processes cannot be limited here: root, and no control group");
    const place = await makePlace();
    // A bomb of a size that harms nobody.
    const bomb = "i=0; while [ $i -lt 150 ]; do sleep 1000 & i=$((i+1)); done; echo all $i";
    const stopped = await runCommand(sandbox, place, bomb, { processes: 50 });
    expect(stopped.content).not.toContain("all 150");
    expect(stopped.isError).toBe(true);
    expect((await runCommand(sandbox, place, bomb, { processes: 1000 })).content).toBe("all 150\n");
  });

  test("T12: of output", async ({ skip }) => {
    const sandbox = needSandbox(skip);
    const place = await makePlace();
    const limits = { outputBytes: MEBIBYTE, keptBytes: 1000 };
    for (const one of [sandbox, NO_SANDBOX]) {
      const marker = uniqueSleep();
      const endless = await runCommand(one, place, `sh -c 'while :; do echo ${marker}; done'`, limits);
      expect(endless.isError).toBe(true);
      expect(endless.content).toMatch(/bytes left out here/);
      expect(endless.content).toMatch(
        /\[ended after \d+ bytes of output, more than the 1048576 allowed; .*\]$/,
      );
      expect(Buffer.byteLength(endless.content)).toBeLessThan(1300);
      await untilGone(marker);
    }
    const large = await runCommand(sandbox, place, "head -c 2000000 /dev/zero | tr '\\0' x; echo end", {
      outputBytes: 4 * MEBIBYTE,
      keptBytes: 1000,
    });
    expect(large.isError).toBeUndefined();
    expect(large.content).toMatch(/^x{500}\n\[\.\.\. 1999004 bytes left out here \.\.\.\]\nx+end\n$/);
  });

  test("T13: of time, for the whole tree", async ({ skip }) => {
    const sandbox = needSandbox(skip);
    const place = await makePlace();
    const attack = (marker: string): string =>
      `setsid sleep ${marker} & (sleep ${marker} &) ; sleep ${marker}`;
    const inside = uniqueSleep();
    const ended = await runCommand(sandbox, place, attack(inside), { milliseconds: 1000 });
    expect(ended.content).toMatch(/^\[ended after 1 seconds, with all that it had started/);
    await untilGone(inside);
    // Control: ending the process group alone leaves the one with a session of its own.
    const outside = uniqueSleep();
    await runCommand(NO_SANDBOX, place, attack(outside), { milliseconds: 1000 });
    const left = await findProcesses(outside, "sleep");
    for (const pid of left) process.kill(pid, "SIGKILL");
    expect(left).toHaveLength(1);
  });

  test("T14: a child in the background that holds the output open is not waited for, and ends", async ({
    skip,
  }) => {
    const sandbox = needSandbox(skip);
    const place = await makePlace();
    for (const one of [sandbox, NO_SANDBOX]) {
      const marker = uniqueSleep();
      expect(await runCommand(one, place, `sleep ${marker} & echo started`)).toEqual({
        content: "started\n",
      });
      await untilGone(marker);
    }
    // Control: whoever waits for the end of the output waits for that child.
    const marker = uniqueSleep();
    const child = spawn("sh", ["-c", `sleep ${marker} & echo started`], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    let isClosed = false;
    child.once("close", () => (isClosed = true));
    child.stdout.resume();
    await once(child, "exit");
    const [held] = await findProcesses(marker, "sleep");
    expect(isClosed).toBe(false);
    if (held !== undefined) process.kill(held, "SIGKILL");
    await once(child, "close");
  });

  test("T15: of memory; only the command dies", async ({ skip }) => {
    const sandbox = needSandbox(skip);
    const place = await makePlace();
    const hog = "head -c 300000000 /dev/zero | tail -c 300000000 | wc -c";
    const stopped = await runCommand(sandbox, place, hog, { memoryBytes: 64 * MEBIBYTE });
    expect(stopped.content).not.toContain("300000000");
    expect((await runCommand(sandbox, place, hog, { memoryBytes: 1024 * MEBIBYTE })).content).toBe(
      "300000000\n",
    );
  });

  test("of files in memory: /tmp does not take more than a part of it", async ({ skip }) => {
    const sandbox = needSandbox(skip);
    const fill = "head -c 30000000 /dev/zero >/tmp/big && echo fits";
    const place = await makePlace();
    expect((await runCommand(sandbox, place, fill, { memoryBytes: 64 * MEBIBYTE })).content).not.toContain(
      "fits",
    );
    expect((await runCommand(sandbox, place, fill, { memoryBytes: 512 * MEBIBYTE })).content).toBe("fits\n");
  });

  test("leave no control group behind", async ({ skip }) => {
    const sandbox = needSandbox(skip);
    if (sandbox.processLimit !== "group") return;
    await runCommand(sandbox, await makePlace(), "sleep 1000 & true");
    expect(await findGroups(process.pid)).toEqual([]);
  });
});

describe("approval", () => {
  test("is needed for every command where there is no sandbox, with the reason", async () => {
    const { workspace } = await makePlace();
    const tool = execTool({
      workspace,
      hiddenPaths: [],
      sandbox: { unavailable: "bwrap is missing", remedy: "install it" },
    });
    const reason = await tool.needsApproval?.({ command: "true" }, toolContext());
    expect(reason).toBe(
      "the command would run without a sandbox, with all your rights: bwrap is missing (install it)",
    );
  });

  test("is not needed in the sandbox", async ({ skip }) => {
    const { workspace } = await makePlace();
    const tool = execTool({ workspace, hiddenPaths: [], sandbox: needSandbox(skip) });
    expect(tool).not.toHaveProperty("needsApproval");
  });

  test("more time than the limit cannot be asked for", async () => {
    const { workspace } = await makePlace();
    const tool = execTool({
      workspace,
      hiddenPaths: [],
      sandbox: NO_SANDBOX,
      limits: { milliseconds: 5000 },
    });
    expect(tool.parse({ command: "true", seconds: 5 })).toEqual({ input: { command: "true", seconds: 5 } });
    expect(tool.parse({ command: "true", seconds: 6 })).toHaveProperty("problem");
    expect(tool.parse({ command: "" })).toHaveProperty("problem");
  });
});

/** An argument of `sleep` by which the process can be found among all others; whatever has it is ended after the test. */
function uniqueSleep(): string {
  const marker = `${randomInt(1_000_000, 9_000_000)}.${randomInt(1_000_000, 9_000_000)}`;
  onTestFinished(async () => {
    for (const pid of await findProcesses(marker)) process.kill(pid, "SIGKILL");
  });
  return marker;
}

/** Those that have the marker somewhere in their arguments; with `program` only those of that name. */
async function findProcesses(marker: string, program?: string): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const line = await readFile(`/proc/${name}/cmdline`, "utf8").catch(() => "");
    if (line.includes(marker) && (program === undefined || line.startsWith(`${program}\0`)))
      found.push(Number(name));
  }
  return found;
}

/** Control groups that a process has made. */
async function findGroups(pid: number | undefined): Promise<string[]> {
  const names = await readdir("/sys/fs/cgroup", { recursive: true });
  expect(names.length).toBeGreaterThan(0);
  return names.filter((name) => name.includes(`longhand-${pid ?? "none"}-`));
}

/** What was killed is gone a moment later; what was not never is, and the test runs out of time. */
async function untilGone(marker: string): Promise<void> {
  while ((await findProcesses(marker)).length > 0);
}
