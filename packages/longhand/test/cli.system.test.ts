/** The program as people run it: `node dist/main.js` in a process of its own, after the build. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { COMMANDS } from "../src/program.ts";
import { withTemporaryDirectory } from "./support/fake-world.ts";

const PROGRAM = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

beforeAll(async () => {
  await expect(stat(PROGRAM), "run `npm run build` first").resolves.toBeDefined();
});

interface Answer {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface ProcessOptions {
  /** The whole environment, but for PATH. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
}

async function start(command: string, words: readonly string[], options: ProcessOptions): Promise<Answer> {
  const { environment = {}, input = "" } = options;
  const child = spawn(command, words, {
    cwd: ROOT,
    env: { PATH: process.env["PATH"], ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  // A command that does not read its input may be gone before it is written.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  return await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => resolve({ exitCode, stdout, stderr }));
  });
}

const longhand = (words: readonly string[], options: ProcessOptions = {}): Promise<Answer> =>
  start(process.execPath, [PROGRAM, ...words], options);
const shell = (line: string, options: ProcessOptions = {}): Promise<Answer> =>
  start("bash", ["--norc", "--noprofile", "-c", line], options);

const inHome = (home: string): ProcessOptions => ({ environment: { LONGHAND_HOME: home } });

describe("in a process of its own", () => {
  test("what one command keeps the next one finds", async () => {
    await withTemporaryDirectory(async (home) => {
      const at = inHome(home);
      expect(await longhand(["append", "k", "hello"], at)).toEqual({
        exitCode: 0,
        stdout: "seq 1  k\n",
        stderr: "",
      });
      expect((await longhand(["append", "k"], { ...at, input: "from a pipe\n" })).stdout).toBe("seq 2  k\n");
      const shown = await longhand(["show", "last"], at);
      expect(shown.exitCode).toBe(0);
      expect(shown.stdout).toMatch(/ {2}hello\n[^]* {2}from a pipe\n/);
      expect(shown.stdout).not.toContain("\u001b");
      expect((await longhand(["search", "pipe", "--json"], at)).stdout).toMatch(/^\{"key":"k","seq":2,/);
      expect((await longhand(["undo", "k"], at)).exitCode).toBe(0);
      expect((await longhand(["truncate", "k", "--keep-last", "0", "--json"], at)).stdout).toContain(
        '"after":0',
      );
      const exported = (await longhand(["export", "k", "--format", "jsonl"], at)).stdout
        .trimEnd()
        .split("\n");
      const [session, ...records] = exported.map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(session).toMatchObject({ type: "session", key: "k", seq: 4 });
      expect(records.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
      expect((await longhand(["doctor", "--json"], at)).stdout).toContain('"problems":[]');
    });
  });

  test("help is given without loading the store", async () => {
    await withTemporaryDirectory(async (home) => {
      const environment = { LONGHAND_HOME: home, NODE_DEBUG: "esm" };
      const loadsStore = async (words: readonly string[]): Promise<boolean> =>
        (await longhand(words, { environment })).stderr.includes("store/dist/index.js");
      // Or nothing would be shown by what follows.
      expect(await loadsStore(["list"])).toBe(true);
      for (const name of Object.keys(COMMANDS)) expect(await loadsStore([name, "--help"]), name).toBe(false);
    });
  });

  test("an empty HOME is no home: nothing is written into the current directory", async () => {
    await withTemporaryDirectory(async (temporary) => {
      const line = `cd "${temporary}" && "${process.execPath}" "${PROGRAM}" doctor --json`;
      const { stdout } = await shell(line, { environment: { HOME: "" } });
      const { places } = JSON.parse(stdout) as { places: { home: { path: string } } };
      expect(places.home.path.startsWith(temporary)).toBe(false);
    });
  });

  test("exit codes: 0, 1, 2, 3", async () => {
    await withTemporaryDirectory(async (home) => {
      const codes: (number | null)[] = [];
      for (const words of [["list"], ["import", join(home, "none")], ["nonsense"], ["show", "unknown"]]) {
        codes.push((await longhand(words, inHome(home))).exitCode);
      }
      expect(codes).toEqual([0, 1, 2, 3]);
    });
  });

  test("FORCE_COLOR colours a pipe, --no-color never", async () => {
    await withTemporaryDirectory(async (home) => {
      await longhand(["append", "k", "x"], inHome(home));
      const forced = { environment: { LONGHAND_HOME: home, FORCE_COLOR: "1" } };
      expect((await longhand(["list"], forced)).stdout).toContain("\u001b[36mk");
      expect((await longhand(["list", "--no-color"], forced)).stdout).not.toContain("\u001b");
    });
  });

  test("a reader that goes away (| head -1) is no error", async () => {
    await withTemporaryDirectory(async (home) => {
      // More than a pipe holds, so that the program is still writing when the reader goes.
      await longhand(["append", "k", "-"], { ...inHome(home), input: "line\n".repeat(100_000) });
      const line = `"${process.execPath}" "${PROGRAM}" show k | head -1; echo "\${PIPESTATUS[0]}"`;
      expect(await shell(line, inHome(home))).toEqual({ exitCode: 0, stdout: "k\n0\n", stderr: "" });
    });
  });

  test.runIf(process.platform === "linux")("output that cannot be written is an error", async () => {
    await withTemporaryDirectory(async (home) => {
      const { exitCode, stderr } = await shell(
        `"${process.execPath}" "${PROGRAM}" list > /dev/full`,
        inHome(home),
      );
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining("could not be written")]);
    });
  });

  test("an error is one JSON line on standard error with --json, and a stack only when asked for", async () => {
    await withTemporaryDirectory(async (home) => {
      const plain = await longhand(["show", "x", "--json"], inHome(home));
      expect(JSON.parse(plain.stderr)).toMatchObject({ error: { code: "KEY_UNKNOWN" } });
      expect(plain.stdout).toBe("");
      const environment = { LONGHAND_HOME: home, LONGHAND_DEBUG: "1" };
      expect((await longhand(["show", "x"], { environment })).stderr).toContain("    at ");
      expect((await longhand(["show", "x"], inHome(home))).stderr).not.toContain("    at ");
    });
  });
});

describe("tail", () => {
  /** Follows `k` in a process of its own; `until` resolves when it has printed a text. */
  function follow(home: string): {
    readonly child: ChildProcess;
    readonly until: (text: string) => Promise<void>;
    readonly ended: Promise<readonly [code: number | null, stderr: string]>;
  } {
    const environment = { PATH: process.env["PATH"], LONGHAND_HOME: home };
    const child = spawn(process.execPath, [PROGRAM, "tail", "k"], { cwd: ROOT, env: environment });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const ended = once(child, "close").then(() => [child.exitCode, stderr] as const);
    const until = async (text: string): Promise<void> => {
      while (!stdout.includes(text)) await Promise.race([once(child.stdout, "data"), ended.then(never)]);
    };
    return { child, until, ended };
  }

  const never = (): never => {
    throw new Error("tail has ended before it printed what was waited for");
  };

  test("shows what another process writes, and Ctrl-C is exit code 0", async () => {
    await withTemporaryDirectory(async (home) => {
      await longhand(["append", "k", "first words"], inHome(home));
      const { child, until, ended } = follow(home);
      await until("  first words\n");
      await longhand(["append", "k", "from elsewhere"], inHome(home));
      await until("  from elsewhere\n");
      child.kill("SIGINT");
      expect(await ended).toEqual([0, ""]);
    });
  });

  test("ends with exit code 0 when the session is deleted", async () => {
    await withTemporaryDirectory(async (home) => {
      await longhand(["append", "k", "first words"], inHome(home));
      const { until, ended } = follow(home);
      await until("  first words\n");
      await longhand(["delete", "k"], inHome(home));
      expect(await ended).toEqual([0, "longhand: k was deleted\n"]);
    });
  });
});

describe("the tour", () => {
  test("kills a writer, finds everything acknowledged, and leaves a store to look at", async () => {
    await withTemporaryDirectory(async (home) => {
      const { exitCode, stdout, stderr } = await longhand(["tour"], inHome(join(home, "not yet there")));
      expect([exitCode, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(/The last seq it was told is kept: \d+\./);
      expect(stdout).toMatch(/All \d+ acknowledged messages are there/);
      expect(stdout.match(/^✓/gm)).toHaveLength(7);
      const commands = stdout.match(/^ {2}npx longhand .*$/gm) ?? [];
      expect(commands).toHaveLength(4);
      // The last one opens a chat.
      for (const command of commands.slice(0, 3)) {
        // As they would be pasted, but with the program of this build in the place of npx.
        const line = command.trim().replace("npx longhand", `"${process.execPath}" "${PROGRAM}"`);
        const pasted = await shell(line);
        expect([pasted.exitCode, pasted.stderr]).toEqual([0, ""]);
        expect(pasted.stdout).toContain("kitchen");
      }
    });
  });

  test("measures for a program, and what it says is so", async () => {
    await withTemporaryDirectory(async (home) => {
      const { exitCode, stdout } = await longhand(["tour", "--json"], inHome(home));
      expect(exitCode).toBe(0);
      const report = JSON.parse(stdout) as {
        directory: string;
        kill: { acknowledged: number; seqBefore: number; seqAfter: number };
      };
      expect(report.kill.seqAfter).toBeGreaterThanOrEqual(report.kill.seqBefore);
      expect(report.kill.acknowledged).toBeGreaterThan(0);
      expect(report.directory.startsWith(join(home, "tour"))).toBe(true);
      const [writerFile] = (await readdir(report.directory)).filter((name) => name.includes("writer"));
      const lines = (await readFile(join(report.directory, writerFile ?? ""), "utf8")).trimEnd().split("\n");
      // A header, what was found, and the one append after it.
      expect(lines.filter((line) => line.includes('"seq":'))).toHaveLength(report.kill.seqAfter + 1);
    });
  });

  test.each(["--sessions", "--workspace"])("refuses %s, which it could only ignore", async (option) => {
    const { exitCode, stdout, stderr } = await longhand(["tour", option, "."]);
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`takes no ${option}`);
    expect(stderr).toContain("longhand tour --home DIR");
  });

  test("says what is wrong with a home that is a file", async () => {
    const { exitCode, stderr } = await longhand(["tour", "--home", PROGRAM]);
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining(`${PROGRAM} is not a directory`)]);
  });

  test("goes to the temporary directory without HOME", async () => {
    await withTemporaryDirectory(async (temporary) => {
      const { exitCode, stdout } = await longhand(["tour", "--json"], { environment: { TMPDIR: temporary } });
      expect(exitCode).toBe(0);
      expect((JSON.parse(stdout) as { directory: string }).directory.startsWith(temporary)).toBe(true);
    });
  });

  test("makes a HOME that does not exist yet, private", async () => {
    await withTemporaryDirectory(async (temporary) => {
      const environment = { HOME: join(temporary, "a", "b"), TMPDIR: temporary };
      const { exitCode, stdout } = await longhand(["tour", "--json"], { environment });
      expect(exitCode).toBe(0);
      expect(stdout).toContain(join(temporary, "a", "b", ".longhand", "tour"));
      expect((await stat(join(temporary, "a", "b", ".longhand", "tour"))).mode & 0o777).toBe(0o700);
    });
  });

  test.runIf(process.platform === "linux")("goes elsewhere when HOME cannot be written", async () => {
    await withTemporaryDirectory(async (temporary) => {
      const environment = { HOME: "/proc/nowhere", TMPDIR: temporary };
      const { exitCode, stdout } = await longhand(["tour", "--json"], { environment });
      expect(exitCode).toBe(0);
      expect((JSON.parse(stdout) as { directory: string }).directory.startsWith(temporary)).toBe(true);
    });
  });
});

test("importing the package runs nothing", async () => {
  const use = `const names = Object.keys(await import("longhand")); console.log(names.join());`;
  const { exitCode, stdout, stderr } = await start(process.execPath, ["--input-type=module", "-e", use], {});
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: "run\n", stderr: "" });
});

test("the command that npm links is in the repository before anything is built", async () => {
  const link = fileURLToPath(new URL("../bin/longhand.js", import.meta.url));
  expect((await stat(link)).mode & 0o111).not.toBe(0);
  expect((await start(process.execPath, [link, "--version"], {})).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
