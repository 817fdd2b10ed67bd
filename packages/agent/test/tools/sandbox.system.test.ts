/** What a command cannot reach in the sandbox: T8 to T10, T16, T20. Each attack is first shown to succeed without it. */

import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, rmdir, symlink, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Sandbox } from "../../src/tools/sandbox.ts";
import { needSandbox, NO_SANDBOX, runCommand, type CommandPlace } from "./support/commands.ts";
import { makePlace, SECRET } from "./support/workspace.ts";

describe("files", () => {
  test("the workspace can be written, /tmp is private, the rest is read-only or not there", async ({
    skip,
  }) => {
    const sandbox = needSandbox(skip);
    const place = await makePlace();
    const done = await runCommand(
      sandbox,
      place,
      "pwd; echo in >file; echo t >/tmp/t; echo h >~/h; cat file /tmp/t ~/h",
    );
    expect(done).toEqual({ content: `${place.workspace}\nin\nt\nh\n` });
    expect(await readFile(join(place.workspace, "file"), "utf8")).toBe("in\n");
    const ways = [
      `cat ${place.outside}/secret`,
      `cat /proc/1/root${place.outside}/secret`,
      `cat /proc/self/root${place.outside}/secret`,
    ];
    for (const way of ways) expect((await runCommand(sandbox, place, way)).content).not.toContain(SECRET);
    await symlink(place.outside, join(place.workspace, "link"));
    expect((await runCommand(sandbox, place, "cat link/secret")).content).not.toContain(SECRET);
    const writes = ["/usr/x", "/x", "/etc/x", "/dev/x", "/home/x", `${place.outside}/x`];
    for (const path of writes) {
      const tried = await runCommand(sandbox, place, `echo x >${path}`);
      expect(tried).toMatchObject({ isError: true });
    }
    for (const way of [ways[0] ?? "", "cat link/secret"])
      expect((await runCommand(NO_SANDBOX, place, way)).content).toBe(SECRET);
    expect(await runCommand(NO_SANDBOX, place, `echo x >${place.outside}/x`)).toEqual({
      content: "[no output]",
    });
  });

  test("the home and the keys of the machine are not there", async ({ skip }) => {
    const sandbox = needSandbox(skip);
    const place = await makePlace();
    const home = await mkdtemp(join(homedir(), ".longhand-test-"));
    onTestFinished(async () => {
      await rm(home, { recursive: true });
    });
    await writeFile(join(home, "key"), SECRET);
    expect((await runCommand(sandbox, place, `cat ${home}/key`)).content).not.toContain(SECRET);
    expect((await runCommand(NO_SANDBOX, place, `cat ${home}/key`)).content).toBe(SECRET);
    const there = await runCommand(
      sandbox,
      place,
      "for f in /etc/shadow /etc/ssh /root /run/docker.sock /var /sys; do [ -e $f ] && echo $f; done; true",
    );
    expect(there).toEqual({ content: "[no output]" });
  });

  test("the switches of the machine in /proc cannot be turned, even by root", async ({ skip }) => {
    const sandbox = needSandbox(skip);
    const place = await makePlace();
    // Writes back what is there: if it did succeed, nothing would change.
    const attack =
      'v=$(cat /proc/sys/kernel/core_pattern) && printf %s "$v" >/proc/sys/kernel/core_pattern && echo turned';
    expect((await runCommand(sandbox, place, attack)).content).not.toContain("turned");
    const isTurned = (await runCommand(NO_SANDBOX, place, attack)).content.includes("turned");
    expect(isTurned).toBe(process.getuid?.() === 0);
  });
});

describe("what is protected", () => {
  const attacks = [
    ["echo evil >.git/hooks/pre-commit", ".git/hooks/pre-commit"],
    ["echo evil >.git/config", ".git/config"],
    ["echo evil >longhand.json", "longhand.json"],
    ["echo evil >skills/evil", "skills/evil"],
    ["echo evil >sessions/evil", "sessions/evil"],
    ["echo evil >memory/evil", "memory/evil"],
    ["echo evil >.longhand/evil", ".longhand/evil"],
    ["mv .git away && mkdir -p .git/hooks && echo evil >.git/config", ".git/config"],
    ["rm -f longhand.json; echo evil >new && mv new longhand.json", "longhand.json"],
  ] as const;
  const evil = async (workspace: string, path: string): Promise<boolean> =>
    (await readFile(join(workspace, path), "utf8").catch(() => "")).includes("evil");

  test.each(attacks)("T8: %s", async (attack, path) => {
    const { workspace } = await withProtected();
    await runCommand(NO_SANDBOX, { workspace }, attack);
    expect(await evil(workspace, path)).toBe(true);
  });

  test.for(attacks)("T8, in the sandbox: %s", async ([attack, path], { skip }) => {
    await expectNoEvil(needSandbox(skip), await withProtected(), attack, path);
  });

  test.for(attacks.filter(([, path]) => path.startsWith(".git/")))(
    "T9, in the sandbox, where it does not exist before: %s",
    async ([attack, path], { skip }) => {
      const sandbox = needSandbox(skip);
      const { workspace } = await makePlace();
      await expectNoEvil(sandbox, { workspace }, `mkdir -p .git/hooks; ${attack}`, path);
      expect(await readdir(workspace)).toEqual([]);
    },
  );

  test("nothing is left in an empty directory, in a repository, beside skills", async ({ skip }) => {
    const sandbox = needSandbox(skip);
    for (const existing of [
      [],
      [".git/config", ".git/HEAD"],
      ["skills/one/SKILL.md"],
      ["longhand.json", "a.txt"],
    ]) {
      const { workspace } = await makePlace();
      for (const path of existing) {
        await mkdir(dirname(join(workspace, path)), { recursive: true });
        await writeFile(join(workspace, path), "{}");
      }
      const before = await readdir(workspace, { recursive: true });
      const { content } = await runCommand(sandbox, { workspace }, "ls");
      expect(content).toBe(
        before.filter((path) => !/[/]|^[.]/.test(path)).join("\n") +
          (before.some((path) => !path.startsWith(".")) ? "\n" : "[no output]"),
      );
      expect(await readdir(workspace, { recursive: true })).toEqual(before);
    }
  });

  test("a repository that the user makes while a command runs stays", async ({ skip }) => {
    const sandbox = needSandbox(skip);
    const { workspace } = await makePlace();
    const running = runCommand(sandbox, { workspace }, "echo >begun; while [ ! -e go ]; do sleep 0.05; done");
    await expect.poll(async () => await readdir(workspace)).toContain("begun");
    await writeFile(join(workspace, ".git/HEAD"), "ref: refs/heads/main\n");
    await writeFile(join(workspace, "go"), "");
    await running;
    expect(await readdir(join(workspace, ".git"))).toEqual(["HEAD"]);
  });

  test("a command that ends leaves the protection of another one that still runs", async ({ skip }) => {
    const sandbox = needSandbox(skip);
    const { workspace } = await makePlace();
    const command =
      "echo >begun; while [ ! -e go ]; do sleep 0.05; done; mkdir -p .git/hooks && echo evil >.git/config";
    const running = runCommand(sandbox, { workspace }, command);
    await expect.poll(async () => await readdir(workspace)).toContain("begun");
    await runCommand(sandbox, { workspace }, "true");
    await writeFile(join(workspace, "go"), "");
    await running;
    expect(await readdir(workspace)).toEqual(["begun", "go"]);
  });

  test("control: where the placeholder is taken away, what the command creates is renamed", async ({
    skip,
  }) => {
    const sandbox = needSandbox(skip);
    const { workspace } = await makePlace();
    const command =
      "echo >begun; while [ ! -e go ]; do sleep 0.05; done; mkdir -p .git/hooks && echo evil >.git/config";
    const running = runCommand(sandbox, { workspace }, command);
    const failed = expect(running).rejects.toMatchObject({ code: "TOOL_FAILED" });
    await expect.poll(async () => await readdir(workspace)).toContain("begun");
    await rmdir(join(workspace, ".git"));
    await writeFile(join(workspace, "go"), "");
    await failed;
    expect(await readdir(workspace)).toEqual([expect.stringMatching(/^\.git-not-trusted-/), "begun", "go"]);
  });

  test("T9, control: without the sandbox they can be made", async () => {
    const { workspace } = await makePlace();
    await runCommand(
      NO_SANDBOX,
      { workspace },
      "mkdir -p .git/hooks; echo evil >.git/hooks/pre-commit; echo evil >longhand.json",
    );
    expect(await evil(workspace, ".git/hooks/pre-commit")).toBe(true);
    expect(await evil(workspace, "longhand.json")).toBe(true);
  });

  test("conversations, memory and what else is hidden cannot be read; Git and skills can", async ({
    skip,
  }) => {
    const sandbox = needSandbox(skip);
    const { workspace } = await withProtected();
    await writeFile(join(workspace, "keys"), SECRET);
    const read = "cat sessions/* memory/* .longhand/* keys 2>/dev/null; cat .git/config skills/one";
    const shown = await runCommand(sandbox, { workspace, hiddenPaths: ["keys"] }, read);
    expect(shown.content).toBe("configskill");
    expect((await runCommand(NO_SANDBOX, { workspace }, read)).content).toContain(SECRET);
  });

  test("where it is a link, or hidden and missing, no command runs", async ({ skip }) => {
    const sandbox = needSandbox(skip);
    const { workspace, outside } = await makePlace();
    const missing = runCommand(sandbox, { workspace, hiddenPaths: ["keys"] }, "true");
    await expect(missing).rejects.toMatchObject({ code: "TOOL_REFUSED" });
    await rm(join(workspace, "skills"), { recursive: true, force: true });
    await symlink(outside, join(workspace, "skills"));
    await expect(runCommand(sandbox, { workspace }, "true")).rejects.toMatchObject({ code: "TOOL_REFUSED" });
  });

  async function expectNoEvil(
    sandbox: Sandbox,
    place: CommandPlace,
    attack: string,
    path: string,
  ): Promise<void> {
    await runCommand(sandbox, place, attack);
    expect(await evil(place.workspace, path)).toBe(false);
    expect(await readdir(place.workspace)).not.toContain("away");
  }
});

async function withProtected(): Promise<{ workspace: string }> {
  const { workspace } = await makePlace();
  for (const name of [".git/hooks", "skills", "sessions", "memory", ".longhand"])
    await mkdir(join(workspace, name), { recursive: true });
  for (const mark of ["sessions/.longhand", "memory/store/.longhand"])
    await mkdir(join(workspace, mark), { recursive: true });
  await writeFile(join(workspace, ".git/config"), "config");
  await writeFile(join(workspace, "skills/one"), "skill");
  for (const name of ["sessions", "memory", ".longhand"])
    await writeFile(join(workspace, name, "one"), SECRET);
  await writeFile(join(workspace, "longhand.json"), "{}");
  return { workspace };
}

describe("the environment", () => {
  test("T10: of another process is not seen", async ({ skip }) => {
    const sandbox = needSandbox(skip);
    const place = await makePlace();
    const other = spawn("sleep", ["1000"], { env: { KEY_OF_A_PROVIDER: "sk-12345" } });
    onTestFinished(() => void other.kill("SIGKILL"));
    await once(other, "spawn");
    const attack = `cat /proc/[0-9]*/environ /proc/$PPID/environ | tr '\\0' '\\n' | grep -a KEY_OF_A_PROVIDER`;
    expect((await runCommand(NO_SANDBOX, place, attack)).content).toContain("sk-12345");
    expect((await runCommand(sandbox, place, attack)).content).not.toContain("sk-12345");
  });

  const harmful = {
    LD_PRELOAD: "/nowhere.so",
    NODE_OPTIONS: "--no-warnings",
    BASH_ENV: "/nowhere",
    GIT_DIR: "/x",
    MY_API_KEY: "sk",
  };

  test("T10, T20: only what is listed is passed on", async ({ skip }) => {
    const sandbox = needSandbox(skip);
    const place = await makePlace();
    const before = { ...process.env };
    onTestFinished(() => {
      for (const name of Object.keys(harmful)) {
        if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
        else process.env[name] = before[name];
      }
    });
    Object.assign(process.env, harmful);
    for (const one of [sandbox, NO_SANDBOX]) {
      const { content } = await runCommand(one, place, "env");
      const names = content.split("\n").map((line) => line.split("=")[0] ?? "");
      const listed = [
        "PATH",
        "HOME",
        "TMPDIR",
        "TERM",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "TZ",
        "PWD",
        "OLDPWD",
        "SHLVL",
        "_",
        "",
      ];
      expect(names.filter((name) => !listed.includes(name))).toEqual([]);
      expect(content).toContain("PATH=");
    }
    // Control: a child that is given ours has them.
    const child = spawn("env", { stdio: ["ignore", "pipe", "ignore"] });
    const chunks: Buffer[] = [];
    for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toContain("GIT_DIR=/x");
  });
});

describe("T16: the network", () => {
  const connect = (target: string): string => `node -e '
    const socket = require("node:net").connect(${target});
    socket.on("data", (data) => { console.log("got " + data); process.exit(); });
    socket.on("error", (error) => { console.log(error.code); process.exit(); });
  '`;

  async function serve(listen: string | { host: string }): Promise<AddressInfo | string | null> {
    const server = createServer((socket) => socket.end("through"));
    onTestFinished(() => void server.close());
    server.listen(typeof listen === "string" ? { path: listen } : { ...listen, port: 0 });
    await once(server, "listening");
    return server.address();
  }

  test.for(["TCP", "a Unix socket", "an abstract socket"])("%s cannot be reached", async (kind, { skip }) => {
    const sandbox = needSandbox(skip);
    const place = await makePlace();
    const target = await targetOf(kind, place.outside);
    expect((await runCommand(NO_SANDBOX, place, connect(target))).content).toBe("got through\n");
    const { content } = await runCommand(sandbox, place, connect(target));
    expect(content).toMatch(/^E(CONNREFUSED|NOENT|NETUNREACH)\n$/);
  });

  async function targetOf(kind: string, outside: string): Promise<string> {
    if (kind === "TCP") {
      const address = await serve({ host: "127.0.0.1" });
      return `{ host: "127.0.0.1", port: ${(address as AddressInfo).port} }`;
    }
    const path = kind === "a Unix socket" ? join(outside, "socket") : `\0longhand-test-${process.pid}`;
    await serve(path);
    return JSON.stringify({ path });
  }

  test("DNS asks nobody", async ({ skip }) => {
    const sandbox = needSandbox(skip);
    const place = await makePlace();
    const server = createSocket("udp4");
    onTestFinished(() => void server.close());
    let questions = 0;
    server.on("message", () => questions++);
    server.bind(0, "127.0.0.1");
    await once(server, "listening");
    const ask = `node -e '
      const resolver = new (require("node:dns").promises.Resolver)({ timeout: 200, tries: 1 });
      resolver.setServers(["127.0.0.1:${server.address().port}"]);
      resolver.resolve4("example.org").catch((error) => console.log(error.code));
    '`;
    expect((await runCommand(sandbox, place, ask)).content).toMatch(/^E/);
    expect(questions).toBe(0);
    await runCommand(NO_SANDBOX, place, ask);
    expect(questions).toBeGreaterThan(0);
  });
});
