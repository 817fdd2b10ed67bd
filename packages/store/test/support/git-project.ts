/** A directory as a developer has it: a git project with files that resemble sessions but are not Longhand's. */

import { mkdir, readdir, lstat, readFile, writeFile, utimes } from "node:fs/promises";
import { join } from "node:path";

const lines = (...values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join("");

export const PROJECT_FILES: Readonly<Record<string, string>> = {
  "package.json": '{"name":"demo","version":"1.0.0","messages":[]}',
  "tsconfig.json": '{\n  // comments are allowed here\n  "compilerOptions": {},\n}',
  "dataset.jsonl": lines(
    { role: "user", content: "hi", source: "web" },
    { role: "assistant", content: "hello", source: "web" },
  ),
  "plain.jsonl": lines({ role: "user", content: "hi" }, { role: "assistant", content: "hello" }),
  "evals.jsonl": lines({ input: "2+2", ideal: "4", messages: [{ role: "user", content: "2+2" }] }),
  "stamped.jsonl": lines({ role: "user", content: "hi", timestamp: "2026-01-01T00:00:00Z" }),
  "few-shot.json": '{"messages":[{"role":"user","content":"hi"}]}',
  "prompts.json": '{"key":"greeting","messages":[{"role":"system","content":"Be kind."}]}',
  "state.json":
    '{"version":1,"history":[{"role":"system","content":"You are."},{"role":"user","content":"2+2?"}]}',
  "examples.json": '[{"role":"user","content":"hi"}]',
  "empty.jsonl": "",
  "README.md": "# demo\n",
  ".gitignore": "node_modules\n",
  ".git/HEAD": "ref: refs/heads/main\n",
  "archive/2025.jsonl": lines({ role: "user", content: "old data" }),
};

const MODIFIED = new Date("2026-03-01T12:00:00Z");

export async function makeGitProject(directory: string): Promise<void> {
  for (const name of [".git", "archive"]) await mkdir(join(directory, name), { recursive: true });
  for (const [name, content] of Object.entries(PROJECT_FILES)) {
    await writeFile(join(directory, name), content, { mode: 0o644 });
    await utimes(join(directory, name), MODIFIED, MODIFIED);
  }
}

/** Name, mode, time and bytes of every file of the project, and no other name but those of a store. */
export async function snapshotProject(directory: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  const isStores = (name: string): boolean => name === ".longhand" || name.startsWith("notes");
  const look = async (below: string): Promise<void> => {
    for (const name of (await readdir(join(directory, below))).sort()) {
      const path = join(below, name);
      const stat = await lstat(join(directory, path));
      if (below === "" && isStores(name)) continue;
      if (stat.isDirectory()) await look(path);
      else {
        const bytes = await readFile(join(directory, path), "latin1");
        found[path] = `${(stat.mode & 0o777).toString(8)} ${stat.mtime.toISOString()} ${stat.ino} ${bytes}`;
      }
    }
  };
  await look("");
  return found;
}
