/** T6: a directory is swapped for a link to the outside and back, without pause, while files in it are read and written. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, realpath, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { isAgentError } from "../../src/errors.ts";
import { PathGuard } from "../../src/tools/path-guard.ts";
import { isWithin } from "../../src/tools/protected-paths.ts";
import { writeAtomically } from "../../src/tools/write-atomically.ts";
import { makePlace, SECRET, type TestPlace } from "./support/workspace.ts";

const SWAP = fileURLToPath(new URL("support/swap.mjs", import.meta.url));

async function startSwapping(): Promise<TestPlace> {
  const place = await makePlace();
  const name = join(place.workspace, "swapped");
  await mkdir(name);
  await writeFile(join(name, "secret"), "inside");
  const child = spawn(process.execPath, [SWAP, name, place.outside], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
  await once(child.stdout, "data");
  return place;
}

/** What came of each round; anything but a refusal or a failure of a tool ends the test. */
async function countOutcomes(rounds: number, round: () => Promise<string>): Promise<Map<string, number>> {
  const outcomes = new Map<string, number>();
  const seenBoth = (): boolean => outcomes.has("done") && outcomes.size > 1;
  for (let done = 0; done < rounds || !seenBoth(); done++) {
    const outcome = await round().catch((error: unknown) => {
      if (!isAgentError(error)) {
        // The file or the directory was away at that moment.
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return "ENOENT";
        throw error;
      }
      return error.code;
    });
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  return outcomes;
}

test("no read gets out", async () => {
  const { workspace } = await startSwapping();
  const guard = new PathGuard(workspace);
  const outcomes = await countOutcomes(5000, async () => {
    const { handle } = await guard.openFile("swapped/secret");
    try {
      expect(await handle.readFile("utf8")).toBe("inside");
    } finally {
      await handle.close();
    }
    return "done";
  });
  expect(
    [...outcomes.keys()].filter((key) => !["done", "TOOL_REFUSED", "TOOL_FAILED"].includes(key)),
  ).toEqual([]);
});

test("no write gets out", async () => {
  const { workspace, outside } = await startSwapping();
  const guard = new PathGuard(workspace);
  let written = 0;
  await countOutcomes(1000, async () => {
    const place = await guard.openPlace("swapped/new", "write", { makeDirectories: false });
    try {
      await writeAtomically(place, Buffer.from(String(++written)));
    } finally {
      await place.directory.close();
    }
    return "done";
  });
  expect(await readdir(outside)).toEqual(["secret"]);
  expect(await readFile(join(outside, "secret"), "utf8")).toBe(SECRET);
});

test("control: a guard that checks the real path and then opens by name is passed", async () => {
  const { workspace } = await startSwapping();
  const path = join(workspace, "swapped/secret");
  let text = "";
  for (let round = 0; text !== SECRET && round < 200_000; round++) {
    try {
      if (!isWithin(await realpath(dirname(path)), workspace)) continue;
      text = await readFile(path, "utf8");
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
  }
  expect(text).toBe(SECRET);
});
