/** A session whose header no repair can mend: nobody is sent to one, and the file stays as it is. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { say, withHome } from "../support/with-home.ts";

const HEADER = '{"longhand":1,"key":"?"\n';

test.each([
  "list",
  "list --json",
  "show k",
  "show k --json",
  "export k",
  "search one",
  "append k two",
  "verify",
  "doctor",
])("%s says what is the case and what helps", async (command) => {
  await withHome(
    async (store) => {
      await say(store, "k", "one");
      await say(store, "other", "one");
    },
    async (longhand, _home, sessions) => {
      const file = join(sessions, "k.jsonl");
      const whole = await readFile(file, "utf8");
      const spoiled = HEADER + whole.slice(whole.indexOf("\n") + 1);
      await writeFile(file, spoiled);
      const { exitCode, stdout, stderr } = await longhand(command);
      const told = stdout + stderr;
      expect(exitCode).toBe(1);
      expect(told).toContain(file);
      expect(told).toContain("a repair leaves it as it is, with every byte in place");
      expect(told).toContain("put the file back from a backup, or move it out of the store");
      if (command !== "verify") expect(told).toContain(`mv ${file} ~/`);
      expect(told).not.toContain("longhand repair");
      expect(await readFile(file, "utf8")).toBe(spoiled);
    },
  );
});

test.each(["list", "show k", "search one", "append k two"])(
  "%s names the repair where one can mend it",
  async (command) => {
    await withHome(
      async (store) => say(store, "k", "one"),
      async (longhand, _home, sessions) => {
        const file = join(sessions, "k.jsonl");
        await writeFile(file, (await readFile(file, "utf8")).replace('"longhand"', '"lOnghand"'));
        const { exitCode, stderr } = await longhand(command);
        expect([exitCode, stderr]).toEqual([1, expect.stringContaining("longhand repair")]);
        expect((await longhand("repair --yes")).exitCode).toBe(0);
        expect((await longhand(command)).exitCode).toBe(0);
      },
    );
  },
);
