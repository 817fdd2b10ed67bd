/** Longhand's own directory is migrated by the chat and by serve: each says which files it has renamed. */

import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PROGRAM, Serving } from "../support/serving.ts";
import { type Longhand, nothing, withHome } from "../support/with-home.ts";

const AT = "2026-01-02T03:04:05Z";
const ORIGINALS = ["t_1.json", "t_2.json"];
const RENAMED = ORIGINALS.map((name) => `${name}.migrated`);

/** A home whose sessions are those of PicoClaw. */
async function withOldHome(
  use: (longhand: Longhand, home: string, sessions: string) => Promise<void>,
): Promise<void> {
  await withHome(nothing, async (longhand, home, sessions) => {
    for (const name of ORIGINALS) {
      const key = name.replace("_", ":").replace(".json", "");
      const document = { key, messages: [{ role: "user", content: `in ${key}` }], created: AT, updated: AT };
      await writeFile(join(sessions, name), JSON.stringify(document));
    }
    await use(longhand, home, sessions);
  });
}

async function renamedIn(sessions: string): Promise<string[]> {
  return (await readdir(sessions)).filter((name) => name.endsWith(".migrated")).sort();
}

const OFFLINE = { environment: { LONGHAND_MODEL: "offline" } };

test("chat names each file, once", async () => {
  await withOldHome(async (longhand, _home, sessions) => {
    const { exitCode, stderr } = await longhand("chat -m help", OFFLINE);
    expect(exitCode).toBe(0);
    expect(await renamedIn(sessions)).toEqual(RENAMED);
    for (const name of [...RENAMED, "t:1", "t:2", "--undo"]) expect(stderr).toContain(name);
    expect((await longhand("chat -m help", OFFLINE)).stderr).not.toContain(".migrated");
  });
});

test("chat --sessions of a directory elsewhere migrates nothing and names what it left", async () => {
  await withOldHome(async (longhand, home, sessions) => {
    const { stderr } = await longhand(`--sessions ${sessions} chat -m help`, {
      ...OFFLINE,
      environment: { ...OFFLINE.environment, LONGHAND_HOME: join(home, "another") },
    });
    expect(await renamedIn(sessions)).toEqual([]);
    for (const name of ORIGINALS) expect(stderr).toContain(name);
  });
});

test("serve names each file in a warning", async () => {
  await expect(stat(PROGRAM), "run `npm run build` first").resolves.toBeDefined();
  await withOldHome(async (_longhand, home, sessions) => {
    const serving = new Serving(home, ["--model", "offline"]);
    const { exitCode, stderr } = await serving.end();
    expect(exitCode).toBe(0);
    expect(await renamedIn(sessions)).toEqual(RENAMED);
    const warnings = stderr
      .split("\n")
      .filter((line) => line.includes("SESSIONS_MIGRATED"))
      .map((line) => (JSON.parse(line) as { warning: { message: string } }).warning.message);
    expect(warnings).toHaveLength(1);
    for (const name of [...RENAMED, "t:1", "t:2"]) expect(warnings[0]).toContain(name);
  });
});
