import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { say, withHome } from "../support/with-home.ts";

/** Changes a word in the file of `k` and tells where the damaged line begins. */
async function damage(sessions: string): Promise<{ readonly file: string; readonly offset: number }> {
  const file = join(sessions, "k.jsonl");
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace('"content":"two"', '"content":"TWO"'), { mode: 0o600 });
  return { file, offset: text.indexOf('{"seq":2') };
}

describe("verify", () => {
  test("of a store that is well", async () => {
    await withHome(
      async (store) => {
        await say(store, "k", "one", "two");
        await say(store, "l", "three");
        await store.session("l").delete();
      },
      async (longhand) => {
        const { exitCode, stdout } = await longhand("verify");
        expect([exitCode, stdout]).toEqual([0, "No damage found. 3 records in 2 sessions read.\n"]);
        expect(JSON.parse((await longhand("verify k --json")).stdout)).toEqual({
          sessions: 1,
          records: 2,
          damage: [],
          unreadable: [],
        });
        expect((await longhand("verify unknown")).exitCode).toBe(3);
      },
    );
  });

  test("names each damage with file, offset, reason and key; exit code 1", async () => {
    await withHome(
      async (store) => {
        await say(store, "k", "one", "two", "three");
        await say(store, "l", "well");
      },
      async (longhand, _home, sessions) => {
        const { file, offset } = await damage(sessions);
        const { exitCode, stdout, stderr } = await longhand("verify");
        expect([exitCode, stderr]).toEqual([1, ""]);
        expect(stdout).toContain(`• ${file}: corrupt at byte ${offset} `);
        expect(stdout).toContain("(session k)");
        expect(stdout).toContain("longhand repair");
        const json = await longhand("verify --json");
        expect(json.exitCode).toBe(1);
        expect(JSON.parse(json.stdout)).toMatchObject({
          damage: [{ file, offset, key: "k", reason: expect.any(String) as string }],
        });
        expect((await longhand("verify l")).exitCode).toBe(0);
        expect((await longhand("list")).stdout).toContain("[damaged]");
        expect((await longhand("show k")).stdout).toContain("damaged; where");
      },
    );
  });
});

describe("repair", () => {
  test("mends what verify reports, keeps the bytes, and appends go on", async () => {
    await withHome(
      async (store) => say(store, "k", "one", "two", "three"),
      async (longhand, _home, sessions) => {
        const { file, offset } = await damage(sessions);
        const nobody = await longhand("repair");
        expect([nobody.exitCode, nobody.stderr]).toEqual([
          1,
          expect.stringContaining("longhand repair --yes"),
        ]);
        const no = await longhand("repair k", { answers: ["n"] });
        expect(no.stdout).toContain(`corrupt at byte ${offset}`);
        expect((await longhand("verify")).exitCode).toBe(1);
        const { exitCode, stdout } = await longhand("repair k", { answers: ["y"] });
        expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`✓ ${file}`)]);
        const aside = join(sessions, ".longhand", "damaged");
        expect(stdout).toMatch(
          /\nMended: 1 damaged place\.\nRecord 2 of k is lost; its number is not reused\.\n/,
        );
        expect(stdout).toContain(`\nThe damaged bytes are kept:\n  ${aside}/k.jsonl.${offset}\n`);
        expect(await readFile(join(aside, `k.jsonl.${offset}`), "utf8")).toContain("TWO");
        expect((await longhand("verify")).exitCode).toBe(0);
        expect((await longhand("append k four")).exitCode).toBe(0);
        const shown = (await longhand("show k --json")).stdout;
        expect(shown).toMatch(/one[^]*three[^]*four/);
        expect(shown).not.toMatch(/two/i);
      },
    );
  });

  test("with --json names the records that are gone and the files with the bytes", async () => {
    await withHome(
      async (store) => say(store, "k", "one", "two", "three", "four"),
      async (longhand, _home, sessions) => {
        const { file, offset } = await damage(sessions);
        await writeFile(file, (await readFile(file, "utf8")).replace('"three"', '"THREE"'));
        const answer = JSON.parse((await longhand("repair --yes --json")).stdout) as Record<string, unknown>;
        expect(answer).toMatchObject({
          lost: [{ key: "k", first: 2, last: 3 }],
          kept: [join(sessions, `.longhand/damaged/k.jsonl.${offset}`), expect.any(String) as string],
          left: [],
        });
        expect(answer["mended"]).toHaveLength(2);
        expect(await readFile(file, "utf8")).toContain('"lost":[2,3]');
      },
    );
  });

  test("of a torn tail, which readers mark before anybody has opened it for writing, loses no record", async () => {
    await withHome(
      async (store) => say(store, "k", "one"),
      async (longhand, _home, sessions) => {
        const file = join(sessions, "k.jsonl");
        await appendFile(file, '{"seq":2,"at":"20');
        const listed = await longhand("list");
        expect(listed.stdout).toContain("[damaged] one");
        expect(listed.stderr).toContain(`${file}: torn at byte `);
        expect(JSON.parse((await longhand("list --json")).stdout)).toMatchObject({ damaged: 1, seq: 1 });
        expect((await longhand("show k")).stdout).toContain(
          "damaged; where, and what to do: longhand verify",
        );
        const { exitCode, stdout } = await longhand("repair --yes");
        expect([exitCode, stdout]).toEqual([
          0,
          expect.stringContaining("No record that was found is lost.\nA file ended in the middle of a line."),
        ]);
        expect(stdout).toContain("/.longhand/damaged/k.jsonl.");
        expect((await longhand("list")).stdout).not.toContain("damaged");
      },
    );
  });

  test("of what cannot be mended says why it was left", async () => {
    await withHome(
      async (store) => say(store, "k", "one"),
      async (longhand, _home, sessions) => {
        const file = join(sessions, "broken.jsonl");
        await writeFile(file, '{"longhand":1,\n', { mode: 0o600 });
        const verified = (await longhand("verify")).stdout;
        // Neither sends a person round in a circle: a repair has nothing to offer here.
        expect(verified).toContain("put the file back from a backup, or move it out of the store");
        expect(verified).not.toContain("longhand repair");
        for (const commandLine of ["repair", "repair --yes"]) {
          const { exitCode, stdout, stderr } = await longhand(commandLine);
          expect([exitCode, stdout]).toEqual([1, expect.stringContaining(`• ${file}: corrupt at byte 0 `)]);
          expect(stdout).toMatch(/what to do: .*out of the store\nNot mended: 1 damaged place\.\n$/);
          expect(stdout + stderr).not.toMatch(/longhand (repair|doctor)/);
        }
        const doctor = (await longhand("doctor")).stdout;
        expect(doctor).toContain(`mv ${file} ~/`);
        expect(doctor).not.toContain("longhand repair");
        expect(JSON.parse((await longhand("repair --yes --json")).stdout)).toMatchObject({
          mended: [],
          left: [{ file, left: expect.stringContaining("backup") as string }],
        });
        expect(await readFile(file, "utf8")).toBe('{"longhand":1,\n');
      },
    );
  });

  test("of a store that is well has nothing to do", async () => {
    await withHome(
      async (store) => say(store, "k", "one"),
      async (longhand) => {
        const { exitCode, stdout } = await longhand("repair");
        expect([exitCode, stdout]).toEqual([0, "No damage found. There is nothing to mend.\n"]);
        expect(JSON.parse((await longhand("repair --json")).stdout)).toEqual({
          mended: [],
          lost: [],
          kept: [],
          left: [],
          unreadable: [],
        });
      },
    );
  });
});
