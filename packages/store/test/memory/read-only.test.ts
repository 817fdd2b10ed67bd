/** A memory that may only be read: on a disk or in a directory where nothing can be written. */

import { execFile } from "node:child_process";
import { chmod, chown, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { memoryBackend, openStore, type Store } from "../../src/index.ts";
import { openMemory, type Memory } from "../../src/memory.ts";
import { leaveOut } from "../support/leave-out.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";
import { refusedWith } from "./support/memory-in.ts";

const run = promisify(execFile);
const ann = { user: "ann" } as const;
const NOBODY = 65_534;
const DOOR = join(import.meta.dirname, "..", "..", "dist");

let directory: string;
let sessions: Store;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  sessions = await openStore(memoryBackend());
  const memory = await openMemory({ directory, sessions });
  const tea = await memory.remember({ text: "likes tea", scope: ann });
  await memory.remember({ text: "likes coffee", scope: ann, supersedes: [tea.id] });
  const gone = await memory.remember({ text: "sings", scope: ann });
  await memory.forget(gone.id);
  await memory.close();
});
afterEach(async () => {
  await removeDirectory(directory);
});

/** Every file with its time and size. */
async function filesIn(path: string): Promise<readonly string[]> {
  const names = (await readdir(path, { recursive: true })).toSorted();
  const stats = await Promise.all(names.map(async (name) => await stat(join(path, name))));
  return names.map((name, index) => `${name} ${stats[index]?.mtimeMs ?? 0} ${stats[index]?.size ?? 0}`);
}

describe("with readOnly", () => {
  let memory: Memory;
  let before: readonly string[];
  beforeEach(async () => {
    await writeFile(join(directory, "MEMORY.md"), "- edited\n");
    before = await filesIn(directory);
    memory = await openMemory({ directory, sessions, readOnly: true });
  });

  test("everything can be read, and nothing is written, not even the Markdown", async () => {
    expect((await memory.entries({ scope: ann })).map(({ text }) => text)).toEqual(["likes coffee"]);
    expect((await memory.everything({ all: true })).length).toBe(2);
    expect((await memory.promptSection({ scope: ann })).text).toContain("likes coffee");
    expect((await memory.recall("coffee", { scope: ann })).length).toBe(1);
    await memory.close();
    expect(await filesIn(directory)).toEqual(before);
  });

  test("every change is STORE_READ_ONLY", async () => {
    const [coffee] = await memory.entries({ scope: ann });
    const model = (): Promise<string> => Promise.resolve("{}");
    const session = sessions.session("chat");
    await session.append([
      { role: "user", content: "hello" },
      { role: "assistant", content: "hi" },
    ]);
    for (const change of [
      async () => await memory.remember({ text: "x", scope: ann }),
      async () => await memory.remember({ text: "x", scope: { user: "new" } }),
      async () => await memory.undo(coffee?.id ?? ""),
      async () => await memory.forget(coffee?.id ?? ""),
      async () => await memory.refresh(),
      async () => await memory.consolidate(session, { scope: ann, model }),
    ])
      await refusedWith(change(), "STORE_READ_ONLY");
    await memory.close();
    expect(await filesIn(directory)).toEqual(before);
  });
});

test("where nothing was ever remembered there is nothing", async () => {
  const empty = await makeTemporaryDirectory();
  const memory = await openMemory({ directory: empty, sessions, readOnly: true });
  expect(await memory.everything()).toEqual([]);
  expect(await memory.entries({ scope: ann })).toEqual([]);
  await memory.close();
  expect(await readdir(empty)).toEqual([]);
  await removeDirectory(empty);
});

describe("in a directory that may not be written to", () => {
  const READ = `
    const [, directory, door, option] = process.argv;
    const { openStore, memoryBackend } = await import(door + "/index.js");
    const { openMemory } = await import(door + "/memory.js");
    const readOnly = option === "readOnly";
    const memory = await openMemory({ directory, sessions: await openStore(memoryBackend()), readOnly });
    for (const { text } of await memory.everything()) console.log(text);
    await memory.close();`;

  const UNREACHABLE = "the user nobody, as whom root reads, may not look into the directory of this project";

  async function isReachable(): Promise<boolean> {
    if (process.getuid?.() !== 0) return true;
    const look = [join(DOOR, "memory.js")];
    return await run("cat", look, { uid: NOBODY, gid: NOBODY, cwd: "/" }).then(
      () => true,
      () => false,
    );
  }

  /** As a user whom permissions stop. */
  async function read(option: string): Promise<string> {
    const isRoot = process.getuid?.() === 0;
    for (const name of [".", ...(await readdir(directory, { recursive: true }))]) {
      const path = join(directory, name);
      if (isRoot) await chown(path, NOBODY, NOBODY);
      await chmod(path, (await stat(path)).isDirectory() ? 0o500 : 0o400);
    }
    const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
    const arguments_ = ["--input-type=module", "-e", READ, directory, DOOR, option];
    try {
      return (await run(process.execPath, arguments_, { ...identity, cwd: "/" })).stdout;
    } finally {
      for (const name of [".", ...(await readdir(directory, { recursive: true }))])
        await chmod(join(directory, name), 0o700);
    }
  }

  test("what is remembered can be read", async ({ skip }) => {
    if (!(await isReachable())) leaveOut(skip, UNREACHABLE);
    expect(await read("readOnly")).toBe("likes coffee\n");
  });

  test("and this would be noticed: who opens it for writing cannot", async ({ skip }) => {
    if (!(await isReachable())) leaveOut(skip, UNREACHABLE);
    await expect(read("")).rejects.toThrow(/IO_FAILED|EACCES/u);
  });
});
