import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isAgentError } from "../../src/errors.ts";
import { readSecret } from "../../src/secrets/read-secret.ts";

let directory = "";
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "longhand-secret-"));
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});
const written = async (text: string, mode: number): Promise<string> => {
  const path = join(directory, "key");
  await writeFile(path, text);
  await chmod(path, mode);
  return path;
};
const problemOf = async (file: string): Promise<unknown> =>
  await readSecret({ environment: {}, name: "KEY", file }).catch((error: unknown) => error);

test("from the environment first, trimmed; then from the file", async () => {
  const file = await written("  from-file\n", 0o600);
  expect(await readSecret({ environment: { KEY: " from-environment\n" }, name: "KEY", file })).toBe(
    "from-environment",
  );
  expect(await readSecret({ environment: { KEY: " " }, name: "KEY", file })).toBe("from-file");
  await chmod(file, 0o400);
  expect(await readSecret({ environment: {}, name: "KEY", file })).toBe("from-file");
});

test("nothing there is no error, and neither is an empty file", async () => {
  expect(await readSecret({ environment: {}, name: "KEY" })).toBeUndefined();
  expect(await readSecret({ environment: {}, name: "KEY", file: join(directory, "none") })).toBeUndefined();
  expect(
    await readSecret({ environment: {}, name: "KEY", file: await written(" \n", 0o600) }),
  ).toBeUndefined();
});

test.each([0o644, 0o640, 0o602, 0o610])("mode %i: others could get at it", async (mode) => {
  const file = await written("from-file", mode);
  const error = await problemOf(file);
  expect(isAgentError(error, "OPTION_INVALID")).toBe(true);
  expect(String(error)).toContain(`chmod 600 ${file}`);
  expect(String(error)).not.toContain("from-file");
});

test("a directory, a pipe and something huge are no secret files", async () => {
  const pipe = join(directory, "pipe");
  execFileSync("mkfifo", ["-m", "600", pipe]);
  for (const path of [directory, pipe, await written("x".repeat(100_000), 0o600)])
    expect(isAgentError(await problemOf(path), "OPTION_INVALID"), path).toBe(true);
});
