import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./support/project.ts";
import { runCommand, type CommandResult } from "./support/run-command.ts";
import { temporaryDirectory } from "./support/temporary-directory.ts";

const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");
const REPORTER = join(ROOT, "test/support/closing-line-reporter.ts");

async function runTests(files: Readonly<Record<string, string>>): Promise<CommandResult> {
  const directory = await temporaryDirectory();
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  const args = [VITEST, "run", "--globals", "--root", directory, "--reporter", REPORTER];
  return await runCommand(process.execPath, args, directory);
}

test("counts what passed, failed and was skipped, on one plain line, and says why it was skipped", async () => {
  const result = await runTests({
    "some.test.js": `
      test("good", () => {});
      test("good too", () => {});
      test("bad", () => { throw new Error("bad"); });
      test("needs root", ({ skip }) => skip("it mounts a disk"));
      test["skip"]("left out", () => {});`,
  });
  expect(result.stdout).toBe("skipped: needs root: it mounts a disk\n2 passed, 1 failed, 2 skipped\n");
  expect(result.exitCode).toBe(1);
});

test("a file that cannot be loaded and a rejection nobody awaits are failures", async () => {
  const result = await runTests({
    "broken.test.js": "this is no program",
    "floating.test.js": `test("good", async () => { Promise.reject(new Error("floating")); });`,
  });
  expect(result.stdout).toBe("1 passed, 2 failed, 0 skipped\n");
  expect(result.exitCode).toBe(1);
});

test("a run without a fault says so", async () => {
  const result = await runTests({ "some.test.js": `test("good", () => {});` });
  expect(result.stdout).toBe("1 passed, 0 failed, 0 skipped\n");
  expect(result.exitCode).toBe(0);
});
