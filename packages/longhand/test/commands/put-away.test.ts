import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { archive } from "../../src/commands/archive.ts";
import { deleteSession } from "../../src/commands/delete.ts";
import { restore } from "../../src/commands/restore.ts";
import { runIn, withTemporaryDirectory } from "../support/fake-world.ts";
import { jsonLines, say, withHome } from "../support/with-home.ts";
import { fakeSurroundings, infoOf, withMemory } from "../support/with-memory.ts";

describe("archive, restore and delete", () => {
  test("archive and its way back", async () => {
    await withMemory(async (store) => {
      await say(store, "k", "one");
      const put = fakeSurroundings();
      await archive(store, await infoOf(store, "k"), put);
      expect(put.output.printed.join("")).toMatch(
        /^Archived k \(1 message\)\.\n[^]*To bring it back: +longhand restore k\n$/,
      );
      expect((await infoOf(store, "k")).status).toBe("archived");
      const back = fakeSurroundings({ json: true });
      await restore(store, "k", undefined, back);
      const { id, status } = await infoOf(store, "k");
      expect(JSON.parse(back.output.printed.join(""))).toEqual({ key: "k", id, from: "archived" });
      expect(status).toBe("active");
    });
  });

  test("restore of a key with several names the others; --id chooses", async () => {
    await withMemory(async (store) => {
      const ids: string[] = [];
      for (const text of ["old", "new"]) {
        await say(store, "k", text);
        ids.push((await infoOf(store, "k")).id);
        await store.session("k").delete();
        // Which of two is newer is told by the millisecond.
        const now = Date.now();
        while (Date.now() === now) await setImmediate();
      }
      const [old = ""] = ids;
      await expect(restore(store, "k", "01NONE", fakeSurroundings())).rejects.toMatchObject({
        code: "KEY_UNKNOWN",
        message: expect.stringContaining(old) as string,
      });
      const { output } = fakeSurroundings();
      await restore(store, "k", undefined, { ...fakeSurroundings(), output });
      expect(output.printed.join("")).toMatch(/^Restored k from the trash: 1 message in the view\./);
      expect(output.printed.join("")).toContain(`longhand restore --id ${old} k`);
      expect(await store.session("k").messages()).toMatchObject([{ content: "new" }]);
      await store.session("k").archive();
      await restore(store, "k", old, fakeSurroundings());
      expect(await store.session("k").messages()).toMatchObject([{ content: "old" }]);
    });
  });

  test("delete says how to get it back; archived ones of the key go with it", async () => {
    await withMemory(async (store) => {
      await say(store, "k", "one");
      await store.session("k").archive();
      await store.session("k").restore();
      await store.session("k").archive();
      const { output, ...rest } = fakeSurroundings();
      await deleteSession(store, "k", { wait: 1 }, { output, ...rest });
      expect(output.printed.join("")).toMatch(
        /^Moved k to the trash: 1 message \(.*\)\.\nTo bring it back: longhand restore k\n$/,
      );
      expect(await store.session("k").exists()).toBe(false);
    });
  });

  test("delete --forever needs --yes or a yes; a no changes nothing", async () => {
    await withMemory(async (store) => {
      await say(store, "k", "one");
      const forever = { wait: 1, forever: true };
      const nobody = deleteSession(store, "k", forever, fakeSurroundings());
      await expect(nobody).rejects.toMatchObject({
        code: "NOT_CONFIRMED",
        remedy: "longhand delete --forever --yes k",
      });
      const no = fakeSurroundings({ answers: ["n"] });
      await expect(deleteSession(store, "k", forever, no)).rejects.toMatchObject({ code: "NOT_CONFIRMED" });
      expect(no.output.complaints.join("")).toMatch(/^Delete 1 message \(.*\) of k for good\? \[y\/N\] $/);
      expect(await store.session("k").exists()).toBe(true);
      const yes = fakeSurroundings({ answers: ["yes"] });
      await deleteSession(store, "k", forever, yes);
      expect(yes.output.printed.join("")).toContain("Deleted k for good");
      for await (const session of store.list({ status: "any" })) expect(session).toBeUndefined();
    });
  });

  test("from end to end, by parts of keys", async () => {
    await withHome(
      async (store) => {
        await say(store, "telegram:1", "hello");
        await say(store, "notes", "milk");
      },
      async (longhand) => {
        expect((await longhand("archive tele --json")).stdout).toMatch(/"status":"archived"/);
        expect((await longhand("list")).stdout).not.toContain("telegram");
        expect((await longhand("restore tele")).stdout).toContain("Restored telegram:1 from the archive");
        const active = await longhand("restore notes");
        expect([active.exitCode, active.stdout]).toEqual([3, ""]);
        expect(active.stderr).toMatch(/notes is active, [^]*longhand show notes\n$/);
        expect((await longhand("delete notes")).exitCode).toBe(0);
        await longhand("append notes again");
        const taken = await longhand("restore notes");
        expect([taken.exitCode, taken.stderr]).toEqual([
          1,
          expect.stringContaining("notes has an active session"),
        ]);
        for (const command of ["archive", "delete"])
          expect(taken.stderr).toContain(`longhand ${command} notes\n`);
        await longhand("delete notes --forever --yes");
        await longhand("append notes milk");
        await longhand("delete notes");
        const unknown = await longhand("restore nope");
        expect(unknown.stderr).toMatch(/longhand list --trash\n +longhand list --archived\n$/);
        expect((await longhand("show notes")).exitCode).toBe(3);
        expect((await longhand("restore note")).stdout).toContain("from the trash: 1 message");
        expect(jsonLines((await longhand("list --json")).stdout)).toHaveLength(2);
        expect(JSON.parse((await longhand("delete notes --forever --yes --json")).stdout)).toMatchObject({
          key: "notes",
          forever: true,
          sessions: [{ status: "active" }],
        });
        expect((await longhand("restore notes")).exitCode).toBe(3);
      },
    );
  });

  test("delete --forever names what it does not remove", async () => {
    await withHome(
      async (store) => say(store, "k", "one"),
      async (longhand, _home, sessions) => {
        const aside = join(sessions, ".longhand", "damaged");
        await writeFile(join(aside, "k.jsonl.88"), "x");
        await writeFile(join(sessions, "k.json.migrated"), "x");
        const { exitCode, stdout } = await longhand("delete k --forever --yes");
        expect(exitCode).toBe(0);
        expect(stdout).toContain(`Not removed: 1 file with damaged bytes in ${aside}, `);
        expect(stdout).toContain(`${join(sessions, "k.json.migrated")}.\n`);
        expect(stdout).toContain("Not removed: what forks of it share with it");
        await longhand("append l one");
        const json = await longhand("delete l --forever --yes --json");
        expect(JSON.parse(json.stdout)).toMatchObject({
          leftBehind: {
            damaged: { directory: aside, files: 1 },
            originals: [join(sessions, "k.json.migrated")],
          },
        });
      },
    );
  });

  test("show of what was put away has the command that brings it back", async () => {
    await withHome(
      async (store) => {
        await say(store, "telegram:1", "one");
        await store.session("telegram:1").archive();
      },
      async (longhand) => {
        expect((await longhand("show tele")).stdout).toContain(
          "To bring it back: longhand restore telegram:1\n",
        );
        await longhand("delete tele");
        for (const wanted of ["telegram:1", "tele"]) {
          const { exitCode, stderr } = await longhand(`show ${wanted}`);
          expect([exitCode, stderr]).toEqual([
            3,
            "longhand: telegram:1 is in the trash\n  to bring it back: longhand restore telegram:1\n",
          ]);
        }
      },
    );
  });

  test("a whole key in the trash is meant rather than a part of an archived one", async () => {
    await withHome(
      async (store) => {
        await say(store, "a", "1");
        await store.session("a").delete();
        await say(store, "ab", "2");
        await store.session("ab").archive();
      },
      async (longhand) => {
        expect((await longhand("restore a")).stdout).toContain("Restored a from the trash");
      },
    );
  });

  test.each(["archive k", "undo k", "rename k T", "truncate k --keep-last 1"])(
    "%s of a session that was put away says where it is, and takes no other for it",
    async (commandLine) => {
      await withHome(
        async (store) => {
          await say(store, "k", "one");
          await store.session("k").archive();
          await say(store, "ok", "another");
        },
        async (longhand) => {
          const archived = await longhand(commandLine);
          expect([archived.exitCode, archived.stderr]).toEqual([
            3,
            "longhand: k is archived\n  to bring it back: longhand restore k\n",
          ]);
          await longhand("delete k");
          const trashed = await longhand(commandLine);
          expect([trashed.exitCode, trashed.stderr]).toEqual([
            3,
            "longhand: k is in the trash\n  to bring it back: longhand restore k\n",
          ]);
          expect(jsonLines((await longhand("list --json")).stdout)).toMatchObject([{ key: "ok", seq: 1 }]);
        },
      );
    },
  );

  test.each(["archive k", "restore k", "delete k", "delete k --forever --yes", "rename k T", "fork k l"])(
    "%s makes no store where there is none",
    async (commandLine) => {
      await withTemporaryDirectory(async (home) => {
        expect((await runIn(home, commandLine.split(" "))).exitCode).toBe(3);
        expect(await readdir(home)).toEqual([]);
      });
    },
  );
});
